// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
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

// kindOf returns the verb and the resource of a request.
func kindOf(r proxy.Request) string {
	return strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/")
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

// waitPublished waits until a package has so many revisions, all of them published.
func (w *world) waitPublished(pkg string, revisions int) {
	w.t.Helper()
	want := map[string]state{}
	for i := range revisions {
		want[fmt.Sprintf("packagevariant-%d", i+1)] = state{isPublished, 1}
	}
	w.waitState(pkg, want)
}

// waitState waits until these are the revisions of a downstream package.
func (w *world) waitState(pkg string, want map[string]state) {
	w.t.Helper()
	w.Eventually("the revisions of "+pkg+" are as wanted", func() error {
		return w.areStates(pkg, want)
	})
}

// mostRequests is the most requests of one kind about one object: far fewer than a loop makes in a second.
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
