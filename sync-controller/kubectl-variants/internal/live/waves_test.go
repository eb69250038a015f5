// SPDX-License-Identifier: Apache-2.0

package live

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha2"
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
