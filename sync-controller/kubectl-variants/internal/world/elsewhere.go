// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// elsewhere returns the note about the Repositories that manifests point to other packages than those of the world,
// which must be as it was read.
func elsewhere(ctx context.Context, w *memory.World, manifests []snapshot.Object) ([]string, error) {
	var names []string
	for _, m := range manifests {
		after, is := m.Object.(*configapi.Repository)
		if !is || after.Spec.Git == nil && after.Spec.Oci == nil { // the manifest has only some of the fields
			continue
		}
		var before configapi.Repository
		err := w.Get(ctx, client.ObjectKeyFromObject(after), &before)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if placeOf(&before) != placeOf(after) {
			names = append(names, after.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	slices.Sort(names)
	return []string{"These Repositories point elsewhere in -f, and what Porch finds there is not known: the plan takes " +
		"their packages to be as they are: " + strings.Join(slices.Compact(names), ", ")}, nil
}

// place is where the packages of a Repository are.
type place struct{ kind, repo, branch, directory, registry string }

// placeOf returns where the packages of a Repository are, with the defaults of what its spec leaves out.
func placeOf(r *configapi.Repository) place {
	p := place{kind: string(r.Spec.Type)}
	if g := r.Spec.Git; g != nil {
		p.repo, p.branch, p.directory = g.Repo, cmp.Or(g.Branch, "main"), path.Join("/", g.Directory)
	}
	if o := r.Spec.Oci; o != nil {
		p.registry = o.Registry
	}
	return p
}
