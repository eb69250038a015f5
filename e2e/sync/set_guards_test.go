// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// simpleSet is a set over the Repositories with the label env=prod, with other fields of its spec and of its template.
func simpleSet(t *testing.T, fields, template string) *v1alpha2.PackageVariantSet {
	t.Helper()
	return newSet(t, `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: fleet}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
`+fields+`  targets:
  - repositorySelector: {matchLabels: {env: prod}}
    template: {`+template+`}
`)
}

// prods registers Repositories with the label env=prod.
func (w *world) prods(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.Repository(name, prod("eu"), true)
	}
}

// setCondition waits until a condition of the set, about its spec as it is now, has a message that contains a text.
func (w *world) setCondition(typ, text string) metav1.Condition {
	w.t.Helper()
	var found metav1.Condition
	w.Eventually(fmt.Sprintf("the condition %s of the set says %s", typ, text), func() error {
		set := w.set()
		c := meta.FindStatusCondition(set.Status.Conditions, typ)
		if c == nil || c.ObservedGeneration != set.Generation || !strings.Contains(c.Message, text) {
			return fmt.Errorf("it is %+v", c)
		}
		found = *c
		return nil
	})
	w.cameTrue()
	return found
}

// isSetsWrite reports whether a request changes a PackageVariant as only a set does: its own controller writes the
// status.
func isSetsWrite(r proxy.Request) bool {
	return proxy.IsWrite(r) && r.Resource == "packagevariants" && r.Subresource == ""
}

// TestSetSuspended has targets come and go while a set is suspended: nothing is written but its status.
func TestSetSuspended(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.prods("edge-1", "edge-2")
	w.Apply(simpleSet(t, "", ""))
	c := w.start()
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")

	w.Apply(simpleSet(t, "  suspend: true\n", ""))
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")
	since := w.setCondition(v1alpha1.ConditionSuspended, "there is nothing to do").LastTransitionTime

	w.quiet(c)
	w.proxy.Reset()
	w.relabel("edge-2", nil) // a target that is gone
	w.prods("edge-3")
	w.setCondition(v1alpha1.ConditionReady, "suspended: would create 1 (fleet-edge-3-web-")
	w.kubectl("annotate", "packagevariantset", "fleet", "--namespace", w.Namespace,
		v1alpha1.SuspendReasonAnnotation+"=freeze until Monday")
	w.setCondition(v1alpha1.ConditionReady, "suspended: freeze until Monday; would create 1 (fleet-edge-3-web-")
	told := w.setCondition(v1alpha1.ConditionSuspended, "freeze until Monday; would create 1 (fleet-edge-3-web-")
	w.expectSet("Suspended", [3]int32{2, 1, 1}, "edge-1/web", "edge-2/web")
	if out, err := w.stack.Kubectl(t.Context(), "get", "packagevariantsets", "--namespace", w.Namespace, "-o",
		"wide"); err != nil || !strings.Contains(out, "SUSPENDED") || !strings.Contains(out, " true ") {
		t.Errorf("kubectl does not show that it is suspended (%v):\n%s", err, out)
	}
	if told.Status != metav1.ConditionTrue || !told.LastTransitionTime.Equal(&since) {
		t.Errorf("the condition Suspended is %+v, want it True since %v", told, since)
	}
	w.Apply(simpleSet(t, "  suspend: true\n", "annotations: {a: b}"))
	w.setCondition(v1alpha1.ConditionSuspended, "update 1 (fleet-edge-1-web-")
	w.Never(2*time.Second, "the set writes a variant", func() error {
		if got := w.work(isSetsWrite); len(got) > 0 {
			return fmt.Errorf("%v", got)
		}
		return nil
	})

	w.Apply(simpleSet(t, "", ""))
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-3/web")
	if c := meta.FindStatusCondition(w.set().Status.Conditions, v1alpha1.ConditionSuspended); c != nil {
		t.Errorf("it is not suspended any more, and says %+v", c)
	}
}

