// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"slices"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Doubts says what makes a plan over a snapshot unreliable: statuses older than their specs, and manifests whose
// Repositories are not in the snapshot, as if they were for another cluster. The world must be as it was read.
func Doubts(ctx context.Context, w *memory.World, manifests []snapshot.Object, namespace string) ([]string, error) {
	var repositories configapi.RepositoryList
	var variants v1alpha1.PackageVariantList
	var sets v1alpha2.PackageVariantSetList
	if err := errors.Join(w.List(ctx, &repositories, client.InNamespace(namespace)),
		w.List(ctx, &variants, client.InNamespace(namespace)),
		w.List(ctx, &sets, client.InNamespace(namespace))); err != nil {
		return nil, err
	}
	var doubts []string
	if old := older(variants.Items, sets.Items); len(old) > 0 {
		doubts = append(doubts, fmt.Sprintf("The snapshot has the statuses of %s from before the controller looked at their "+
			"newest specs, so the plan has what it does about those, too: write a new snapshot to leave that out",
			words.First(old, maxSome, ", ")))
	}
	if wanted := repositoriesOf(manifests); len(wanted) > 0 && !slices.ContainsFunc(repositories.Items,
		func(r configapi.Repository) bool { return slices.Contains(wanted, r.Name) }) {
		doubts = append(doubts, fmt.Sprintf("The snapshot has none of the Repositories that -f names (%s): it may be of "+
			"another cluster", words.First(wanted, maxSome, ", ")))
	}
	return doubts, nil
}

// older returns the variants and sets whose status is older than their spec.
func older(variants []v1alpha1.PackageVariant, sets []v1alpha2.PackageVariantSet) []string {
	var out []string
	for i := range variants {
		if pv := &variants[i]; pv.Status.ObservedGeneration < pv.Generation {
			out = append(out, pv.Name)
		}
	}
	for i := range sets {
		if set := &sets[i]; set.Status.ObservedGeneration < set.Generation {
			out = append(out, set.Name)
		}
	}
	return out
}

// maxSome is the most names in a sentence.
const maxSome = 10

// repositoriesOf returns the Repositories that manifests define or use as upstreams, sorted.
func repositoriesOf(manifests []snapshot.Object) []string {
	var names []string
	for _, m := range manifests {
		switch o := m.Object.(type) {
		case *v1alpha1.PackageVariant:
			if o.Spec.Upstream != nil {
				names = append(names, o.Spec.Upstream.Repo)
			}
		case *v1alpha2.PackageVariantSet:
			if o.Spec.Upstream != nil {
				names = append(names, o.Spec.Upstream.Repo)
			}
		case *configapi.Repository:
			names = append(names, o.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
