// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hold makes all requests that match the filter wait until the returned function is called, or the test ends, and
// counts the waiting ones.
func (w *world) hold(filter func(proxy.Request) bool) (held *atomic.Int32, release func()) {
	held = &atomic.Int32{}
	free := make(chan struct{})
	release = sync.OnceFunc(func() { close(free) })
	w.t.Cleanup(release)
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && filter(r) {
			held.Add(1)
			defer held.Add(-1)
			<-free
		}
		return nil
	})
	return held, release
}

// TestHangingRepository has Porch answer nothing about the packages of one Repository, for a controller that works on
// two variants at once. While variants there and variants made from a package there hang, those of other Repositories
// continue. All are right when it is over.
func TestHangingRepository(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Repository("hanging", nil, true)
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("hanging", "library", "v1", simple())
	inHanging := func(s *variant.Spec) { s.Downstream.Repo = "hanging" }
	ofLibrary := func(s *variant.Spec) { s.Upstream.Repo, s.Upstream.Package = "hanging", "library" }
	for _, name := range []string{"a", "b", "c"} {
		w.Apply(newVariant(name, contextOnly, inHanging))
	}
	w.Apply(newVariant("web", contextOnly))
	w.start("--concurrency=2")
	for _, name := range []string{"a", "b", "c", "web"} {
		w.target(name)
	}
	held, release := w.hold(func(r proxy.Request) bool {
		return strings.HasPrefix(r.Name, "hanging.") && strings.HasPrefix(r.Resource, "packagerevision")
	})
	for _, name := range []string{"a", "c"} {
		w.Apply(newVariant(name, contextOnly, inHanging, zone))
	}
	w.Apply(newVariant("b", contextOnly)) // it moves
	w.Eventually("a call hangs", func() error {
		if held.Load() == 0 {
			return fmt.Errorf("none does")
		}
		return nil
	})
	w.Apply(newVariant("web", contextOnly, zone), newVariant("shop", contextOnly))
	w.Ready("web")
	w.Ready("shop")
	w.waitFile("edge.web.packagevariant-1", "package-context.yaml", "zone: a")
	if n := held.Load(); n != 1 {
		t.Errorf("%d calls hang, want one: that of the variant whose turn it is", n)
	}

	w.Apply(newVariant("x", contextOnly, ofLibrary), newVariant("y", contextOnly, ofLibrary))
	w.WaitReason("x", "PorchUnavailable")
	w.Apply(newVariant("late", contextOnly))
	w.Ready("late")
	w.WaitReason("y", "PorchUnavailable")

	release()
	for _, name := range []string{"a", "b", "c", "x", "y"} {
		w.target(name)
	}
	w.waitFile("hanging.c.packagevariant-1", "package-context.yaml", "zone: a")
	w.waitState("b", map[string]state{"packagevariant-1": {isDraft, 1}})
	w.expectNoLoop()
}

// TestNoAnswer has Porch make a draft, and save one, and never answer: the controller waits no longer than its timeout,
// and makes no second draft.
func TestNoAnswer(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	var creates, saves atomic.Int32
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.After && !r.Failed() &&
			(isCreate(r) && creates.Add(1) == 1 || isSave(r) && saves.Add(1) == 1) {
			<-free
		}
		return nil
	})
	w.start("--request-timeout=5s")
	w.Apply(newVariant("web", contextOnly))
	if got := w.message("web", "PorchUnavailable"); !strings.HasPrefix(got, "will try again: cannot clone edge/web: ") ||
		!strings.Contains(got, "no answer within 5s") {
		t.Errorf("the message is %s", got)
	}
	w.target("web")
	w.expectDrafts("web", "edge.web.packagevariant-1")
	w.waitFile("edge.web.packagevariant-1", "package-context.yaml", "region: eu")
	w.expectNoLoop()
}
