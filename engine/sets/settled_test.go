// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDigest checks which changes of a set's variants cause another expansion: not their status, nor their order.
func TestDigest(t *testing.T) {
	t.Parallel()
	of := func(change func(set *v1alpha2.PackageVariantSet, variants []v1alpha1.PackageVariant,
		seen *expansion.Snapshot)) string {
		set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{UID: "uid-1", Generation: 1}}
		variants := []v1alpha1.PackageVariant{ownVariant("web-a", "a"), ownVariant("web-b", "b")}
		variants[0].UID, variants[1].UID = "a", "b"
		seen := &expansion.Snapshot{
			Repositories:     []expansion.Object{{Name: "a", Labels: map[string]string{"env": "prod"}}},
			PackageRevisions: []expansion.PackageRevision{{Object: expansion.Object{Name: "blueprints.web.v1"}}},
			Objects:          map[expansion.GroupKind][]expansion.Object{{Kind: "Team"}: {{Name: "x"}}, {Kind: "Site"}: nil},
		}
		change(set, variants, seen)
		return digest("v1", set, seen, variants)
	}
	type (
		set      = *v1alpha2.PackageVariantSet
		variants = []v1alpha1.PackageVariant
		snapshot = *expansion.Snapshot
	)
	same := of(func(set, variants, snapshot) {})
	for name, c := range map[string]struct {
		change func(set, variants, snapshot)
		differ bool
	}{
		"status": {func(_ set, v variants, _ snapshot) { v[0].Status.Conditions = []metav1.Condition{{Type: "Ready"}} },
			false},
		"order":       {func(_ set, v variants, _ snapshot) { v[0], v[1] = v[1], v[0] }, false},
		"set":         {func(s set, _ variants, _ snapshot) { s.Generation++ }, true},
		"another set": {func(s set, _ variants, _ snapshot) { s.UID = "uid-2" }, true},
		"repository":  {func(_ set, _ variants, s snapshot) { s.Repositories[0].Labels["env"] = "test" }, true},
		"revision":    {func(_ set, _ variants, s snapshot) { s.PackageRevisions[0].Published = true }, true},
		"object":      {func(_ set, _ variants, s snapshot) { s.Objects[expansion.GroupKind{Kind: "Team"}][0].Name = "y" }, true},
		"its kind":    {func(_ set, _ variants, s snapshot) { delete(s.Objects, expansion.GroupKind{Kind: "Site"}) }, true},
		"spec":        {func(_ set, v variants, _ snapshot) { v[0].Generation++ }, true},
		"variant":     {func(_ set, v variants, _ snapshot) { v[0].UID = "c" }, true},
		"label":       {func(_ set, v variants, _ snapshot) { delete(v[1].Labels, v1alpha2.OwnerLabel) }, true},
		"owner":       {func(_ set, v variants, _ snapshot) { v[1].OwnerReferences[0].UID = "uid-2" }, true},
		"deletion":    {func(_ set, v variants, _ snapshot) { now := metav1.Now(); v[0].DeletionTimestamp = &now }, true},
	} {
		if got := of(c.change) != same; got != c.differ {
			t.Errorf("%s: the digest differs: %v", name, got)
		}
	}
}
