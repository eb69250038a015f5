// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// addRevisions adds to the view the package revisions that decide on the upstreams of a set: all of the packages that
// it names, or those that it selects from.
func (r *Reconciler) addRevisions(ctx context.Context, set *v1alpha2.PackageVariantSet, v *view) error {
	if set.Spec.UpstreamSelector != nil {
		return r.addCandidates(ctx, set, v)
	}
	seen := map[revision.Package]bool{}
	for _, u := range expansion.NamedUpstreams(set, specPath) {
		pkg := revision.UpstreamOf(u.Upstream)
		if seen[pkg] {
			continue
		}
		seen[pkg] = true
		found, err := r.Known.Find(ctx, set.Namespace, packages.ByPackage, pkg.String())
		if err != nil {
			return err
		}
		for i := range found {
			v.PackageRevisions = append(v.PackageRevisions, found[i].ForExpansion())
		}
	}
	return nil
}

// addCandidates adds to the view the package revisions that a set selects, and the names of all packages of which any
// revision is published. Drafts are left out, so the many drafts of a new fleet cause no expansion.
func (r *Reconciler) addCandidates(ctx context.Context, set *v1alpha2.PackageVariantSet, v *view) error {
	v.packages = map[expansion.PackageName]bool{}
	selects := expansion.Candidates(set)
	all, err := r.Known.Find(ctx, set.Namespace, packages.All, "")
	if err != nil {
		return err
	}
	for i := range all {
		pr := all[i].ForExpansion()
		if pr.IsNumbered() {
			v.packages[packageOf(&pr)] = true
		}
		if selects(&pr) {
			v.PackageRevisions = append(v.PackageRevisions, pr)
		}
	}
	return nil
}

// addUnlisted asks the home for the revision that a rollout brings if the cache does not have it, and adds it to the
// view if it exists: the home leaves revisions that it fails to read out of its lists, and the rollout would begin
// again with an earlier one.
func (r *Reconciler) addUnlisted(ctx context.Context, set *v1alpha2.PackageVariantSet, v *view) error {
	status := set.Status.Rollout
	if set.Spec.Rollout == nil || set.Spec.UpstreamSelector != nil || status == nil || status.Revision.Revision < 1 ||
		slices.ContainsFunc(v.PackageRevisions,
			func(pr expansion.PackageRevision) bool { return pr.Name == status.Revision.Name }) {
		return nil
	}
	rev, err := r.Packages.Get(ctx, set.Namespace, status.Revision.Name)
	if errors.Is(err, packages.ErrAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	v.PackageRevisions = append(v.PackageRevisions, rev.ForExpansion())
	return nil
}

func packageOf(pr *expansion.PackageRevision) expansion.PackageName {
	return expansion.PackageName{Repo: pr.Repo, Package: pr.Package}
}

// lostUpstream reports a package that is gone while a set that selects its upstreams still has variants of it.
func (r *Reconciler) lostUpstream(ctx context.Context, set *v1alpha2.PackageVariantSet, v *view,
	owned []v1alpha1.PackageVariant) error {
	var made []expansion.Made
	for i := range owned {
		if u := owned[i].Spec.Upstream; u != nil && owned[i].DeletionTimestamp.IsZero() {
			made = append(made, expansion.Made{Name: owned[i].Name, Upstream: expansion.MadeFrom(u)})
		}
	}
	slices.SortFunc(made, func(a, b expansion.Made) int { return cmp.Compare(a.Name, b.Name) })
	lost, problem := expansion.LostUpstream(set, specPath, made,
		func(name expansion.PackageName) bool { return v.packages[name] })
	if problem == nil {
		return nil
	}
	if _, err := r.repository(ctx, set, lost.Repo, specPath+".upstreamSelector"); err != nil {
		return err
	}
	return stalled(v1alpha1.ReasonUpstreamNotFound, problem.Error())
}

// checkUpstreams returns why the upstreams of a set cannot be found.
func (r *Reconciler) checkUpstreams(ctx context.Context, set *v1alpha2.PackageVariantSet,
	s *expansion.Snapshot) error {
	for _, u := range expansion.NamedUpstreams(set, specPath) {
		repository, err := r.repository(ctx, set, u.Repo, u.Path+".repo")
		if err != nil {
			return err
		}
		if expansion.FindUpstream(u.Upstream, s.PackageRevisions) == nil {
			missing, err := packages.MissingIn(ctx, r.Known, set.Namespace, u.Upstream)
			if err != nil {
				return err
			}
			return stalled(v1alpha1.ReasonUpstreamNotFound,
				missing.Of(u.Upstream, " in this namespace", u.Path, repository.Branch))
		}
	}
	if sel := set.Spec.UpstreamSelector; sel != nil && sel.Repo != "" {
		_, err := r.repository(ctx, set, sel.Repo, specPath+".upstreamSelector.repo")
		return err
	}
	return nil
}

// repository returns the Repository that a field names. The error says why its packages cannot be found.
func (r *Reconciler) repository(ctx context.Context, set *v1alpha2.PackageVariantSet, name, field string) (
	*objects.Repository, error) {
	repository, err := r.Sets.Repository(ctx, set.Namespace, name)
	switch {
	case err != nil:
		return nil, err
	case repository == nil:
		return nil, stalled(v1alpha1.ReasonRepositoryNotFound,
			fmt.Sprintf("there is no Repository %q in this namespace: register it, or correct %s", name, field))
	case repository.Migrated:
		return nil, &problem{Condition: decide.Migrated(repository.Name)}
	}
	return repository, nil
}

// takesFrom reports whether a set may take an upstream from a Repository.
func takesFrom(set *v1alpha2.PackageVariantSet, repository string) bool {
	if sel := set.Spec.UpstreamSelector; sel != nil {
		return sel.Repo == "" || sel.Repo == repository
	}
	return slices.ContainsFunc(expansion.NamedUpstreams(set, specPath),
		func(u expansion.NamedUpstream) bool { return u.Repo == repository })
}
