// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/rollout"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// input is everything that a plan depends on.
type input struct {
	owner owner
	// spec is the set's.
	spec *v1alpha2.PackageVariantSetSpec
	// suspendReason says why spec.suspend is set; "" if no reason is given.
	suspendReason string
	// wanted are the variants that the set expands to, desired is their number; existing are the set's variants, and
	// those of others with the name of a wanted one. Both are only read.
	wanted, existing []v1alpha1.PackageVariant
	desired          int
	// digest identifies the whole input; settled reports whether there was nothing to do with the same digest. Then wanted
	// is empty.
	digest  string
	settled bool
	// notes say which targets select nothing, and which variants are made from themselves; empty are the paths of the
	// selectors that select nothing.
	notes, empty []string
	// excluded are the variants that the set wants and cannot make, if its errorPolicy is Continue; refused are those that
	// the API server refuses.
	excluded, refused []mutate.Excluded
	// live reports whether the existing variants were read from the API server.
	live bool
	// revisions are the package revisions among which upstreams are found.
	revisions []expansion.PackageRevision
	// rolled is the decision about the set's rollout. heldBack are the names of the variants that do not get their new
	// spec yet.
	rolled   rollout.Decision
	heldBack map[string]bool
	// waves are the waves of the wanted variants, by their names; nil without a rollout.
	waves map[string]string
}

// pair is a variant that the set wants, and what exists of it.
type pair struct {
	want *v1alpha1.PackageVariant
	// have is the variant of the set that becomes it. If have is nil, namesake is a variant of that name that is not the
	// set's, or nil.
	have, namesake *v1alpha1.PackageVariant
	// now is what to write now: want, unless a rollout holds that back; nil if the variant must not exist yet.
	now *v1alpha1.PackageVariant
}

// action is what to do about a variant.
type action int

const (
	keep    action = iota // it is already as wanted
	create                // it does not exist
	update                // its spec or its owner has to change
	remove                // it is no longer wanted
	waiting               // it is being deleted, and is created again once it is gone
	taken                 // a variant that is not the set's has its name
)

// step is what to do about one variant.
type step struct {
	do action
	// have is the variant as it is, nil for create; want is the variant as it should be, nil for remove, waiting and
	// taken. After the step is done, want is the variant that the cluster returned.
	have, want *v1alpha1.PackageVariant
	// of is the variant that the set wants; nil if it does not want the variant. spared says that have stays because
	// targets fail or select nothing, undecided that any of these may be its target.
	of                *v1alpha1.PackageVariant
	spared, undecided bool
	err               error
}

// does reports whether the step writes.
func (s *step) does() bool { return s.do == create || s.do == update || s.do == remove }

// steps returns the steps from the existing variants to the wanted ones, including those that keep a variant.
func (in *input) steps(pairs []pair) []step {
	owned := in.owned()
	if in.settled {
		return kept(owned)
	}
	used, spared := make(map[*v1alpha1.PackageVariant]bool, len(pairs)), in.spared(owned)
	var steps []step
	for i := range pairs {
		p := &pairs[i]
		used[p.have] = true
		if p.namesake != nil {
			spares := in.owner.owns(p.namesake) && spared.Of(downstream(p.namesake))
			steps = append(steps, step{do: taken, have: p.namesake, spared: spares})
		} else if p.now != nil {
			s := in.owner.step(p.have, p.now)
			s.of = p.want
			steps = append(steps, s)
		}
	}
	for _, pv := range owned {
		switch {
		case used[pv] || !pv.DeletionTimestamp.IsZero():
		case spared.Keeps(downstream(pv)):
			s := in.owner.step(pv, pv)
			s.spared, s.undecided = true, !spared.Of(downstream(pv))
			steps = append(steps, s)
		default:
			steps = append(steps, step{do: remove, have: pv})
		}
	}
	return steps
}

// names returns the existing variants by their names.
func (in *input) names() map[string]*v1alpha1.PackageVariant {
	named := make(map[string]*v1alpha1.PackageVariant, len(in.existing))
	for i := range in.existing {
		named[in.existing[i].Name] = &in.existing[i]
	}
	return named
}

// kept returns the steps that keep variants as they are, except those that are being deleted.
func kept(owned []*v1alpha1.PackageVariant) []step {
	var steps []step
	for _, pv := range owned {
		if pv.DeletionTimestamp.IsZero() {
			steps = append(steps, step{do: keep, have: pv, want: pv})
		}
	}
	return steps
}

