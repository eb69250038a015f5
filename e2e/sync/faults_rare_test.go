// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lifeSet is a set whose variant is published by its policy, and that another set replaces later.
const lifeSet = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositories: [{name: edge, packageNames: [web]}]
    template:
      approvalPolicy: Automatic
      packageContext: {data: {region: eu}}
`

// writes are all kinds of writes that the controllers make in a life.
var writes = []string{
	"create packagerevisions", "create packagevariants", "delete packagerevisions", "delete packagevariants",
	"patch packagerevisions", "patch packagerevisions/approval", "patch packagevariants", "patch packagevariants/status",
	"patch packagevariantsets/status", "update packagerevisionresources",
}

// kindOf returns the kind of a request, as in writes.
func kindOf(r proxy.Request) string {
	return strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/")
}

// fault fails the first requests of each kind of writes.
type fault struct {
	phase proxy.Phase
	// fails returns the status of a request that fails, and may hold it before.
	fails func(proxy.Request) *metav1.Status
	// args are further arguments of the controller.
	args []string

	mu  sync.Mutex
	hit map[string]int // by the kind
}

// failures is how many requests of each kind fail.
const failures = 2

// handle is the hook of the proxy.
func (f *fault) handle(r proxy.Request, phase proxy.Phase) *metav1.Status {
	kind := kindOf(r)
	if phase != f.phase || !slices.Contains(writes, kind) || phase == proxy.After && r.Failed() {
		return nil
	}
	f.mu.Lock()
	f.hit[kind]++
	n := f.hit[kind]
	f.mu.Unlock()
	if n > failures {
		return nil
	}
	return f.fails(r)
}

func resourceOf(r proxy.Request) schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}
}

// faults are the ways in which writes fail.
func faults() map[string]*fault {
	return map[string]*fault{
		"409": {phase: proxy.Before, fails: func(r proxy.Request) *metav1.Status {
			return &apierrors.NewConflict(resourceOf(r), r.Name, fmt.Errorf("somebody else was first")).ErrStatus
		}},
		"429": {phase: proxy.Before, fails: func(proxy.Request) *metav1.Status {
			return &apierrors.NewTooManyRequests("busy", 1).ErrStatus
		}},
		"500": {phase: proxy.Before, fails: func(proxy.Request) *metav1.Status {
			return &apierrors.NewInternalError(fmt.Errorf("boom")).ErrStatus
		}},
		// The write is done, and the client gets no answer.
		"504": {phase: proxy.After, fails: func(proxy.Request) *metav1.Status {
			return &apierrors.NewTimeoutError("no answer", 0).ErrStatus
		}},
	}
}

// TestRefusedWrites has the first writes of each kind fail, in each way. The end is the same as without failures: there
// is no second draft, what people wrote meanwhile stays, and failed writes are not retried in a loop.
func TestRefusedWrites(t *testing.T) {
	rare(t)
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			f.hit = map[string]int{}
			w.proxy.Handle(f.handle)
			if w.unsure = f.phase == proxy.After; w.unsure {
				// Porch writes the Kptfile of a draft without comments when its owner changes; a controller that does
				// not learn of that change does not restore them.
				w.only = "edge.other."
			}
			w.live(func() { w.start(f.args...) })
			f.mu.Lock()
			defer f.mu.Unlock()
			if diff := cmp.Diff(writes, slices.Sorted(maps.Keys(f.hit))); diff != "" {
				t.Errorf("the kinds of writes (-want +got):\n%s", diff)
			}
			w.expectNoLoop()
		})
	}
}

// TestCacheBehind delays all caches by some seconds: longer than the controller waits to see its own writes.
func TestCacheBehind(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.proxy.SetLag(func(proxy.Request) time.Duration { return 4 * time.Second })
	w.live(func() { w.start() })
	w.expectNoLoop()
}

// live takes variants through all that the controller does for them, with people who write to the same objects, and
// checks the outcome. start starts the controller.
func (w *world) live(start func()) {
	w.t.Helper()
	w.Timeout = unanswered
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newSet(w.t, lifeSet), newVariant("shop", contextOnly, tag("latest"), func(s *variant.Spec) {
		s.DeletionPolicy = variant.DeletionPolicyOrphan
	}), newVariant("gone", contextOnly, tag("latest")))
	start()
	w.target("shop")
	w.target("gone")
	w.waitPublished("web", 1)

	w.editVariant("shop")
	w.WriteFiles("edge.shop.packagevariant-1", mine)
	w.Publish("blueprints", "web", "v2", settingsB("3"))
	w.waitFile("edge.shop.packagevariant-1", "settings.yaml", `b: "3"`)
	w.waitFile("edge.shop.packagevariant-1", "package-context.yaml", "zone: a")
	w.waitPublished("web", 2)
	w.target("shop")
	w.expectEdited("shop")
	if text := w.Files("edge.shop.packagevariant-1")["notes.md"]; text != mine["notes.md"] {
		w.t.Errorf("what a person wrote into the draft is %q", text)
	}

	w.Apply(newSet(w.t, strings.Replace(lifeSet, "packageNames: [web]", "packageNames: [other]", 1)))
	w.Delete(w.Variant("shop"))
	w.Delete(w.Variant("gone"))
	w.waitGone("shop")
	w.waitGone("gone")
	w.waitPublished("other", 1)
	w.waitState("web", map[string]state{"packagevariant-1": {isDeletion, 0}, "packagevariant-2": {isDeletion, 0}})
	w.waitState("shop", map[string]state{"packagevariant-1": {isDraft, 0}})
	w.waitState("gone", map[string]state{})
	made := proxy.Count(w.proxy.Requests(), func(r proxy.Request) bool {
		return kindOf(r) == "create packagerevisions" && r.Status == http.StatusCreated
	})
	if made > 5 { // a draft whose answer is lost is not counted
		w.t.Errorf("Porch made %d drafts, want web's two, shop's, gone's and other's", made)
	}
}

// editVariant changes the spec, the labels and the annotations of a variant, as a person does who read it earlier.
func (w *world) editVariant(name string) {
	w.t.Helper()
	pv := newVariant(name, contextOnly, tag("latest"), zone, func(s *variant.Spec) {
		s.DeletionPolicy = variant.DeletionPolicyOrphan
	})
	pv.Labels, pv.Annotations = map[string]string{"team": "a"}, map[string]string{"note": "mine"}
	w.Apply(pv)
}

// expectEdited fails the test unless all of editVariant is there.
func (w *world) expectEdited(name string) {
	w.t.Helper()
	pv := w.Variant(name)
	if pv.Labels["team"] != "a" || pv.Annotations["note"] != "mine" || pv.Spec.PackageContext.Data["zone"] != "a" {
		w.t.Errorf("a person's edit of %s is lost: %v, %v, %+v", name, pv.Labels, pv.Annotations, pv.Spec.PackageContext)
	}
	if !slices.Contains(pv.Finalizers, v1alpha1.Finalizer) {
		w.t.Errorf("%s has the finalizers %v", name, pv.Finalizers)
	}
}

// waitPublished waits until a package has so many revisions, all of them published. If the controller got no answer
// after Porch had made or proposed a draft, it does not approve it, whatever the policy, because a person may have
// edited it: a person approves it instead.
func (w *world) waitPublished(pkg string, revisions int) {
	w.t.Helper()
	want := map[string]state{}
	for i := range revisions {
		want[fmt.Sprintf("packagevariant-%d", i+1)] = state{isPublished, 1}
	}
	w.Eventually(fmt.Sprintf("%s is published %d times", pkg, revisions), func() error {
		if err := w.approveIfAsked(fmt.Sprintf("edge.%s.packagevariant-%d", pkg, revisions)); err != nil {
			return err
		}
		return w.areStates(pkg, want)
	})
}

// approveIfAsked publishes a draft, as a person does, if the controller may not know that it made the draft, and a
// variant waits for a person.
func (w *world) approveIfAsked(draft string) error {
	w.t.Helper()
	if !w.unsure {
		return nil
	}
	if asked, err := w.awaitsPerson(draft); err != nil || !asked {
		return err
	}
	r, err := w.GetRevision(draft)
	if err != nil || r.Spec.Lifecycle == isPublished {
		return err
	}
	if r.Spec.Lifecycle == isDraft {
		w.Propose(draft)
	}
	w.Approve(draft)
	return nil
}

// awaitsPerson reports whether a variant that is ready waits for a person to publish a draft.
func (w *world) awaitsPerson(draft string) (bool, error) {
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Items, func(pv v1alpha1.PackageVariant) bool {
		c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionApproved)
		return c != nil && c.Reason == v1alpha1.ReasonEditedByOthers && strings.Contains(c.Message, draft+" ") &&
			meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady)
	}), nil
}

// waitState waits until these are the revisions of a downstream package.
func (w *world) waitState(pkg string, want map[string]state) {
	w.t.Helper()
	w.Eventually("the revisions of "+pkg+" are as wanted", func() error {
		return w.areStates(pkg, want)
	})
}

// mostRequests is the most requests of one kind about one object in a life in which each kind fails twice: far fewer
// than a loop makes in a second.
const mostRequests = 40

// expectNoLoop fails the test if any request was repeated in a loop.
func (w *world) expectNoLoop() {
	w.t.Helper()
	counts := map[string]int{}
	for _, r := range w.proxy.Requests() {
		if r.Resource != "" && r.Verb != "watch" && r.Verb != "list" && !proxy.IsBookkeeping(r) {
			counts[kindOf(r)+" "+r.Name]++
		}
	}
	for what, n := range counts {
		if n > mostRequests {
			w.t.Errorf("%d times: %s", n, what)
		}
	}
}
