// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestWavesOf checks that a variant is in the wave of its package, for the upstream that it is made from.
func TestWavesOf(t *testing.T) {
	t.Parallel()
	web, app := revision.Package{Repo: "blueprints", Name: "web"}, revision.Package{Repo: "blueprints", Name: "app"}
	edge := revision.Package{Repo: "edge", Name: "web"}
	waves := Waves{{web, edge}: "canary"}
	pv := func(upstream revision.Package) *v1alpha1.PackageVariant {
		return &v1alpha1.PackageVariant{Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: upstream.Repo, Package: upstream.Name},
			Downstream: &variant.Downstream{Repo: edge.Repo, Package: edge.Name}}}
	}
	for name, c := range map[string]struct {
		pv   *v1alpha1.PackageVariant
		want string
	}{
		"in the wave": {pv(web), "canary"}, "of another upstream": {pv(app), ""}, "without a spec": {&v1alpha1.PackageVariant{}, ""},
	} {
		if got := waves.Of(c.pv); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
