// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pushed means the moment when the git server has the draft and Porch does not know it yet. The other moments are times
// since the call began: Porch clones, upgrades and edits in about a tenth of a second.
const pushed = time.Hour

// ends are the ways in which the controller is ended, as a node that fails does and as Kubernetes does, and the moments
// of a call at which it is.
var ends = map[string]struct {
	end     func(*controller.Process)
	moments []time.Duration
}{
	"SIGKILL": {(*controller.Process).Kill, []time.Duration{5 * time.Millisecond, 25 * time.Millisecond,
		45 * time.Millisecond, 70 * time.Millisecond, pushed}},
	"SIGTERM": {(*controller.Process).Interrupt, []time.Duration{15 * time.Millisecond, 50 * time.Millisecond, pushed}},
}

func isCreate(r proxy.Request) bool { return r.Verb == "create" && r.Resource == "packagerevisions" }

// isHeardCreate leaves out creations that Porch refuses because it is still working on an earlier one.
func isHeardCreate(r proxy.Request) bool { return isCreate(r) && r.Status != http.StatusConflict }

func isSave(r proxy.Request) bool {
	return r.Verb == "update" && r.Resource == "packagerevisionresources"
}

// TestEndedInsideClone ends the controller while Porch makes the first draft of a variant, for one variant after the
// other, each at another moment. After the restart each variant has one complete draft of its own, made without a second
// call.
func TestEndedInsideClone(t *testing.T) {
	rare(t)
	for signal, each := range ends {
		t.Run(signal, func(t *testing.T) {
			w, git := newWorldBehind(t)
			w.Publish("blueprints", "web", "v1", blueprint())
			w.Apply(configMap("eu", map[string]string{"api": "eu"}))
			c := w.start()
			var names []string
			for i := range each.moments {
				names = append(names, fmt.Sprintf("web-%d", i))
			}
			for i, name := range names {
				c = w.endOnce(git, moment{c, each.end, isCreate, each.moments[i]}, newVariant(name))
				w.target(name)
				if signal == "SIGTERM" {
					w.expectGraceful(name, isCreate)
				}
				if n := proxy.Count(w.proxy.Requests(), isHeardCreate); n > 2 {
					t.Errorf("%s: Porch was asked for a draft %d times, want at most once more", name, n)
				}
			}
			w.readAnew("edge")
			w.quiet(c)
			for _, name := range names {
				w.expectOneDraft(name, newVariant(name))
			}
		})
	}
}

// moment is when a controller is ended, and how.
type moment struct {
	controller *controller.Process
	end        func(*controller.Process)
	call       func(proxy.Request) bool
	after      time.Duration
}

// endOnce applies a variant, ends the controller at that moment of the first such call that follows, and returns
// another running controller. Porch's answer to a call comes after the controller has ended.
func (w *world) endOnce(git *gitServer, m moment, pv *v1alpha1.PackageVariant) *controller.Process {
	w.t.Helper()
	var once sync.Once
	hit := make(chan string, 1)
	end := func(when string) {
		once.Do(func() {
			hit <- when
			m.end(m.controller)
		})
	}
	w.proxy.Reset()
	w.proxy.HandleInside(func(r proxy.Request) (time.Duration, bool) { return m.after, m.call(r) })
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		switch {
		case !m.call(r):
		case phase != proxy.Before:
			end(string(phase))
		case m.after == pushed:
			git.pushed.Store(new(func() {
				end("Pushed")
				time.Sleep(letGo) // a controller that waits for its calls does not end before this call does
			}))
		}
		return nil
	})
	w.Apply(pv)
	select {
	case when := <-hit:
		w.t.Logf("%s: ended in the phase %s of the call, by %s", pv.Name, when, m.after)
	case <-time.After(w.Timeout):
		w.t.Fatalf("%s: there was no such call", pv.Name)
	}
	select {
	case <-m.controller.Ended():
	case <-time.After(w.Timeout):
		w.t.Fatalf("%s: the controller did not end", pv.Name)
	}
	w.proxy.Handle(nil)
	w.proxy.HandleInside(nil)
	return w.start()
}

// letGo is the longest time until Porch knows that its client has gone.
const letGo = 300 * time.Millisecond

// expectGraceful fails the test unless all such calls were answered: a controller that is asked to end finishes what it
// has begun.
func (w *world) expectGraceful(name string, call func(proxy.Request) bool) {
	w.t.Helper()
	if n := proxy.Count(w.proxy.Requests(), func(r proxy.Request) bool { return call(r) && r.Status == 0 }); n > 0 {
		w.t.Errorf("%s: asked to end, the controller broke off a call", name)
	}
}

// expectOneDraft fails the test unless the variant has one draft, which is its own, and as it asks for.
func (w *world) expectOneDraft(name string, pv *v1alpha1.PackageVariant) {
	w.t.Helper()
	var drafts, published []string
	w.Eventually(name+" has a draft", func() (err error) {
		drafts, published, err = w.listDrafts(name)
		if err == nil && len(drafts) == 0 {
			err = fmt.Errorf("there is none beside %v", published)
		}
		return err
	})
	if len(drafts) != 1 {
		w.t.Errorf("%s has the drafts %v beside %v, want one", name, drafts, published)
		return
	}
	draft := w.Revision(drafts[0])
	w.waitOwner(draft.Name, name)
	if number, _ := pv.Spec.Upstream.Revision.Number(); draft.Status.UpstreamLock.Git.Ref != fmt.Sprintf("web/v%d",
		number) {
		w.t.Errorf("%s is of %s, want web/v%d", draft.Name, draft.Status.UpstreamLock.Git.Ref, number)
	}
	files := w.Files(draft.Name)
	if !strings.Contains(files["region.yaml"], "api: eu\n") {
		w.t.Errorf("%s is not injected:\n%s", draft.Name, files["region.yaml"])
	}
	for key, value := range pv.Spec.PackageContext.Data {
		if !strings.Contains(files["package-context.yaml"], key+": "+value+"\n") {
			w.t.Errorf("%s has no %s in its context:\n%s", draft.Name, key, files["package-context.yaml"])
		}
	}
}
