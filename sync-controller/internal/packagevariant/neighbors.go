// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// alias is one of the names of a package.
type alias struct {
	namespace string
	pkg       revision.Package
}

// neighborhood is the place of a package, in the names of all Repositories over its git repository.
type neighborhood struct {
	// same are the names of the package, its own first. around are the names of the directories that contain it.
	same, around []alias
	// inside are the names of its directory: every package in it has one of them among its ancestors.
	inside []alias
}

// add adds a name of the package.
func (n *neighborhood) add(a alias) {
	n.same, n.inside = append(n.same, a), append(n.inside, a)
	for _, ancestor := range a.pkg.Ancestors()[1:] {
		n.around = append(n.around, alias{a.namespace, ancestor})
	}
}

// addOthers adds the names that other Repositories over the git repository give to the package's directory, and the
// Repositories that lie inside it.
func (n *neighborhood) addOthers(place string, all []porch.Repository) {
	own := n.same[0]
	for i := range all {
		other := &all[i]
		switch a, below := aliasAt(other, place); {
		case a == own:
		case below:
			n.add(a)
		case strings.HasPrefix(directoryOf(other), place+"/"):
			n.inside = append(n.inside, a)
		}
	}
}

// neighborhood returns the place of a package, by the Repositories in the cache.
func (r *Reconciler) neighborhood(ctx context.Context, namespace string, pkg revision.Package) (neighborhood, error) {
	var n neighborhood
	n.add(alias{namespace, pkg})
	repository, err := porch.GetRepository(ctx, r.client, namespace, pkg.Repo)
	if err != nil || repository.Address == "" {
		return n, client.IgnoreNotFound(err)
	}
	all, err := porch.RepositoriesAt(ctx, r.client, repository.Address)
	n.addOthers(path.Join("/", repository.Directory, pkg.Name), all)
	return n, err
}

// aliasAt returns the name that a Repository gives to the package in a directory of its git repository. If the
// directory is not below the Repository's, it returns false, and the name of the Repository's own directory.
func aliasAt(repository *porch.Repository, place string) (alias, bool) {
	a := alias{repository.Namespace, revision.Package{Repo: repository.Name}}
	name, below := strings.CutPrefix(place, directoryOf(repository))
	if below {
		a.pkg.Name = name
	}
	return a, below
}

// directoryOf returns the directory of a Repository in git, between slashes.
func directoryOf(repository *porch.Repository) string {
	return strings.TrimSuffix(path.Join("/", repository.Directory), "/") + "/"
}

// observePlace finds the place of the downstream package.
func (r *Reconciler) observePlace(ctx context.Context, o *observation) (err error) {
	if o.Spec.Downstream == nil {
		return nil
	}
	o.place, err = r.neighborhood(ctx, o.pv.Namespace, revision.DownstreamOf(o.Spec))
	return err
}

// observeNeighbors finds the packages inside the downstream package, and around it, and the variants that make them.
func (r *Reconciler) observeNeighbors(ctx context.Context, o *observation) error {
	found := neighbors{o: o, own: o.claim(o.pv, o.Revisions), byName: map[string]*decide.Neighbor{}}
	for _, place := range o.place.around {
		if err := r.neighborsAt(ctx, &found, place, porch.PackageIndex, downstreamIndex); err != nil {
			return err
		}
	}
	found.inside = true
	for _, place := range o.place.inside {
		if err := r.neighborsAt(ctx, &found, place, porch.InsideIndex, insideIndex); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found.byName)) {
		o.Neighbors = append(o.Neighbors, *found.byName[name])
	}
	return nil
}

// neighbors are the neighbors that were found for a variant.
type neighbors struct {
	o      *observation
	own    decide.Claim
	inside bool // are those that are being found
	byName map[string]*decide.Neighbor
}

// at returns the neighbor for a package.
func (n *neighbors) at(namespace string, pkg revision.Package) *decide.Neighbor {
	name := pkg.String()
	if namespace != n.o.pv.Namespace {
		name += " in namespace " + namespace
	}
	if n.byName[name] == nil {
		n.byName[name] = &decide.Neighbor{Package: name, Inside: n.inside}
	}
	return n.byName[name]
}

// neighborsAt adds the neighbors at a place, from the indexes of revisions and of variants.
func (r *Reconciler) neighborsAt(ctx context.Context, found *neighbors, place alias, ofRevisions,
	ofVariants string) error {
	revisions, err := r.cached(ctx, place.namespace, ofRevisions, place.pkg.String())
	if err != nil {
		return err
	}
	for _, rev := range revisions {
		n := found.at(place.namespace, rev.Package)
		n.Revisions = append(n.Revisions, rev)
	}
	variants, err := r.indexed(ctx, place.namespace, ofVariants, place.pkg.String())
	if err != nil {
		return err
	}
	best := map[*decide.Neighbor]decide.Claim{}
	for i := range variants {
		pv := &variants[i]
		n := found.at(pv.Namespace, revision.DownstreamOf(&pv.Spec))
		if best[n].Name == "" {
			best[n] = found.own
		}
		if claim := found.o.claim(pv, n.Revisions); pv.DeletionTimestamp.IsZero() &&
			decide.Winner([]decide.Claim{best[n], claim}) == claim {
			n.Variant, best[n] = claim.Name, claim
		}
	}
	return nil
}

// nested returns the variants that make packages inside a package, or around it.
func (r *Reconciler) nested(ctx context.Context, n *neighborhood) []ctrl.Request {
	var requests []ctrl.Request
	for _, place := range n.around {
		requests = append(requests, r.variants(ctx, place.namespace, downstreamIndex, place.pkg.String(), nil)...)
	}
	for _, place := range n.inside {
		requests = append(requests, r.variants(ctx, place.namespace, insideIndex, place.pkg.String(), nil)...)
	}
	return requests
}
