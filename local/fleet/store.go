// SPDX-License-Identifier: Apache-2.0

// Package fleet brings the packages of a fleet, which is a directory of manifests, to what it asks for. It is the port
// objects of the engine over values, the loop that reconciles them over git, and the branch that remembers them.
package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/manifests"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// variantKind is the kind of PackageVariants, setKind that of PackageVariantSets.
const variantKind, setKind = "PackageVariant", v1alpha2.PackageVariantSetKind

// The kinds with their groups.
var (
	variantGroupKind = v1alpha1.GroupVersion.WithKind(variantKind).GroupKind()
	setGroupKind     = v1alpha2.GroupVersion.WithKind(setKind).GroupKind()
)

// SuspendVariantsAnnotation on a PackageVariantSet names variants of the set, separated by commas, that are suspended:
// they are in no manifest with a spec.suspend.
const SuspendVariantsAnnotation = variant.GroupName + "/suspend-variants"

// store has the objects of a fleet, as objects.Sets.
type store struct {
	*memory.Objects
	log   *memory.Log
	fleet string
	// of are the manifests.
	of *manifests.Manifests
	// keeps says why no variant may be deleted; "" if they may.
	keeps string
	// places has where the manifests of variants are; those that sets made have none.
	places map[types.NamespacedName]string
	// suspended are the variants that the annotations of sets name.
	suspended map[types.NamespacedName]bool
	// unlimited are the sets that do not say how many of their variants they may delete.
	unlimited map[types.NamespacedName]bool
	// announced are the statuses that name the first operation since the last ones were recorded.
	announced map[types.NamespacedName]v1alpha1.PackageVariantStatus
	// created is told of each variant that a set has made; nil for nobody.
	created func(context.Context, ...v1alpha1.PackageVariant) error
}

var _ objects.Sets = (*store)(nil)

// newStore returns what the manifests of a directory are, with what was recorded of them. The variants that are neither
// in a manifest nor made by a set that is there are in lost: they are there as long as nobody deletes them. What has a
// manifest with a problem is there as it was recorded. A set that says nothing about it deletes no more of its variants
// at once than manifests may lose.
func newStore(fleet string, o *Options, m *manifests.Manifests, was *State) (s *store,
	lost []*v1alpha1.PackageVariant) {
	s = &store{log: memory.NewLog(o.Now), fleet: fleet, of: m, places: map[types.NamespacedName]string{},
		suspended: map[types.NamespacedName]bool{}, unlimited: map[types.NamespacedName]bool{},
		announced: map[types.NamespacedName]v1alpha1.PackageVariantStatus{}}
	s.Objects = memory.NewObjects(s.log)
	s.Identify = s.identify
	for i := range m.Repositories {
		s.Add(&m.Repositories[i].Repository)
	}
	there := s.addSets(o, was)
	for i := range m.Variants {
		s.addVariant(m.Variants[i].DeepCopy(), was)
	}
	for _, key := range slices.SortedFunc(maps.Keys(was.Variants), objects.CompareKeys) {
		if _, ok := s.places[key]; ok {
			continue
		}
		before := was.Variants[key]
		pv := s.recall(&before)
		isKnown := m.ProblemOf(variantGroupKind, key.Namespace, key.Name) == nil
		if isKnown && pv.DeletionTimestamp == nil && (before.Manifest || ownerIsGone(pv, there)) {
			lost = append(lost, pv)
		}
	}
	return s, lost
}

// addSets adds the sets of the manifests, and returns which are there. One whose manifest has a problem is as it was
// recorded.
func (s *store) addSets(o *Options, was *State) (there map[types.NamespacedName]bool) {
	there = map[types.NamespacedName]bool{}
	for i := range s.of.Sets {
		there[objects.KeyOf(&s.of.Sets[i])] = true
		s.addSet(o, &s.of.Sets[i], was)
	}
	for i := range s.of.Problems {
		key := types.NamespacedName{Namespace: s.of.Problems[i].Namespace, Name: s.of.Problems[i].Name}
		if s.of.Problems[i].GroupKind != setGroupKind || there[key] {
			continue
		}
		there[key] = true
		if before, known := was.Sets[key]; known {
			s.addSet(o, &before, was)
		}
	}
	return there
}

// addVariant adds a variant of the manifests.
func (s *store) addVariant(pv *v1alpha1.PackageVariant, was *State) {
	before, known := was.Variants[objects.KeyOf(pv)]
	s.complete(variantKind, pv, &before.ObjectMeta)
	pv.Status, pv.Finalizers, pv.DeletionTimestamp = before.Status, before.Finalizers, nil
	if known && (before.DeletionTimestamp != nil || !equality.Semantic.DeepEqual(before.Spec, pv.Spec)) {
		pv.Generation++
	}
	s.places[objects.KeyOf(pv)] = s.of.Place(variantGroupKind, pv.Namespace, pv.Name)
	s.Add(pv)
}

// addSet adds a set, which says what a manifest or what was recorded does.
func (s *store) addSet(o *Options, from *v1alpha2.PackageVariantSet, was *State) {
	set := from.DeepCopy()
	if s.unlimited[objects.KeyOf(set)] = set.Spec.MaxDeletions == nil; set.Spec.MaxDeletions == nil {
		set.Spec.MaxDeletions = new(intstr.FromInt32(int32(o.mostRemovals())))
	}
	before, known := was.Sets[objects.KeyOf(set)]
	s.complete(setKind, set, &before.ObjectMeta)
	if set.Status = before.Status; known && !equality.Semantic.DeepEqual(before.Spec, set.Spec) {
		set.Generation++
	}
	s.suspendBy(set)
	s.Add(set)
}

