// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// specPath is where the spec stands in messages.
	specPath = "spec"
)

// problem is what keeps a set from being expanded until an event tells of a change.
type problem struct{ v1alpha1.Condition }

// Error returns the message for the user.
func (p *problem) Error() string { return p.Message }

func stalled(reason, message string) *problem {
	return &problem{Condition: v1alpha1.Stalled(reason, strings.ReplaceAll(message, "\n", "; "))}
}

// gather reads what the caches know, and expands the set over it. An error is a *problem, or to be tried again.
func (r *Reconciler) gather(ctx context.Context, set *v1alpha2.PackageVariantSet) (*input, error) {
	if err := expansion.Validate(set, specPath); err != nil {
		return nil, stalled(v1alpha1.ReasonInvalidSpec, err.Error())
	}
	s, versions, err := r.snapshot(ctx, set)
	if err != nil {
		return nil, err
	}
	in := &input{owner: ownerOf(set), allowEmpty: set.Spec.AllowEmpty}
	if in.existing, err = r.ownedBy(ctx, set.Namespace, in.owner); err != nil {
		return nil, err
	}
	in.digest = digest(r.version, set, versions, in.existing)
	if set.Status.ObservedInputs == in.digest {
		in.settled, in.desired = true, int(set.Status.Desired)
		return in, nil
	}
	if in.wanted, in.notes, err = r.variants(ctx, set, s); err != nil {
		return nil, err
	}
	in.desired = len(in.wanted)
	return in, r.addNamesakes(ctx, set.Namespace, in)
}

// addNamesakes adds to the existing variants those of others that have the names of wanted ones.
func (r *Reconciler) addNamesakes(ctx context.Context, namespace string, in *input) error {
	known := make(map[string]bool, len(in.existing))
	for i := range in.existing {
		known[in.existing[i].Name] = true
	}
	for i := range in.wanted {
		if known[in.wanted[i].Name] {
			continue
		}
		var pv v1alpha1.PackageVariant
		err := r.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: in.wanted[i].Name}, &pv)
		if err == nil {
			in.existing = append(in.existing, pv)
		} else if !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// variants expands the set, and tells what only the spec or the upstream can heal from what other objects can.
func (r *Reconciler) variants(ctx context.Context, set *v1alpha2.PackageVariantSet,
	s *expansion.Snapshot) ([]v1alpha1.PackageVariant, []string, error) {
	var repository configapi.Repository
	err := r.client.Get(ctx, client.ObjectKey{Namespace: set.Namespace, Name: set.Spec.Upstream.Repo}, &repository)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil, stalled(v1alpha1.ReasonRepositoryNotFound,
			fmt.Sprintf("there is no Repository %q in this namespace: register it, or correct spec.upstream.repo",
				set.Spec.Upstream.Repo))
	case err != nil:
		return nil, nil, err
	case porch.IsMigrated(&repository):
		return nil, nil, &problem{Condition: decide.Migrated(repository.Name)}
	}
	if expansion.FindUpstream(set.Spec.Upstream, s.PackageRevisions) == nil {
		return nil, nil, stalled(v1alpha1.ReasonUpstreamNotFound,
			"there is no "+set.Spec.Upstream.Describe()+" in this namespace: publish it, or correct spec.upstream")
	}
	wanted, notes, err := mutate.Expand(ctx, r.runtime, set, s)
	if _, ofSet := errors.AsType[*expansion.FieldError](err); !ofSet {
		slices.SortFunc(wanted, func(a, b v1alpha1.PackageVariant) int { return cmp.Compare(a.Name, b.Name) })
		return wanted, notes, err
	}
	if err := expansion.Compile(set, specPath); err != nil {
		return nil, nil, stalled(v1alpha1.ReasonInvalidSpec, err.Error())
	}
	return nil, nil, stalled(v1alpha2.ReasonExpansionFailed, err.Error())
}

