// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// snapshot is all that was read for one variant.
type snapshot struct {
	pv *v1alpha1.PackageVariant
	in decide.Input
	// owned are the revisions that the variant owns, in whatever package.
	owned []revision.Revision
	// interests are the objects that the variant may inject, versions their versions.
	interests []objects.Interest
	versions  []string
	// created is the name of the draft that this reconcile made, if it did.
	created string
	// contents are the contents of targets, by name, and what the functions make of them.
	contents map[string]evaluated
}

// evaluated is the content of a revision and what the functions make of it.
type evaluated struct {
	content porch.Content
	outcome mutate.Outcome
}

func (s *snapshot) key() types.NamespacedName {
	return types.NamespacedName{Namespace: s.pv.Namespace, Name: s.pv.Name}
}

// downstream is the package that the variant makes. The spec must be valid.
func (s *snapshot) downstream() revision.Package {
	return revision.DownstreamOf(s.in.Spec)
}

// repository is the Repository that the variant works in; the zero value if the spec does not say.
func (s *snapshot) repository() types.NamespacedName {
	if s.in.Spec.Downstream == nil {
		return types.NamespacedName{Namespace: s.pv.Namespace}
	}
	return types.NamespacedName{Namespace: s.pv.Namespace, Name: s.in.Spec.Downstream.Repo}
}

// gather reads what the caches know.
func (r *Reconciler) gather(ctx context.Context, pv *v1alpha1.PackageVariant) (*snapshot, error) {
	s := &snapshot{pv: pv, contents: map[string]evaluated{}}
	s.in = decide.Input{
		Spec: &pv.Spec, Owner: revision.Owner{Name: pv.Name, UID: pv.UID},
		Repositories: map[string]decide.Repository{}, Mutations: map[string]decide.Mutation{},
	}
	var err error
	if s.owned, err = r.cached(ctx, pv.Namespace, porch.OwnerIndex, pv.Name); err != nil {
		return nil, err
	}
	if pv.Spec.Validate() != nil {
		return s, nil
	}
	revisions, err := r.cached(ctx, pv.Namespace, porch.PackageIndex, s.downstream().String())
	if err != nil {
		return nil, err
	}
	r.setRevisions(s, revisions)
	for _, name := range []string{pv.Spec.Upstream.Repo, pv.Spec.Downstream.Repo} {
		if err := r.gatherRepository(ctx, s, name); err != nil {
			return nil, err
		}
	}
	if err := r.gatherUpstream(ctx, s); err != nil {
		return nil, err
	}
	s.versions = r.objectVersions(s.key())
	return s, r.gatherRival(ctx, s)
}

// setRevisions sets the revisions of the downstream package, and which of them the variant is known to have made: those
// that the status names, and one that it has asked Porch to make.
func (r *Reconciler) setRevisions(s *snapshot, revisions []revision.Revision) {
	attempted := r.memos.attempt(s.key(), s.downstream())
	s.in.Revisions, s.in.Known = revisions, map[string]bool{}
	for _, target := range s.pv.Status.DownstreamTargets {
		s.in.Known[target.Name] = true
	}
	for i := range revisions {
		if revisions[i].Workspace == attempted {
			s.in.Known[revisions[i].Name] = true
		}
	}
}

// cached returns the revisions that the cache has under a value of one of the indexes of package porch, in the order of
// their names.
func (r *Reconciler) cached(ctx context.Context, namespace, index, value string) ([]revision.Revision, error) {
	var list porchapi.PackageRevisionList
	err := r.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy, client.MatchingFields{index: value})
	if err != nil {
		return nil, err
	}
	out := make([]revision.Revision, len(list.Items))
	for i := range list.Items {
		out[i] = revision.From(&list.Items[i])
	}
	slices.SortFunc(out, revision.ByName)
	return out, nil
}

func (r *Reconciler) gatherRepository(ctx context.Context, s *snapshot, name string) error {
	var repository configapi.Repository
	err := r.client.Get(ctx, client.ObjectKey{Namespace: s.pv.Namespace, Name: name}, &repository)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.in.Repositories[name] = readiness(&repository)
	return nil
}

// readiness returns what a Repository says of itself.
func readiness(repository *configapi.Repository) decide.Repository {
	known := decide.Repository{Message: "Porch has not read it yet"}
	if repository.Spec.Git != nil {
		known.Address = repository.Spec.Git.Repo
	}
	condition := meta.FindStatusCondition(repository.Status.Conditions, configapi.RepositoryReady)
	if condition != nil {
		known.Ready, known.Message = condition.Status == "True", condition.Message
	}
	return known
}

// gatherUpstream finds the upstream revision.
func (r *Reconciler) gatherUpstream(ctx context.Context, s *snapshot) error {
	u := s.pv.Spec.Upstream
	revisions, err := r.cached(ctx, s.pv.Namespace, porch.PackageIndex, revision.UpstreamOf(u).String())
	if err != nil {
		return err
	}
	s.in.Bases = revisions
	if s.in.Upstream = findUpstream(u, revisions); s.in.Upstream == nil {
		return nil
	}
	return r.gatherBases(ctx, s)
}

// findUpstream returns the revision that an upstream means. One that names the main branch, or nothing, which in Porch
// is the same, means the newest published revision: Porch puts each that is published on the branch. Only of a package
// without any it means the branch itself.
func findUpstream(u *variant.Upstream, revisions []revision.Revision) *revision.Revision {
	branch := *u
	if number, _ := u.Revision.Number(); u.WorkspaceName == "" && (u.Revision.IsZero() || number < 0) {
		branch.Revision = variant.RevisionNumber(-1)
		if latest := revision.LatestPublished(revisions); latest != nil {
			return latest
		}
	}
	found := expansion.FindUpstream(&branch, revision.ForExpansion(revisions))
	if found == nil {
		return nil
	}
	return &revisions[slices.IndexFunc(revisions, func(r revision.Revision) bool { return r.Name == found.Name })]
}

// gatherBases looks further where a target was derived from a package that is not the upstream any more.
func (r *Reconciler) gatherBases(ctx context.Context, s *snapshot) error {
	for _, target := range decide.Targets(&s.in) {
		if target.Lock == nil || decide.OnUpstream(&s.in, &target) || decide.Base(&s.in, &target) != nil {
			continue
		}
		bases, err := r.cached(ctx, s.pv.Namespace, porch.CommitIndex, target.Lock.Commit)
		if err != nil {
			return err
		}
		s.in.Bases = append(s.in.Bases, bases...)
	}
	return nil
}

// gatherRival finds the variant that has a better claim to the downstream package.
func (r *Reconciler) gatherRival(ctx context.Context, s *snapshot) error {
	var list v1alpha1.PackageVariantList
	err := r.client.List(ctx, &list, client.InNamespace(s.pv.Namespace), client.UnsafeDisableDeepCopy,
		client.MatchingFields{downstreamIndex: s.downstream().String()})
	if err != nil {
		return err
	}
	var claims []decide.Claim
	for i := range list.Items {
		pv := &list.Items[i]
		if !pv.DeletionTimestamp.IsZero() && pv.Name != s.pv.Name {
			continue
		}
		claims = append(claims, decide.Claim{
			Name: pv.Name, Since: pv.CreationTimestamp.Unix(),
			Owns: slices.ContainsFunc(s.in.Revisions, func(r revision.Revision) bool {
				owned, _ := r.Of(revision.Owner{Name: pv.Name})
				return owned
			}),
		})
	}
	if winner := decide.Winner(claims); winner.Name != s.pv.Name {
		s.in.Rival = winner.Name
	}
	return nil
}