// problemOf returns why a variant stays as it is: the manifest of it, or of a set that has made it, is not taken. It
// returns nil if it need not.
func (s *store) problemOf(pv *v1alpha1.PackageVariant) error {
	if err := s.of.ProblemOf(variantGroupKind, pv.Namespace, pv.Name); err != nil || s.places[objects.KeyOf(pv)] != "" {
		return err
	}
	for _, ref := range pv.OwnerReferences {
		if revision.RefersTo(ref, v1alpha2.PackageVariantSetKind) {
			if err := s.of.ProblemOf(setGroupKind, pv.Namespace, ref.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Repositories implements objects.Sets. Nothing selects among them while the labels of one are not known.
func (s *store) Repositories(ctx context.Context, namespace string) ([]objects.Repository, error) {
	if err := s.of.Unselectable(revision.RepositoryKind.GroupKind(), namespace); err != nil {
		return nil, err
	}
	return s.Objects.Repositories(ctx, namespace)
}

// recall adds a recorded variant that is in no manifest.
func (s *store) recall(before *RecordedVariant) *v1alpha1.PackageVariant {
	pv := before.DeepCopy()
	s.complete(variantKind, pv, &before.ObjectMeta)
	if suspend := s.suspended[objects.KeyOf(pv)]; !before.Manifest && pv.Spec.Suspend != suspend {
		pv.Spec.Suspend = suspend
		pv.Generation++
	}
	s.Add(pv)
	return pv
}

// complete gives an object what an API server would give it, and leaves its version to the objects.
func (s *store) complete(kind string, o, before metav1.Object) {
	o.SetUID(s.identify(kind, objects.KeyOf(o)))
	o.SetGeneration(max(before.GetGeneration(), 1))
	o.SetCreationTimestamp(before.GetCreationTimestamp())
	if created := o.GetCreationTimestamp(); created.IsZero() {
		o.SetCreationTimestamp(metav1.Time{Time: s.log.Now()}.Rfc3339Copy())
	}
	o.SetResourceVersion("")
}

// identify returns the UID of an object, which is the same in each sync.
func (s *store) identify(kind string, key types.NamespacedName) types.UID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", s.fleet, kind, key))
	text := hex.EncodeToString(sum[:16])
	return types.UID(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:])
}

// ownerIsGone reports whether none of the sets that own a variant is among those that there are.
func ownerIsGone(pv *v1alpha1.PackageVariant, there map[types.NamespacedName]bool) bool {
	gone := false
	for _, ref := range pv.OwnerReferences {
		if revision.RefersTo(ref, v1alpha2.PackageVariantSetKind) {
			if there[types.NamespacedName{Namespace: pv.Namespace, Name: ref.Name}] {
				return false
			}
			gone = true
		}
	}
	return gone
}

// WriteStatus implements objects.Variants.
func (s *store) WriteStatus(ctx context.Context, before, pv *v1alpha1.PackageVariant) error {
	err := s.Objects.WriteStatus(ctx, before, pv)
	if _, known := s.announced[objects.KeyOf(pv)]; err == nil && !known && pv.Status.Operation != nil {
		s.announced[objects.KeyOf(pv)] = *pv.Status.DeepCopy()
	}
	return err
}

// Create implements objects.Sets.
func (s *store) Create(ctx context.Context, pv *v1alpha1.PackageVariant, how objects.How) error {
	pv.Spec.Suspend = s.suspended[objects.KeyOf(pv)]
	err := s.Objects.Create(ctx, pv, how)
	if err != nil || how.Try || s.created == nil {
		return err
	}
	made, err := s.Variant(ctx, pv.Namespace, pv.Name)
	if err == nil && made != nil {
		err = s.created(ctx, *made)
	}
	return err
}

// Update implements objects.Sets. What is in a manifest is changed there.
func (s *store) Update(ctx context.Context, before, pv *v1alpha1.PackageVariant, how objects.How) error {
	if at := s.places[objects.KeyOf(before)]; at != "" {
		return &packages.Error{Kind: packages.ErrRefused, Err: fmt.Errorf(
			"PackageVariant %s is in %s, and only there it can be changed: remove it there to leave it to the set", pv.Name, at)}
	}
	return s.Objects.Update(ctx, before, pv, how)
}

// Delete implements objects.Sets.
func (s *store) Delete(ctx context.Context, pv *v1alpha1.PackageVariant) error {
	if s.keeps != "" {
		return &packages.Error{Kind: packages.ErrRefused, Err: errors.New(s.keeps)}
	}
	return s.Objects.Delete(ctx, pv)
}

// setStatus gives a variant a status that the engine did not write.
func (s *store) setStatus(ctx context.Context, key types.NamespacedName, change func(*v1alpha1.PackageVariant)) error {
	before, err := s.Variant(ctx, key.Namespace, key.Name)
	if err != nil || before == nil {
		return err
	}
	pv := before.DeepCopy()
	if change(pv); equality.Semantic.DeepEqual(before.Status, pv.Status) {
		return nil
	}
	return s.Objects.WriteStatus(ctx, before, pv)
}

// suspendBy notes the variants that a set suspends.
func (s *store) suspendBy(set *v1alpha2.PackageVariantSet) {
	separates := func(r rune) bool { return r == ',' || unicode.IsSpace(r) }
	for _, name := range strings.FieldsFunc(set.Annotations[SuspendVariantsAnnotation], separates) {
		s.suspended[types.NamespacedName{Namespace: set.Namespace, Name: name}] = true
	}
}
