// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPushedPackage has a package on the branch of the downstream Repository that was pushed past Porch: a variant
// neither clones over it nor, if it was there first, publishes over it.
func TestPushedPackage(t *testing.T) {
	w := newWorld(t)
	if w.stack.Foreign() {
		t.Skip("newer Porch's API server does not look for branches that others have pushed")
	}
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.push("edge", "main", "web", map[string]string{"Kptfile": kptfile("web"), "mine.yaml": settings})
	w.readAnew("edge")
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.expectMessage("web", "DownstreamExists", "the package edge/web exists on the branch main, though no revision of it is "+
		"published, and is not this variant's: remove it there, or set spec.adoptionPolicy to adoptExisting to have it "+
		"replaced, or name another package in spec.downstream")
	if err := w.noDrafts("web"); err != nil {
		t.Error(err)
	}
	w.Apply(newVariant("web", plain, automatic, adopt))
	w.target("web")
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	w.expectDrafts("web", "edge.web.packagevariant-1")
}

// TestPushedAfterDraft has a person push the package to the branch past Porch once a draft of it is there: shop long
// before it would be published, and web just before it is proposed, so that Porch sees that only then. Neither is
// published over what they pushed, and each variant says why.
func TestPushedAfterDraft(t *testing.T) {
	w := newWorld(t)
	if w.stack.Foreign() || w.stack.Cache() == stack.DBCache {
		t.Skip("this Porch does not look for branches that others have pushed: docs/limits.md")
	}
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain), newVariant("shop", plain))
	w.mayApprove()
	w.start()
	pushes := func(pkg string) {
		w.push("edge", "main", pkg, map[string]string{"Kptfile": kptfile(pkg), "mine.yaml": settings})
	}
	w.target("shop")
	pushes("shop")
	w.readAnew("edge")
	w.Apply(newVariant("shop", plain, automatic))
	w.expectCondition("shop", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	w.target("web")
	var once atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isProposal(r) && once.CompareAndSwap(false, true) {
			pushes("web")
		}
		return nil
	})
	w.Apply(newVariant("web", plain, automatic))
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	w.readAnew("edge")
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	for _, name := range []string{"web", "shop"} {
		if got := w.Files("edge." + name + ".main")["mine.yaml"]; got != settings {
			t.Errorf("the branch has mine.yaml of %s with %q", name, got)
		}
	}
}

// noDrafts returns an error if there are open drafts of a package of edge.
func (w *world) noDrafts(pkg string) error {
	drafts, _, err := w.listDrafts(pkg)
	if err == nil && len(drafts) > 0 {
		err = fmt.Errorf("there are %v", drafts)
	}
	return err
}

// claimedBy fails the test unless the variant is stalled because its downstream belongs to another.
func (w *world) claimedBy(name, other string) {
	w.t.Helper()
	if message := w.message(name, "DownstreamClaimed"); !strings.Contains(message, other) {
		w.t.Errorf("message of %s: %s, want one with %s", name, message, other)
	}
	w.expectCondition(name, v1alpha1.ConditionStalled, "True", "DownstreamClaimed")
}
