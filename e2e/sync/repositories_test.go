// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// asksPorch reports whether a controller with a filled cache makes a request for a variant.
func asksPorch(r proxy.Request) bool { return r.Group == "porch.kpt.dev" && r.Verb != "watch" }

// waitRepository waits until a Repository says that it is ready, or that it is not.
func (w *world) waitRepository(name string, ready bool) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the Repository %s is ready: %t", name, ready), func() error {
		var r configapi.Repository
		if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &r); err != nil {
			return err
		}
		c := meta.FindStatusCondition(r.Status.Conditions, configapi.RepositoryReady)
		if c == nil || (c.Status == metav1.ConditionTrue) != ready {
			return fmt.Errorf("it says %+v", c)
		}
		return nil
	})
}

// TestBrokenRepository has Porch lose a Repository with variants in it. Variants that need a change report it at once
// and cost Porch nothing; those that are up to date stay as they are.
func TestBrokenRepository(t *testing.T) {
	w, git := newWorldBehind(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("settled"), newVariant("changed"))
	c := w.start()
	w.target("settled")
	w.target("changed")
	w.quiet(c)
	git.closed.Store(true)
	if w.stack.Cache() == stack.DBCache && !w.stack.Foreign() { // Porch needs no git for drafts, and does not report it
		w.Apply(newVariant("changed", zone), newVariant("new"))
		w.Ready("changed")
		w.Ready("new")
		return
	}
	w.waitRepository("edge", false)
	if w.stack.Foreign() { // newer Porch says so, but not while it tries again
		w.Apply(newVariant("changed", zone), newVariant("new"))
		w.void()
		w.Eventually("what needs git waits", func() error {
			reason := w.Condition("new", v1alpha1.ConditionReady).Reason
			if reason == "RepositoryNotReady" || reason == "PorchUnavailable" || w.stack.Cache() == stack.DBCache {
				return nil // drafts in a database need no git while Porch tries again
			}
			return fmt.Errorf("it is %q", reason)
		})
		git.closed.Store(false)
		w.waitFile(w.target("changed"), "package-context.yaml", "zone: a\n")
		w.target("new")
		return
	}
	w.quiet(c)
	w.proxy.Reset()
	w.Apply(newVariant("changed", zone))
	names := []string{"changed"}
	for i := range 5 {
		names = append(names, fmt.Sprintf("new-%d", i))
		w.Apply(newVariant(names[i+1]))
	}
	for _, name := range names {
		if got := w.message(name, "RepositoryNotReady"); !strings.HasPrefix(got, `the Repository "edge" is not ready: `) {
			t.Errorf("message of %s: %q", name, got)
		}
		w.expectCondition(name, "Reconciling", "True", "RepositoryNotReady")
	}
	w.quiet(c)
	for _, r := range w.proxy.Requests() {
		if asksPorch(r) || proxy.IsWrite(r) && r.Name == "settled" {
			t.Errorf("while the Repository is broken: %s", r)
		}
	}
	if ready := w.Condition("settled", v1alpha1.ConditionReady); ready.Status != metav1.ConditionTrue {
		t.Errorf("what is up to date says %s: %s", ready.Reason, ready.Message)
	}
	git.closed.Store(false)
	for _, name := range append(names, "settled") {
		w.target(name)
	}
	w.waitFile(w.target("changed"), "package-context.yaml", "zone: a\n")
}
