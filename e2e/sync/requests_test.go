// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"slices"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
)

// TestRequests checks what the life of a package costs: no request is made twice. The controller lists revisions only
// before it makes one, and does not read a draft that Porch has just made by an upgrade, because the files of our own
// merge replace it.
func TestRequests(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", func(s *variant.Spec) {
		s.Upstream.Revision = variant.Revision{Str: "latest"}
		s.PackageContext = &variant.PackageContext{Data: map[string]string{"region": "eu"}}
	}))
	c := w.start()
	draft := w.target("web")
	w.quiet(c)

	// It may see a draft proposed, or only published: each time it reads the content and reports. Porch may publish the
	// draft meanwhile, with the DB cache file by file, so that it reads the draft again.
	w.proxy.Reset()
	w.publish(draft)
	w.quiet(c)
	one := []string{"get packagerevisionresources", "patch packagevariants/status"}
	got := w.work(func(proxy.Request) bool { return true })
	slices.Sort(got)
	allowed := [][]string{one, slices.Concat(one, one)}
	again := []string{"get packagerevisions", "get packagerevisionresources"}
	for range 3 {
		for _, a := range allowed[len(allowed)-2:] {
			allowed = append(allowed, slices.Concat(a, again))
		}
	}
	if !slices.ContainsFunc(allowed, func(a []string) bool { return slices.Equal(got, slices.Sorted(slices.Values(a))) }) {
		t.Errorf("a draft is published: %q, want one of %q", got, allowed)
	}

	w.proxy.Reset()
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.quiet(c)
	got = w.work(func(proxy.Request) bool { return true })
	slices.Sort(got)
	want := []string{
		"create packagerevisions",
		// The package, and once for all variants the new revision of the blueprint.
		"get packagerevisionresources", "get packagerevisionresources",
		// The announcement of the draft, and that it is ready.
		"patch packagevariants/status", "patch packagevariants/status",
		"update packagerevisionresources",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an upstream is published (-want +got):\n%s", diff)
	}
}
