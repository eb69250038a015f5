// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/home"
)

// adopts reports whether a variant takes over what exists.
func adopts(pv *v1alpha1.PackageVariant) bool {
	return pv.DeletionTimestamp == nil && pv.Spec.Downstream != nil && !pv.Spec.Suspend &&
		pv.Spec.AdoptionPolicy == variant.AdoptionPolicyAdoptExisting
}

// claim has variants that adopt what exists take over what the branch has of their packages, as the first published
// revision, if nothing of it was published.
func (s *syncer) claim(ctx context.Context, variants []v1alpha1.PackageVariant) error {
	var claims []home.Claim
	for i := range variants {
		if pv := &variants[i]; adopts(pv) {
			claims = append(claims, home.Claim{Namespace: pv.Namespace, Package: revision.DownstreamOf(&pv.Spec),
				Owner: revision.Owner{Name: pv.Name, UID: pv.UID}})
		}
	}
	claimed, err := s.home.Claim(ctx, claims)
	s.happened.add(claimed...)
	return err
}

// Home returns the packages of the fleet.
func (f *Fleet) Home() packages.Lister { return f.home }

// BranchesOf returns the branches of a draft.
func (f *Fleet) BranchesOf(r *revision.Revision) home.Branches { return f.home.BranchesOf(r) }

// Copy returns the package in a directory of a clone, as a copy of another package. Its Repository has to be one of the
// fleet.
func (f *Fleet) Copy(ctx context.Context, namespace, dir string, of revision.Package) (*adopt.Copy, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%w: name the directory of a package in a clone", err)
	}
	d, err := locate(ctx, dir)
	if err = errors.Join(err, d.close()); err != nil {
		return nil, err
	}
	if d.remote == "" {
		return nil, fmt.Errorf("%s is in no git repository with a remote: name the directory of a package in a clone", dir)
	}
	all, err := f.store.Repositories(ctx, namespace)
	if err != nil {
		return nil, err
	}
	c := &adopt.Copy{Namespace: namespace, Upstream: of, OnBranch: true}
	var known []string
	repositories, longest := map[string]revision.Repository{}, -1
	for i := range all {
		r := &all[i].Repository
		repositories[all[i].Name] = *r
		remote := f.home.Remote(namespace, all[i].Name)
		known = append(known, fmt.Sprintf("%s (%s of %s)", all[i].Name, r.Root(), git.Shown(remote)))
		if all[i].Name == of.Repo {
			c.Repository = *r
		}
		pkg, in := strings.CutPrefix("/"+d.path, r.Root())
		if in && revision.Canonical(remote) == revision.Canonical(d.remote) &&
			len(r.Root()) > longest {
			longest, c.Deployment, c.Package = len(r.Root()), r.Deployment, revision.Package{Repo: all[i].Name, Name: pkg}
		}
	}
	slices.Sort(known)
	switch list := strings.Join(known, ", "); {
	case c.Repository.Address == "":
		return nil, fmt.Errorf("the fleet has no Repository %s, which --upstream names: it has %s", of.Repo, list)
	case longest < 0:
		return nil, fmt.Errorf("%s is the directory /%s of %s, and in none of the Repositories of the fleet: it has %s", dir,
			d.path, git.Shown(d.remote), list)
	}
	c.In(repositories)
	return c, nil
}

// CopiesOf returns the packages of the variants of a set that do not say yet what they are copies of.
func (f *Fleet) CopiesOf(ctx context.Context, namespace, set string) (copies []*adopt.Copy, err error) {
	of, err := f.OfSet(ctx, namespace, set)
	if err != nil {
		return nil, err
	}
	all, err := f.store.Repositories(ctx, namespace)
	if err != nil {
		return nil, err
	}
	repositories := map[string]revision.Repository{}
	for i := range all {
		repositories[all[i].Name] = all[i].Repository
	}
	for i := range of.Variants {
		spec := &of.Variants[i].Spec
		c := &adopt.Copy{Namespace: namespace, Package: revision.DownstreamOf(spec), OnBranch: true}
		c.Upstream = revision.Package{Repo: spec.Upstream.Repo, Name: spec.Upstream.Package}
		c.Repository, c.Deployment = repositories[c.Upstream.Repo], repositories[c.Package.Repo].Deployment
		main := slices.IndexFunc(of.Revisions, func(r revision.Revision) bool { return r.Main() && r.Package == c.Package })
		if main < 0 {
			continue
		}
		files, err := of.Files(of.Revisions[main].Name)
		if err != nil {
			return nil, err
		}
		if kpt.LockOf(files) == nil {
			c.In(repositories)
			copies = append(copies, c)
		}
	}
	if len(copies) == 0 {
		err = fmt.Errorf("each of the %s of set %s says what it is a copy of, or has no Kptfile: write one; if the set is "+
			"new, run variants sync first", words.Count(len(of.Variants), "package"), set)
	}
	return copies, err
}
