// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// observe reads what the caches know. It makes no request, except for the first objects of a kind to inject.
func (r *Reconciler) observe(ctx context.Context, pv *v1alpha1.PackageVariant) (*observation, error) {
	o := &observation{pv: pv, progress: r.progresses.of(pv)}
	o.Variant = decide.Variant{Spec: &pv.Spec, Owner: revision.Owner{Name: pv.Name, UID: pv.UID},
		SuspendReason: suspendReason(pv), Deleting: !pv.DeletionTimestamp.IsZero(), Finalizer: hasFinalizer(pv),
		Cascade: slices.Contains(pv.Finalizers, metav1.FinalizerOrphanDependents)}
	o.Memory = remember(&pv.Status, o.progress)
	o.Repositories = map[string]revision.Repository{}
	for _, read := range []func(context.Context, *observation) error{
		r.observeRepositories, r.observeDownstream, r.observeOwnedInOtherPackages, r.observeUpstream, r.observeClaims,
		r.observeNeighbors, r.observeDependencies, r.observeDependents, r.observeObjects,
	} {
		if err := read(ctx, o); err != nil {
			return nil, err
		}
	}
	o.readBefore()
	return o, nil
}

func (r *Reconciler) observeDownstream(ctx context.Context, o *observation) (err error) {
	if o.Spec.Downstream == nil {
		return nil
	}
	pkg := revision.DownstreamOf(o.Spec)
	o.Revisions, err = r.Known.Find(ctx, o.pv.Namespace, packages.ByPackage, pkg.String())
	o.Revisions = o.progress.withOwnWrites(o.Revisions, pkg)
	return err
}

// observeOwnedInOtherPackages finds the revisions of other packages that the variant owns, or that its status says it
// owned, without those that somebody took from another variant.
func (r *Reconciler) observeOwnedInOtherPackages(ctx context.Context, o *observation) error {
	owned, err := r.Known.Find(ctx, o.pv.Namespace, packages.ByOwner, o.pv.Name)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for i := range o.Revisions {
		found[o.Revisions[i].Name] = true
	}
	owned = o.progress.withOwnWrites(owned, revision.Package{})
	for i := range owned {
		if found[owned[i].Name] {
			continue
		}
		others, err := r.knownToOthers(ctx, o, &owned[i])
		if err != nil {
			return err
		}
		if !others {
			o.OwnedInOtherPackages = append(o.OwnedInOtherPackages, owned[i])
			found[owned[i].Name] = true
		}
	}
	for _, name := range o.pv.Status.OwnedRevisions {
		if found[name] {
			continue
		}
		rev, err := r.Known.Named(ctx, o.pv.Namespace, name)
		if err == nil {
			o.OwnedInOtherPackages = append(o.OwnedInOtherPackages, rev)
		} else if !errors.Is(err, packages.ErrAbsent) {
			return err
		}
	}
	slices.SortFunc(o.OwnedInOtherPackages, revision.ByName)
	return nil
}

// knownToOthers reports whether another variant, of the revision's package, made or adopted it.
func (r *Reconciler) knownToOthers(ctx context.Context, o *observation, rev *revision.Revision) (bool, error) {
	variants, err := r.Variants.Find(ctx, rev.Namespace, objects.ByDownstream, rev.Package.String())
	return slices.ContainsFunc(variants, func(pv v1alpha1.PackageVariant) bool {
		return pv.Name != o.pv.Name && slices.Contains(pv.Status.OwnedRevisions, rev.Name)
	}), err
}

// observeUpstream finds the upstream revision among those that the cache has.
func (r *Reconciler) observeUpstream(ctx context.Context, o *observation) error {
	u := o.Spec.Upstream
	if u == nil {
		return nil
	}
	revisions, err := r.Known.Find(ctx, o.pv.Namespace, packages.ByPackage, revision.UpstreamOf(u).String())
	if err != nil {
		return err
	}
	return r.resolveUpstream(ctx, o, revisions)
}

// resolveUpstream finds the upstream revision among those of its package, and the revisions that the targets may have
// been derived from.
func (r *Reconciler) resolveUpstream(ctx context.Context, o *observation, revisions []revision.Revision) error {
	if err := r.affected().locate(ctx, revisions); err != nil {
		return err
	}
	o.Upstream, o.Bases, o.Missing = nil, revisions, revision.Missing{}
	if i := o.Spec.Upstream.Resolve(revision.Candidates(revisions)); i >= 0 {
		o.Upstream = &revisions[i]
	} else {
		var err error
		if o.Missing, err = packages.MissingIn(ctx, r.Known, o.pv.Namespace, o.Spec.Upstream); err != nil {
			return err
		}
	}
	o.learnCommit()
	return r.observeBases(ctx, o)
}

