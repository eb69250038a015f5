// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// owned are variants that sets own, by the keys of those sets.
type owned map[types.NamespacedName][]string

// add adds a variant if a set owns it.
func (o owned) add(pv *v1alpha1.PackageVariant) {
	for _, ref := range pv.OwnerReferences {
		if ref.Kind == live.Set.Name && strings.HasPrefix(ref.APIVersion, live.Set.Group()+"/") {
			set := types.NamespacedName{Namespace: pv.Namespace, Name: ref.Name}
			o[set] = append(o[set], pv.Name)
			return
		}
	}
}

// respecified returns the variants of sets to which manifests give another spec. The world must be as it was read.
func respecified(ctx context.Context, w *memory.World, manifests []snapshot.Object) (owned, error) {
	out := owned{}
	for _, m := range manifests {
		after, is := m.Object.(*v1alpha1.PackageVariant)
		if !is {
			continue
		}
		var before v1alpha1.PackageVariant
		err := w.Get(ctx, client.ObjectKeyFromObject(after), &before)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, err
		case !equality.Semantic.DeepEqual(before.Spec, after.Spec):
			out.add(&before)
		}
	}
	return out, nil
}

// notes says what the sets do about changes of their variants. Sets that are deleted, suspended or missing do nothing.
func (o owned) notes(ctx context.Context, w *memory.World, deleted []types.NamespacedName, what string) ([]string,
	error) {
	var names []string
	for key, variants := range o {
		var set v1alpha2.PackageVariantSet
		err := w.Get(ctx, key, &set)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, err
		case !set.Spec.Suspend && !slices.Contains(deleted, key):
			for _, name := range variants {
				names = append(names, fmt.Sprintf("%s (of %s)", name, key.Name))
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	slices.Sort(names)
	return []string{"A set owns these PackageVariants, and " + what + ": change the set instead: " +
		words.First(names, maxSome, ", ")}, nil
}
