// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"

	"github.com/package-variants/package-variants/sync-controller/internal/packagevariantset"
	"k8s.io/apimachinery/pkg/types"
)

// recordDeleted notes which variants go with a set that is deleted.
func (p *planner) recordDeleted(ctx context.Context, s *setRecord) error {
	names := p.Deleted[s.key]
	if len(names) == 0 {
		return nil
	}
	s.looks = append(s.looks, &packagevariantset.Look{Deleted: names})
	for _, name := range names {
		if err := p.record(ctx, types.NamespacedName{Namespace: s.key.Namespace, Name: name}, s.key.Name, ""); err != nil {
			return err
		}
	}
	return nil
}

// isDeleted reports whether a variant was deleted and is gone, as nothing keeps it: the controller does nothing then.
func (r *record) isDeleted() bool { return r.after == nil && len(r.looks) == 0 && r.err == nil }
