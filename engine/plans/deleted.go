// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"

	"github.com/package-variants/package-variants/engine/sets"
	"k8s.io/apimachinery/pkg/types"
)

// recordSet starts the record of a set. If the set is deleted, it also records the variants that go with it.
func (p *planner) recordSet(ctx context.Context, key types.NamespacedName) error {
	if p.setRecords[key] != nil {
		return nil
	}
	s := &setRecord{key: key}
	p.setRecords[key] = s
	set, err := p.world.Objects.Set(ctx, key.Namespace, key.Name)
	if err != nil {
		return err
	}
	if set != nil {
		s.before = set.Status.Conditions
	}
	names := p.Deleted[key]
	if len(names) == 0 {
		return nil
	}
	s.looks = append(s.looks, &sets.Look{Deleted: names})
	for _, name := range names {
		if err := p.record(ctx, types.NamespacedName{Namespace: key.Namespace, Name: name}, key.Name, ""); err != nil {
			return err
		}
	}
	return nil
}

// isDeleted reports whether a variant was deleted and is gone because no finalizer held it, so the controller did
// nothing.
func (r *record) isDeleted() bool { return r.after == nil && len(r.looks) == 0 && r.err == nil }
