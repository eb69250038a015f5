// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"net/http"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestUnfinished kills the controller once Porch has made a draft, by a clone, an edit and an upgrade. Another
// controller finishes the draft, knows that it has no edits, and so may publish it.
func TestUnfinished(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	unfinished(w, func(_ *v1alpha1.PackageVariant, draft string, start func() *controller.Process) {
		c := start()
		w.waitLifecycle(draft, isPublished)
		w.quiet(c)
	}, automatic)
}

// TestEditUnfinished has a person edit such a draft before another controller finishes it: the edit stays, and waits
// for a person.
func TestEditUnfinished(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	unfinished(w, func(pv *v1alpha1.PackageVariant, draft string, start func() *controller.Process) {
		w.WriteFiles(draft, mine)
		c := start()
		w.target(pv.Name)
		w.Apply(newVariant(pv.Name, contextOnly, func(s *variant.Spec) { *s = pv.Spec }, automatic))
		w.neverIs(draft, isPublished)
		w.quiet(c)
		if got := w.Files(draft)["notes.md"]; got != "mine\n" {
			t.Errorf("%s: the person's edit is gone: notes.md is %q", draft, got)
		}
	})
}

// TestPublishUnfinished has a person publish such a draft, to which Porch has not written the owner, before another
// controller finishes it: the variant still owns it, and another draft adds what it lacks.
func TestPublishUnfinished(t *testing.T) {
	w := newWorld(t)
	unfinished(w, func(pv *v1alpha1.PackageVariant, draft string, start func() *controller.Process) {
		w.loseOwner(draft)
		w.publish(draft)
		c := start()
		w.Eventually("what was published is the variant's", func() error { return w.ownedAgain(draft) })
		// An upgrade by Porch lacks nothing here, the others lack the zone.
		if target := w.target(pv.Name); (target == draft) != (pv.Name == "upgrade") {
			t.Errorf("%s is followed by %s", draft, target)
		}
		w.quiet(c)
	})
}

// TestEditUnfinishedThatFails has a person edit such a draft when another controller is about to delete it, because a
// function fails over it: the edit stays.
func TestEditUnfinishedThatFails(t *testing.T) {
	w := newWorld(t)
	stocked := w.withoutContext()
	c := w.start()
	w.killOnceMade(c, func() {
		w.Apply(newVariant("web", stocked, func(s *variant.Spec) { s.PackageContext = nil }))
	})
	const draft = "stock.web.packagevariant-1"
	var edited hook
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.After && r.Verb == "get" && r.Resource == "packagerevisionresources" && r.Name == draft {
			edited.once(func() { w.WriteFiles(draft, mine) })
		}
		return nil
	})
	w.Apply(newVariant("web", stocked)) // the package has no place for its context
	c = w.start()
	w.hit(&edited)
	w.message("web", "FunctionFailed")
	w.quiet(c)
	if got := w.Files(draft)["notes.md"]; got != "mine\n" {
		t.Errorf("the person's edit is gone: notes.md is %q", got)
	}
}

// unfinished kills the controller once Porch has made a draft of a variant, for one variant after the other, and calls
// then for it, with what starts another controller.
func unfinished(w *world, then func(pv *v1alpha1.PackageVariant, draft string, start func() *controller.Process),
	changes ...func(*variant.Spec)) {
	w.t.Helper()
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsB("9"))
	c := w.start()
	for _, step := range []struct {
		name, draft string
		change      func(*variant.Spec)
	}{
		{"clone", "edge.clone.packagevariant-1", zone},
		{"edit", "edge.edit.packagevariant-2", zone},
		{"upgrade", "edge.upgrade.packagevariant-2", revision(2)},
	} {
		if step.name != "clone" {
			w.Apply(newVariant(step.name, contextOnly))
			w.publish(w.target(step.name))
			w.seesPublished(step.name)
		}
		pv := newVariant(step.name, append([]func(*variant.Spec){contextOnly, step.change}, changes...)...)
		w.killOnceMade(c, func() { w.Apply(pv) })
		then(pv, step.draft, func() *controller.Process {
			c = w.start()
			return c
		})
	}
}

// killOnceMade kills a controller once Porch has made the draft that it asks for after a change.
func (w *world) killOnceMade(c *controller.Process, change func()) {
	w.t.Helper()
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.After && isCreate(r) && r.Status == http.StatusCreated {
			c.Kill()
		}
		return nil
	})
	change()
	<-c.Ended()
	w.proxy.Handle(nil)
}
