// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Indexes of the cached PackageVariants.
const (
	ownersIndex = "set"      // by the UID in their label, and the names of their owners
	madeIndex   = "madeFrom" // by the package that they are made from, if a set may have selected it
)

// AddIndexes adds the indexes of variants that reconciles of sets ask for. It must be called once per cache.
func AddIndexes(indexer client.FieldIndexer) error {
	for name, values := range map[string]client.IndexerFunc{ownersIndex: owners, madeIndex: madeFrom} {
		if err := indexer.IndexField(context.Background(), &v1alpha1.PackageVariant{}, name, values); err != nil {
			return fmt.Errorf("cannot index PackageVariants by %s: %w", name, err)
		}
	}
	return nil
}

// madeFrom returns the value of a variant in madeIndex.
func madeFrom(o client.Object) []string {
	pv, ok := o.(*v1alpha1.PackageVariant)
	if !ok || pv.Spec.Upstream == nil {
		return nil
	}
	return []string{expansion.MadeFrom(pv.Spec.Upstream).String()}
}

// owners returns the values of a variant in the index: a UID and names, which never look alike.
func owners(o client.Object) []string {
	values := []string{"uid/" + o.GetLabels()[v1alpha2.OwnerLabel]}
	for _, ref := range o.GetOwnerReferences() {
		if isSet(ref) {
			values = append(values, "name/"+ref.Name)
		}
	}
	return values
}

// ownedBy returns the variants that are a set's.
func (r *Reconciler) ownedBy(ctx context.Context, namespace string, o owner) ([]v1alpha1.PackageVariant, error) {
	var out []v1alpha1.PackageVariant
	known := map[string]bool{}
	for _, value := range []string{"uid/" + string(o.uid), "name/" + o.name} {
		var list v1alpha1.PackageVariantList
		err := r.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy,
			client.MatchingFields{ownersIndex: value})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if pv := &list.Items[i]; !known[pv.Name] && o.owns(pv) {
				known[pv.Name] = true
				out = append(out, *pv)
			}
		}
	}
	return out, nil
}

// digest identifies all that a plan depends on: the set, the versions of what it is expanded over, and of its variants
// what a plan asks, which is not their status. So the many events of a new fleet cause no expansion.
func digest(version string, set *v1alpha2.PackageVariantSet, versions []string,
	owned []v1alpha1.PackageVariant) string {
	lines := slices.Clone(versions)
	for i := range owned {
		pv := &owned[i]
		line := fmt.Sprint(pv.UID, " ", pv.Generation, " ", pv.DeletionTimestamp.IsZero(), " ",
			pv.Labels[v1alpha2.OwnerLabel])
		for _, ref := range pv.OwnerReferences {
			line += " " + ref.Kind + " " + ref.Name + " " + string(ref.UID)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines) // caches have no order
	h := sha256.New()
	_, _ = fmt.Fprintln(h, version, set.UID, set.Generation, len(versions)) // a hash never fails
	for _, line := range lines {
		_, _ = fmt.Fprintln(h, line)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
