// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"cmp"
	"context"
	"slices"

	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/repolock"
	"k8s.io/apimachinery/pkg/types"
)

// turns implements reconcile.Turns; see repolock.Locks.Take. Where Porch keeps drafts in git, a place is a git address,
// whichever Repositories are over it, and one variant at a time has it. Else it is a Repository, and most variants have
// it.
type turns struct {
	locks    *repolock.Locks
	variants objects.Variants
	most     int
}

// Take implements reconcile.Turns.
func (t *turns) Take(ctx context.Context, variant types.NamespacedName, repositories []string, inParts bool) (bool,
	error) {
	var places []string
	for _, name := range repositories {
		place := variant.Namespace + "/" + name
		if !inParts {
			repository, err := t.variants.Repository(ctx, variant.Namespace, name)
			if err != nil {
				return false, err
			}
			if repository != nil {
				place = cmp.Or(revision.Canonical(repository.Address), place)
			}
		}
		places = append(places, place)
	}
	slices.Sort(places)
	writers := 1
	if inParts {
		writers = t.most
	}
	return t.locks.Take(variant, writers, slices.Compact(places)...), nil
}

// Release implements reconcile.Turns.
func (t *turns) Release(variant types.NamespacedName) { t.locks.Release(variant) }