// learnCommit takes the commit of the upstream that Porch has told by a draft.
func (o *observation) learnCommit() {
	if told := o.progress.upstream; o.Upstream != nil && told.name == o.Upstream.Name && o.Upstream.Commit == "" {
		o.Upstream.Commit = told.commit
	}
}

// observeBases adds the bases of targets that were derived from a package that is not the upstream any more.
func (r *Reconciler) observeBases(ctx context.Context, o *observation) error {
	if o.Spec.Downstream == nil || o.Upstream == nil {
		return nil
	}
	for _, target := range decide.Targets(&o.Input) {
		if target.Lock == nil || decide.OnUpstream(&o.Input, &target) || decide.Base(&o.Input, &target) != nil {
			continue
		}
		bases, err := r.affected().named(ctx, o.pv.Namespace, target.Lock)
		if err != nil {
			return err
		}
		o.Bases = append(o.Bases, bases...)
	}
	return nil
}

// observeObjects watches the objects that the status says are injected, and notes their versions.
func (r *Reconciler) observeObjects(ctx context.Context, o *observation) error {
	references := references(o.pv)
	if err := r.Injected.Use(ctx, o.key(), references); err != nil {
		return err
	}
	o.objects = r.versions(references)
	return nil
}

// observeUnlisted asks the home for each revision that the status names and the cache does not have, and adds those
// that exist: the home leaves revisions that it fails to read out of its lists.
func (r *Reconciler) observeUnlisted(ctx context.Context, o *observation) error {
	if err := r.observeUnlistedUpstream(ctx, o); err != nil {
		return err
	}
	d := o.Spec.Downstream
	if d == nil || !o.Repositories[d.Repo].Ready ||
		!o.Deleting && decide.Guard(&o.Input) != nil && !decide.Unlisted(&o.Input) {
		return nil
	}
	o.lookedUp = true
	if o.Deleting {
		if err := r.observeDisposed(ctx, o); err != nil {
			return err
		}
	}
	names, before := slices.Clone(o.pv.Status.OwnedRevisions), len(o.Revisions)
	if asked := o.Requested.Name; asked != "" && !slices.Contains(names, asked) {
		names = append(names, asked)
	}
	for _, name := range names {
		if err := r.observeNamed(ctx, o, name); err != nil {
			return err
		}
	}
	if len(o.Revisions) == before {
		return nil
	}
	slices.SortFunc(o.Revisions, revision.ByName)
	return r.observeBases(ctx, o)
}

// observeNamed asks the home for a revision, unless the cache has it, and adds it if it exists.
func (r *Reconciler) observeNamed(ctx context.Context, o *observation, name string) error {
	if slices.ContainsFunc(slices.Concat(o.Revisions, o.OwnedInOtherPackages),
		func(r revision.Revision) bool { return r.Name == name }) {
		return nil
	}
	unlisted, err := r.Packages.Get(ctx, o.pv.Namespace, name)
	switch {
	case err == nil && unlisted.Package == revision.DownstreamOf(o.Spec):
		o.Revisions = append(o.Revisions, unlisted)
	case err == nil:
		o.OwnedInOtherPackages = append(o.OwnedInOtherPackages, unlisted)
	}
	return ignoreAbsent(err)
}

// observeDisposed reads the revisions that a deletion disposes of as they are now. The cache may have an earlier
// lifecycle: a home may send no event for some changes, and a deletion names what it has just read.
func (r *Reconciler) observeDisposed(ctx context.Context, o *observation) error {
	for _, revisions := range []*[]revision.Revision{&o.Revisions, &o.OwnedInOtherPackages} {
		var now []revision.Revision
		for _, seen := range *revisions {
			current, err := r.Packages.Get(ctx, o.pv.Namespace, seen.Name)
			if err == nil {
				now = append(now, current)
			} else if !errors.Is(err, packages.ErrAbsent) {
				return err
			}
		}
		*revisions = now
	}
	return nil
}

// observeUnlistedUpstream does so for the upstream: without it, the variant would follow an earlier revision, or none.
func (r *Reconciler) observeUnlistedUpstream(ctx context.Context, o *observation) error {
	u, known := o.Spec.Upstream, o.pv.Status.Upstream
	if o.Deleting || u == nil || known == nil || !o.Repositories[u.Repo].Ready ||
		slices.ContainsFunc(o.Bases, func(r revision.Revision) bool { return r.Name == known.Name }) {
		return nil
	}
	unlisted, err := r.Packages.Get(ctx, o.pv.Namespace, known.Name)
	if err != nil || unlisted.Package != revision.UpstreamOf(u) {
		return ignoreAbsent(err)
	}
	revisions, err := r.Known.Find(ctx, o.pv.Namespace, packages.ByPackage, unlisted.Package.String())
	if err != nil {
		return err
	}
	revisions = append(revisions, unlisted)
	slices.SortFunc(revisions, revision.ByName)
	return r.resolveUpstream(ctx, o, revisions)
}