// TestSetMaxDeletions has more targets go than the set may delete variants.
func TestSetMaxDeletions(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	all := []string{"edge-1/web", "edge-2/web", "edge-3/web", "edge-4/web"}
	w.prods("edge-1", "edge-2", "edge-3", "edge-4")
	w.Apply(simpleSet(t, "  maxDeletions: 0\n", ""))
	w.start()
	w.expectSet("VariantsReady", [3]int32{4, 4, 4}, all...)

	// With one to delete and one to create, the set does neither.
	w.relabel("edge-4", nil)
	w.prods("edge-5")
	w.setCondition(v1alpha1.ConditionReady, "nothing is changed, for 1 of the 4 variants of this set would be deleted "+
		"(fleet-edge-4-web-")
	w.expectSet("TooManyDeletions", [3]int32{4, 3, 3}, all...)
	w.Apply(simpleSet(t, "  maxDeletions: 25%\n", ""))
	w.expectSet("VariantsReady", [3]int32{4, 4, 4}, "edge-1/web", "edge-2/web", "edge-3/web", "edge-5/web")

	// The targets are corrected.
	set := simpleSet(t, "  maxDeletions: 50%\n", "")
	right := set.Spec.Targets
	set.Spec.Targets = []v1alpha2.Target{{Repositories: []v1alpha2.RepositoryTarget{{Name: "edge-1"}}}}
	w.Apply(set)
	w.setCondition(v1alpha1.ConditionReady, "and spec.maxDeletions, which is 50%, allows 2: correct the targets, or the "+
		"labels that they select by, or raise spec.maxDeletions")
	w.expectSet("TooManyDeletions", [3]int32{1, 1, 1}, "edge-1/web", "edge-2/web", "edge-3/web", "edge-5/web")
	set.Spec.Targets = right
	w.Apply(set)
	w.expectSet("VariantsReady", [3]int32{4, 4, 4}, "edge-1/web", "edge-2/web", "edge-3/web", "edge-5/web")
}

// TestSetOrphan checks that packages stay when their targets go, if the template says so.
func TestSetOrphan(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.prods("edge-1", "edge-2", "edge-3")
	w.Apply(simpleSet(t, "", "deletionPolicy: orphan"))
	w.start()
	w.expectSet("VariantsReady", [3]int32{3, 3, 3}, "edge-1/web", "edge-2/web", "edge-3/web")
	w.publish("edge-2.web.packagevariant-1")
	w.Eventually("the variant sees that its target is published", func() error {
		revisions, err := w.ListRevisions("edge-2", "web")
		for _, r := range revisions {
			if r.IsPublished() && len(r.OwnerReferences) == 1 {
				return nil
			}
		}
		if err == nil {
			err = fmt.Errorf("it does not")
		}
		return err
	})
	w.relabel("edge-2", nil)
	w.relabel("edge-3", nil)
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web")
	w.Eventually("the published package stays, and is nobody's", func() error {
		r, err := w.GetRevision("edge-2.web.packagevariant-1")
		if err == nil && (!r.IsPublished() || len(r.OwnerReferences) > 0) {
			err = fmt.Errorf("it is %s, of %v", r.Spec.Lifecycle, r.OwnerReferences)
		}
		return err
	})
	var list v1alpha1.PackageVariantList
	w.Eventually("the variants are gone", func() error {
		if err := w.Client.List(t.Context(), &list, client.InNamespace(w.Namespace)); err != nil || len(list.Items) != 1 {
			return fmt.Errorf("there are %d: %w", len(list.Items), err)
		}
		return nil
	})
	if r := w.Revision("edge-3.web.packagevariant-1"); r.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
		t.Errorf("the draft is %s", r.Spec.Lifecycle)
	}
}

// TestSetKeepsSuspend suspends a variant of a set by hand: the set never clears the field.
func TestSetKeepsSuspend(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Repository("edge-1", prod("eu"), true)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newSet(t, fleetSet))
	c := w.start()
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web")
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		t.Fatal(err)
	}
	name := list.Items[0].Name
	w.kubectl("patch", "packagevariant", "--namespace="+w.Namespace, name, "--type=merge", "-p",
		`{"spec":{"suspend":true}}`)
	w.quiet(c)
	if !w.Variant(name).Spec.Suspend {
		t.Error("the set has cleared spec.suspend of its variant")
	}
}
