// SPDX-License-Identifier: Apache-2.0

package live

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestHasWave checks the errors for waves that a set does not have.
func TestHasWave(t *testing.T) {
	t.Parallel()
	set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Name: "fleet"}}
	if err := hasWave(set, "canary"); err == nil || err.Error() !=
		`the PackageVariantSet "fleet" has no rollout, and so no waves: leave out --wave` {
		t.Errorf("without a rollout: %v", err)
	}
	set.Spec.Rollout = &v1alpha2.Rollout{}
	set.Status.Rollout = &v1alpha2.RolloutStatus{Waves: []v1alpha2.WaveStatus{{Name: "canary"}, {Name: "rest"}}}
	for wave, want := range map[string]string{
		"canary": "", "rest": "",
		"canry":  `the rollout of the PackageVariantSet "fleet" has no wave "canry": did you mean "canary"?`,
		"europe": `the rollout of the PackageVariantSet "fleet" has no wave "europe": it has canary, rest`,
	} {
		got := ""
		if err := hasWave(set, wave); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", wave, got, want)
		}
	}
}

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
