// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// ownedBy returns the variants that are a set's.
func (r *Reconciler) ownedBy(ctx context.Context, set *v1alpha2.PackageVariantSet) ([]v1alpha1.PackageVariant, error) {
	var out []v1alpha1.PackageVariant
	known := map[string]bool{}
	for _, value := range objects.SetKeys(set) {
		found, err := r.Sets.Find(ctx, set.Namespace, objects.BySet, value)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if pv := &found[i]; !known[pv.Name] && ownerOf(set).owns(pv) {
				known[pv.Name] = true
				out = append(out, *pv)
			}
		}
	}
	return out, nil
}

// digest identifies all that a plan depends on: the set, what it is expanded over, and of its variants what a plan
// asks, which is not their status. So the many events of a new fleet cause no expansion.
func digest(version string, set *v1alpha2.PackageVariantSet, s *expansion.Snapshot,
	owned []v1alpha1.PackageVariant) string {
	h := sha256.New()
	write := json.NewEncoder(h)
	encode := func(value any) { _ = write.Encode(value) } // these values have a JSON, and a hash never fails
	encode([]any{version, set.UID, set.Generation, s.PackageRevisions, s.Repositories})
	for _, kind := range slices.SortedFunc(maps.Keys(s.Objects), func(a, b expansion.GroupKind) int {
		return cmp.Or(cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind))
	}) {
		encode([]any{kind, s.Objects[kind]})
	}
	var lines []string
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
	encode(lines)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
