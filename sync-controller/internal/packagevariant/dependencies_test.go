// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestCycleBehindMissing checks that a cycle is found behind a dependency that does not exist, and that no variant of
// the cycle then keeps another one from being deleted.
func TestCycleBehindMissing(t *testing.T) {
	t.Parallel()
	c := newCluster(t, true)
	for name, dependency := range map[string]string{"a": "b", "b": "a"} {
		c.Must(c.Add(&v1alpha1.PackageVariant{
			ObjectMeta: memorytest.Meta(name),
			Spec: variant.Spec{
				Upstream:   &variant.Upstream{Repo: "blueprints", Package: name, Revision: variant.RevisionNumber(1)},
				Downstream: &variant.Downstream{Repo: "edge", Package: name},
				DependsOn:  []variant.Dependency{{Name: "missing"}, {Name: dependency}},
			},
			Status: v1alpha1.PackageVariantStatus{OwnedRevisions: []string{"edge." + name + ".packagevariant-1"}},
		}))
	}
	for _, pv := range c.variants() {
		seen, err := c.reconciler.observe(t.Context(), &pv)
		c.Must(err)
		other := map[string]string{"a": "b", "b": "a"}[pv.Name]
		if diff := cmp.Diff([]string{pv.Name, other, pv.Name}, seen.Cycle); diff != "" {
			t.Errorf("cycle of %s, -want +got:\n%s", pv.Name, diff)
		}
		pv.DeletionTimestamp = new(metav1.Now())
		seen, err = c.reconciler.observe(t.Context(), &pv)
		c.Must(err)
		if len(seen.Dependents) > 0 {
			t.Errorf("%s waits for %v", pv.Name, seen.Dependents)
		}
	}
}
