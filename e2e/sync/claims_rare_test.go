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
	rare(t)
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

// expectNoPackageWrite fails the test if Porch was asked to change a package since the proxy was reset.
func (w *world) expectNoPackageWrite() {
	w.t.Helper()
	for _, r := range w.proxy.Requests() {
		if isPackageWrite(r) {
			w.t.Errorf("Porch was asked for %s", r)
		}
	}
}
