// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isPackageWrite reports whether a request changes a package.
func isPackageWrite(r proxy.Request) bool {
	return proxy.IsWrite(r) && (r.Resource == "packagerevisions" || r.Resource == "packagerevisionresources")
}

// theirs makes a variant web with a published revision and a draft that people have edited, and returns how to check
// that both are as they were.
func (w *world) theirs(c *controller.Process) (untouched func(when string)) {
	w.t.Helper()
	w.Apply(newVariant("web", contextOnly))
	w.publish(w.target("web"))
	w.seesPublished("web")
	w.Apply(newVariant("web", contextOnly, zone))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.edit("edge.web.packagevariant-2", `a: "1"`, `a: "mine"`)
	w.quiet(c)
	files := w.Files("edge.web.packagevariant-2")
	owners := w.Revision("edge.web.packagevariant-2").OwnerReferences
	return func(when string) {
		w.t.Helper()
		w.quiet(c)
		w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}, "packagevariant-2": {isDraft, 1}})
		if diff := cmp.Diff(files, w.Files("edge.web.packagevariant-2")); diff != "" {
			w.t.Errorf("%s: the draft's files (-before +after):\n%s", when, diff)
		}
		for _, name := range []string{"edge.web.packagevariant-1", "edge.web.packagevariant-2"} {
			if diff := cmp.Diff(owners, w.Revision(name).OwnerReferences); diff != "" {
				w.t.Errorf("%s: the owners of %s (-before +after):\n%s", when, name, diff)
			}
		}
		w.waitTarget("web", "edge.web.packagevariant-2")
	}
}

// TestClaimsOfMany has hundreds of variants, and one of a set, claim the package of another variant, or packages in it,
// and ask to adopt and to publish what exists. Nothing of it is theirs, nothing is written while nothing changes, and
// the owner's package is changed as before. Their deletion leaves the package alone.
func TestClaimsOfMany(t *testing.T) {
	const claimants = 300
	w := newWorld(t)
	w.Timeout = 3 * time.Minute
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	c := w.start()
	untouched := w.theirs(c)
	w.proxy.Reset()
	var all []*v1alpha1.PackageVariant
	for i := range claimants {
		pkg := "web"
		if i%3 == 0 {
			pkg = fmt.Sprintf("web/in-%d", i)
		}
		all = append(all, newVariant(fmt.Sprintf("claims-%d", i), plain, downstream(pkg), adopt, automatic))
		w.Fleet.Apply(all[i])
	}
	w.Fleet.Apply(newSet(t, setOver("[{name: edge, packageNames: [web]}]")))
	for _, pv := range all {
		w.claimedBy(pv.Name, `"web"`)
	}
	w.claimedBy(expansion.Name("fleet", "edge", "web"), `"web"`)
	untouched("claimed")
	w.expectNoPackageWrite()

	evaluations := c.Metric(evaluationsMetric, nil)
	w.proxy.Reset()
	w.readAnew("edge")
	w.quiet(c)
	w.expectSilence(c, evaluations)

	w.proxy.Reset()
	w.Fleet.Apply(newVariant("web", contextOnly, func(s *variant.Spec) { s.PackageContext.Data["zone"] = "b" }))
	w.waitFile("edge.web.packagevariant-2", "package-context.yaml", "zone: b")
	w.waitSettings("edge.web.packagevariant-2", `a: "mine"`)
	w.quiet(c)
	w.proxy.Reset()
	for _, pv := range all {
		w.Fleet.Delete(pv)
	}
	for _, pv := range all {
		w.waitGone(pv.Name)
	}
	w.quiet(c)
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}, "packagevariant-2": {isDraft, 1}})
	w.expectNoPackageWrite()
	w.Ready("web")
}

// TestSwappedController has a person make another variant the controller of a variant's published revision and of its
// draft. Neither is written or removed, the variant says that they are not its own, and takes them back when the person
// removes the owner.
func TestSwappedController(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	c := w.start()
	untouched := w.theirs(c)
	w.Apply(newVariant("thief", plain))
	forged := w.Revision(w.target("thief")).OwnerReferences
	give := func(owners []metav1.OwnerReference) {
		for _, name := range []string{"edge.web.packagevariant-1", "edge.web.packagevariant-2"} {
			w.changeMeta(name, func(r *porchapi.PackageRevision) { r.OwnerReferences = owners })
		}
	}
	w.quiet(c)
	w.proxy.Reset()
	give(forged)
	w.WaitReason("web", "DownstreamExists")
	w.quiet(c)
	w.Ready("thief")
	w.expectNoPackageWrite()
	give(nil)
	w.target("web")
	untouched("given back")
}

// expectNoPackageWrite fails the test if Porch was asked to change a package since the proxy was reset.
func (w *world) expectNoPackageWrite() {
	w.t.Helper()
	for _, r := range w.proxy.Requests() {
		if isPackageWrite(r) {
			w.t.Errorf("Porch was asked for %s", r)
		}
	}
}

// TestForgedStatus has a person write into the status of a variant that it made the package of another one.
func TestForgedStatus(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	c := w.start()
	untouched := w.theirs(c)
	w.Apply(newVariant("thief", plain))
	w.target("thief")
	w.Apply(newVariant("rival", plain, downstream("web"), adopt, automatic))
	w.claimedBy("rival", "web")
	w.quiet(c)
	w.proxy.Reset()
	for _, name := range []string{"thief", "rival"} {
		from := w.Variant("web").Status
		pv := w.Variant(name)
		pv.Status.OwnedRevisions = append(pv.Status.OwnedRevisions, from.OwnedRevisions...)
		pv.Status.DownstreamTargets, pv.Status.Downstream, pv.Status.LastDraft = from.DownstreamTargets, from.Downstream,
			from.LastDraft
		pv.Status.SavedDraft, pv.Status.ObservedInputs = from.SavedDraft, ""
		if err := w.Client.Status().Update(t.Context(), pv); err != nil {
			t.Fatal(err)
		}
	}
	untouched("forged")
	w.target("thief")
	w.claimedBy("rival", "web")
	w.expectNoPackageWrite()
}
