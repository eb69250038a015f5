// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestCycleBehindMissing checks that a cycle is found behind a dependency that does not exist, and that no variant of
// the cycle then keeps another one from being deleted.
func TestCycleBehindMissing(t *testing.T) {
	t.Parallel()
	all := variantsOf{by: map[string]*v1alpha1.PackageVariant{}}
	for name, dependency := range map[string]string{"a": "b", "b": "a"} {
		all.by[name] = &v1alpha1.PackageVariant{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec:       variant.Spec{DependsOn: []variant.Dependency{{Name: "missing"}, {Name: dependency}}},
			Status:     v1alpha1.PackageVariantStatus{OwnedRevisions: []string{"edge." + name + ".packagevariant-1"}},
		}
	}
	r := New(Ports{Variants: all}, Options{})
	for _, pv := range all.by {
		seen := &observation{pv: pv, Input: decide.Input{
			Observed: decide.Observed{Variant: decide.Variant{Spec: &pv.Spec}}}}
		if err := r.observeDependencies(t.Context(), seen); err != nil {
			t.Fatal(err)
		}
		other := map[string]string{"a": "b", "b": "a"}[pv.Name]
		if diff := cmp.Diff([]string{pv.Name, other, pv.Name}, seen.Cycle); diff != "" {
			t.Errorf("cycle of %s, -want +got:\n%s", pv.Name, diff)
		}
		seen.Deleting = true
		if err := r.observeDependents(t.Context(), seen); err != nil {
			t.Fatal(err)
		}
		if len(seen.Dependents) > 0 {
			t.Errorf("%s waits for %v", pv.Name, seen.Dependents)
		}
	}
}

// variantsOf are variants by their names. They are found only as dependencies.
type variantsOf struct {
	objects.Variants
	by map[string]*v1alpha1.PackageVariant
}

func (v variantsOf) Variant(_ context.Context, _, name string) (*v1alpha1.PackageVariant, error) {
	return v.by[name], nil
}

func (v variantsOf) Find(_ context.Context, _ string, by objects.Index, value string) ([]v1alpha1.PackageVariant,
	error) {
	var found []v1alpha1.PackageVariant
	for _, pv := range v.by {
		if by == objects.ByDependency && slices.ContainsFunc(pv.Spec.DependsOn, func(d variant.Dependency) bool { return d.Name == value }) {
			found = append(found, *pv)
		}
	}
	return found, nil
}
