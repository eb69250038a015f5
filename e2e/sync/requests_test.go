// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"slices"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
)

// TestRequests holds what the life of a package costs: nothing is asked twice. Porch is asked what revisions there are
// only before one is made, and a draft that it has just made by an upgrade is not read, for it gets the files of our own
// merge.
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

	// It may see a draft proposed, or only published: by each, it reads what is in it, and reports.
	w.proxy.Reset()
	w.publish(draft)
	w.quiet(c)
	one := []string{"get packagerevisionresources", "patch packagevariants/status"}
	got := w.work(func(proxy.Request) bool { return true })
	slices.Sort(got)
	if twice := slices.Sorted(slices.Values(slices.Concat(one, one))); !slices.Equal(got, one) && !slices.Equal(got, twice) {
		t.Errorf("a draft is published: %q, want %q, once or twice", got, one)
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
	}
	if w.stack.Cache() == stack.DBCache { // its commit, once for all variants, too
		want = append(want, "get packagerevisions")
	}
	want = append(want,
		// The announcement of the draft, and that it is ready.
		"patch packagevariants/status", "patch packagevariants/status",
		"update packagerevisionresources",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an upstream is published (-want +got):\n%s", diff)
	}
}
