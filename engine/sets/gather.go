// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// specPath is the path of the spec in messages.
const specPath = "spec"

// problem is a reason not to expand a set until an event reports a change.
type problem struct{ v1alpha1.Condition }

// Error returns the message for the user.
func (p *problem) Error() string { return p.Message }

func stalled(reason, message string) *problem {
	return &problem{Condition: v1alpha1.Stalled(reason, strings.ReplaceAll(message, "\n", "; "))}
}

// gather reads from the caches and expands the set over what they have. An error is a *problem, or worth a retry.
func (r *Reconciler) gather(ctx context.Context, set *v1alpha2.PackageVariantSet) (*input, error) {
	if err := expansion.Validate(set, specPath); err != nil {
		return nil, stalled(v1alpha1.ReasonInvalidSpec, err.Error())
	}
	seen, err := r.see(ctx, set)
	if err != nil {
		return nil, err
	}
	in := &input{owner: ownerOf(set), spec: &set.Spec, suspendReason: v1alpha1.SuspendReason(set.Annotations),
		revisions: seen.PackageRevisions}
	if in.existing, err = r.ownedBy(ctx, set); err != nil {
		return nil, err
	}
	if err := r.lostUpstream(ctx, set, seen, in.existing); err != nil {
		return nil, err
	}
	in.digest = digest(r.Version, set, &seen.Snapshot, in.existing)
	if set.Status.ObservedInputs == in.digest && set.Spec.Rollout == nil {
		in.settled, in.desired = true, int(set.Status.Desired)
		return in, nil
	}
	expanded, err := r.expand(ctx, set, &seen.Snapshot)
	if err != nil {
		return nil, err
	}
	in.wanted, in.notes, in.excluded = expanded.Variants, expanded.Notes, expanded.Excluded
	in.empty = expanded.Empty
	in.desired = len(in.wanted) + len(in.excluded)
	return in, r.addNamesakes(ctx, set, in)
}

// addNamesakes adds to the existing variants those of others that have the names of wanted ones. Their events wake the
// set from before they are read, so none is missed.
func (r *Reconciler) addNamesakes(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) error {
	known, lacking := in.names(), map[string]bool{}
	for i := range in.wanted {
		if name := in.wanted[i].Name; known[name] == nil {
			lacking[name] = true
		}
	}
	r.lacking.Store(objects.KeyOf(set), lacking)
	for name := range lacking {
		pv, err := r.Sets.Variant(ctx, set.Namespace, name)
		if err != nil {
			return err
		}
		if pv != nil {
			in.existing = append(in.existing, *pv)
		}
	}
	return nil
}

// Expand returns what a set wants now.
func (r *Reconciler) Expand(ctx context.Context, set *v1alpha2.PackageVariantSet) (*mutate.Expansion, error) {
	seen, err := r.see(ctx, set)
	if err != nil {
		return nil, err
	}
	return r.expand(ctx, set, &seen.Snapshot)
}

// expand expands the set, and separates problems that only the spec or the upstream can fix from those that other
// objects can.
func (r *Reconciler) expand(ctx context.Context, set *v1alpha2.PackageVariantSet, s *expansion.Snapshot) (
	*mutate.Expansion, error) {
	if err := r.checkUpstreams(ctx, set, s); err != nil {
		return nil, err
	}
	var expanded *mutate.Expansion
	var err error
	if canceled := r.Large.DoCalling(ctx, mutate.ExpansionSize(&set.Spec, s), func(ctx context.Context) {
		expanded, err = mutate.Expand(ctx, r.Functions, set, s)
	}); canceled != nil {
		return nil, canceled
	}
	if err == nil {
		slices.SortFunc(expanded.Variants, func(a, b v1alpha1.PackageVariant) int { return cmp.Compare(a.Name, b.Name) })
		return expanded, nil
	}
	if _, ofSet := errors.AsType[*expansion.FieldError](err); !ofSet {
		return nil, err
	}
	if err := expansion.Compile(set, specPath); err != nil {
		return nil, stalled(v1alpha1.ReasonInvalidSpec, err.Error())
	}
	return nil, stalled(v1alpha2.ReasonExpansionFailed, err.Error())
}

// view is what a set is expanded over. The labels and annotations belong to the cache and must not be changed.
type view struct {
	expansion.Snapshot
	// packages are all packages with a published revision, for a set that selects its upstreams.
	packages map[expansion.PackageName]bool
}

// see reads what a set is expanded over.
func (r *Reconciler) see(ctx context.Context, set *v1alpha2.PackageVariantSet) (*view, error) {
	v := &view{Snapshot: expansion.Snapshot{Objects: map[expansion.GroupKind][]expansion.Object{}}}
	if err := r.addRevisions(ctx, set, v); err != nil {
		return nil, err
	}
	if err := r.addUnlisted(ctx, set, v); err != nil {
		return nil, err
	}
	repositories, err := r.Sets.Repositories(ctx, set.Namespace)
	if err != nil {
		return nil, err
	}
	for i := range repositories {
		v.Repositories = append(v.Repositories, objectOf(&repositories[i]))
	}
	byName(v.Repositories)
	return v, r.selectable(ctx, set, &v.Snapshot)
}

// selectable adds the objects that the set's object selectors choose from, and watches them from now on.
func (r *Reconciler) selectable(ctx context.Context, set *v1alpha2.PackageVariantSet,
	s *expansion.Snapshot) error {
	var references []objects.Reference
	for _, target := range set.Spec.Targets {
		selector := target.ObjectSelector
		if selector == nil {
			continue
		}
		key := expansion.GroupKind{APIVersion: selector.APIVersion, Kind: selector.Kind}
		if kind := revision.RepositoryKind; key.APIVersion == kind.GroupVersion().String() && key.Kind == kind.Kind {
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
	if err := r.Selected.Use(ctx, objects.KeyOf(set), references); err != nil {
		return err
	}
	for _, reference := range references {
		if err := r.Selected.Problem(reference.Kind); err != nil {
			return unreadable(err)
		}
		var found []expansion.Object
		for _, o := range r.Selected.Objects(reference.Kind) {
			found = append(found, objectOf(o))
		}
		byName(found)
		s.Objects[expansion.GroupKind{APIVersion: reference.APIVersion, Kind: reference.Kind.Kind}] = found
	}
	return nil
}

// unreadable says why objects that a selector chooses from cannot be read. The watch reports when they can.
func unreadable(err error) error {
	switch {
	case errors.Is(err, objects.ErrUnknownKind):
		return stalled(v1alpha2.ReasonKindNotFound, err.Error())
	case errors.Is(err, objects.ErrDenied):
		return stalled(v1alpha2.ReasonPermissionMissing, err.Error())
	}
	return err
}

func objectOf(o metav1.Object) expansion.Object {
	return expansion.Object{Name: o.GetName(), Namespace: o.GetNamespace(), Labels: o.GetLabels(),
		Annotations: o.GetAnnotations()}
}

// byName sorts objects by name, as caches have no order.
func byName(list []expansion.Object) {
	slices.SortFunc(list, func(a, b expansion.Object) int { return cmp.Compare(a.Name, b.Name) })
}