// snapshot reads what the set is to be expanded over. The labels and annotations are those of the cache, to be read
// only.
func (r *Reconciler) snapshot(ctx context.Context,
	set *v1alpha2.PackageVariantSet) (*expansion.Snapshot, []string, error) {
	var revisions porchapi.PackageRevisionList
	err := r.client.List(ctx, &revisions, client.InNamespace(set.Namespace), client.UnsafeDisableDeepCopy,
		client.MatchingFields{porch.PackageIndex: revision.UpstreamOf(set.Spec.Upstream).String()})
	if err != nil {
		return nil, nil, err
	}
	var repositories configapi.RepositoryList
	if err := r.client.List(ctx, &repositories, client.InNamespace(set.Namespace),
		client.UnsafeDisableDeepCopy); err != nil {
		return nil, nil, err
	}
	s := &expansion.Snapshot{Objects: map[expansion.GroupKind][]expansion.Object{}}
	var versions []string
	for i := range revisions.Items {
		versions = append(versions, objects.Version(&revisions.Items[i]))
		s.PackageRevisions = append(s.PackageRevisions, revisionOf(&revisions.Items[i])...)
	}
	for i := range repositories.Items {
		versions = append(versions, objects.Version(&repositories.Items[i]))
		s.Repositories = append(s.Repositories, objectOf(&repositories.Items[i]))
	}
	byName(s.Repositories)
	of, err := r.selectable(ctx, set, s)
	return s, append(versions, of...), err
}

// selectable adds the objects that the set's object selectors choose from, and watches them from now on.
func (r *Reconciler) selectable(ctx context.Context, set *v1alpha2.PackageVariantSet,
	s *expansion.Snapshot) ([]string, error) {
	var references []objects.Reference
	for _, target := range set.Spec.Targets {
		selector := target.ObjectSelector
		if selector == nil {
			continue
		}
		key := expansion.GroupKind{APIVersion: selector.APIVersion, Kind: selector.Kind}
		if key.APIVersion == configapi.GroupVersion.String() && key.Kind == configapi.TypeRepository.Kind {
			s.Objects[key] = s.Repositories
			continue
		}
		reference := objects.Reference{Kind: objects.Kind{APIVersion: key.APIVersion, Kind: key.Kind,
			Namespace: set.Namespace}}
		if selector.Name != nil {
			reference.Name = *selector.Name
		}
		references = append(references, reference)
	}
	if err := r.watches.Use(ctx, types.NamespacedName{Namespace: set.Namespace, Name: set.Name}, references); err != nil {
		return nil, err
	}
	var versions []string
	for _, reference := range references {
		if err := r.watches.Problem(reference.Kind); err != nil {
			return nil, unreadable(err)
		}
		var found []expansion.Object
		for _, o := range r.watches.Objects(reference.Kind) {
			found = append(found, objectOf(o))
			versions = append(versions, objects.Version(o))
		}
		byName(found)
		s.Objects[expansion.GroupKind{APIVersion: reference.APIVersion, Kind: reference.Kind.Kind}] = found
	}
	return versions, nil
}

// unreadable tells why objects that a selector chooses from cannot be read. The watch tells when they can.
func unreadable(err error) error {
	if unknown, is := errors.AsType[*objects.UnknownKindError](err); is {
		return stalled(v1alpha2.ReasonKindNotFound, unknown.Error())
	}
	if denied, is := errors.AsType[*objects.DeniedError](err); is {
		return stalled(v1alpha2.ReasonPermissionMissing, denied.Error())
	}
	return err
}

func objectOf(o metav1.Object) expansion.Object {
	return expansion.Object{Name: o.GetName(), Namespace: o.GetNamespace(), Labels: o.GetLabels(),
		Annotations: o.GetAnnotations()}
}

// byName puts objects in an order, for caches have none.
func byName(list []expansion.Object) {
	slices.SortFunc(list, func(a, b expansion.Object) int { return cmp.Compare(a.Name, b.Name) })
}