// owned returns the variants that are the set's: the oldest first, but those that are being deleted last.
func (in *input) owned() []*v1alpha1.PackageVariant {
	var stay, leaving []*v1alpha1.PackageVariant
	for i := range in.existing {
		switch pv := &in.existing[i]; {
		case !in.owner.owns(pv):
		case pv.DeletionTimestamp.IsZero():
			stay = append(stay, pv)
		default:
			leaving = append(leaving, pv)
		}
	}
	slices.SortFunc(stay, func(a, b *v1alpha1.PackageVariant) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return append(stay, leaving...)
}

// match finds for each of the wanted variants which of the set's becomes it: the first for the same downstream,
// whatever its name, or else the one of the same name, unless that becomes another or is a failing target's.
func (in *input) match() []pair {
	owned := in.owned()
	spared := in.spared(owned)
	first, named := map[variant.Downstream]*v1alpha1.PackageVariant{}, map[string]*v1alpha1.PackageVariant{}
	for _, pv := range owned {
		if !spared.Of(downstream(pv)) {
			named[pv.Name] = pv
		}
		if d := pv.Spec.Downstream; d != nil && first[*d] == nil {
			first[*d] = pv
		}
	}
	pairs, used := make([]pair, len(in.wanted)), map[*v1alpha1.PackageVariant]bool{}
	for i := range in.wanted {
		p, want := &pairs[i], &in.wanted[i]
		p.want, p.now, p.have = want, want, first[*want.Spec.Downstream]
		used[p.have] = true
	}
	all := in.names()
	for i := range pairs {
		p := &pairs[i]
		if pv := named[p.want.Name]; p.have == nil && !used[pv] {
			p.have = pv
			used[pv] = true
		}
		if p.have == nil {
			p.namesake = all[p.want.Name]
		}
	}
	return pairs
}

// step returns the step from a variant of the set, or from nil, to the wanted one.
func (o owner) step(have, want *v1alpha1.PackageVariant) step {
	switch {
	case have == nil:
		pv := want.DeepCopy()
		pv.Finalizers = []string{v1alpha1.Finalizer} // its controller would add it with another write
		o.take(pv)
		return step{do: create, want: pv}
	case !have.DeletionTimestamp.IsZero():
		return step{do: waiting, have: have}
	}
	spec := want.Spec
	spec.Suspend = have.Spec.Suspend // people set and clear it
	if o.isCurrent(have) && equality.Semantic.DeepEqual(have.Spec, spec) {
		return step{do: keep, have: have, want: have}
	}
	pv := have.DeepCopy()
	spec.DeepCopyInto(&pv.Spec)
	if len(want.Annotations) > 0 {
		metav1.SetMetaDataAnnotation(&pv.ObjectMeta, v1alpha2.OpenedAtAnnotation,
			want.Annotations[v1alpha2.OpenedAtAnnotation])
	}
	if !o.isCurrent(have) {
		o.take(pv)
	}
	return step{do: update, have: have, want: pv}
}

// owner is a set as the owner of variants.
type owner struct {
	name string
	uid  types.UID
}

// ownerOf returns a set as the owner of its variants.
func ownerOf(set *v1alpha2.PackageVariantSet) owner { return owner{name: set.Name, uid: set.UID} }

// owns reports whether a variant is the set's: by its label, which other controllers set too, or by an owner reference
// with the set's name, since a set that was restored from a backup has a new UID. If a set controls the variant, it is
// that set's alone: whoever may change the variant's metadata may add labels and further owners.
func (o owner) owns(pv *v1alpha1.PackageVariant) bool {
	if ref := metav1.GetControllerOfNoCopy(pv); ref != nil && isSet(*ref) {
		return ref.Name == o.name
	}
	return pv.Labels[v1alpha2.OwnerLabel] == string(o.uid) ||
		slices.ContainsFunc(pv.OwnerReferences,
			func(ref metav1.OwnerReference) bool { return isSet(ref) && ref.Name == o.name })
}

// isCurrent reports whether a variant is marked as this set's and as no other's.
func (o owner) isCurrent(pv *v1alpha1.PackageVariant) bool {
	marked := false
	for _, ref := range pv.OwnerReferences {
		if isSet(ref) && ref.UID != o.uid {
			return false
		}
		marked = marked || ref.UID == o.uid
	}
	return marked && pv.Labels[v1alpha2.OwnerLabel] == string(o.uid)
}

// take marks a variant as this set's, and as no other set's.
func (o owner) take(pv *v1alpha1.PackageVariant) {
	if pv.Labels == nil {
		pv.Labels = map[string]string{}
	}
	pv.Labels[v1alpha2.OwnerLabel] = string(o.uid)
	pv.OwnerReferences = slices.DeleteFunc(pv.OwnerReferences, isSet)
	controls := metav1.GetControllerOfNoCopy(pv) == nil // there may be only one
	pv.OwnerReferences = append(pv.OwnerReferences, metav1.OwnerReference{
		APIVersion: v1alpha2.GroupVersion.String(), Kind: v1alpha2.PackageVariantSetKind, Name: o.name, UID: o.uid,
		Controller: &controls,
	})
}

func isSet(ref metav1.OwnerReference) bool {
	return revision.RefersTo(ref, v1alpha2.PackageVariantSetKind)
}
