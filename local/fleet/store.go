// SPDX-License-Identifier: Apache-2.0

// Package fleet brings the packages of a fleet, which is a directory of manifests, to what it asks for. It is the port
// objects of the engine over values, the loop that reconciles them over git, and the branch that remembers them.
package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/manifests"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// variantKind is the kind of PackageVariants, setKind that of PackageVariantSets.
const variantKind, setKind = "PackageVariant", v1alpha2.PackageVariantSetKind

// store implements objects.Sets over values.
type store struct {
	fleet        string
	now          func() time.Time
	repositories []manifests.Repository
	// keeps says why no variant may be deleted; "" if they may.
	keeps string

	mu       sync.Mutex
	version  int
	sets     map[types.NamespacedName]*v1alpha2.PackageVariantSet
	variants map[types.NamespacedName]*v1alpha1.PackageVariant
	// places has where the manifests of variants are; those that sets made have none.
	places  map[types.NamespacedName]string
	indexes map[indexed]map[types.NamespacedName]bool
	// announced are the statuses that name the first operation since the last ones were recorded.
	announced map[types.NamespacedName]v1alpha1.PackageVariantStatus
}

// indexed is a value in an index.
type indexed struct {
	by    objects.Index
	value string
}

var _ objects.Sets = (*store)(nil)

// newStore returns what the manifests of a directory are, with what was recorded of them. The variants that are neither
// in a manifest nor made by a set that is there are in lost: they are there as long as nobody deletes them.
func newStore(fleet string, now func() time.Time, m *manifests.Manifests, was *State) (s *store,
	lost []types.NamespacedName) {
	s = &store{fleet: fleet, now: now, repositories: m.Repositories,
		sets:     map[types.NamespacedName]*v1alpha2.PackageVariantSet{},
		variants: map[types.NamespacedName]*v1alpha1.PackageVariant{},
		places:   map[types.NamespacedName]string{}, indexes: map[indexed]map[types.NamespacedName]bool{},
		announced: map[types.NamespacedName]v1alpha1.PackageVariantStatus{}}
	for i := range m.Sets {
		set := m.Sets[i].DeepCopy()
		before, known := was.Sets[objects.KeyOf(set)]
		s.identify(setKind, set, &before.ObjectMeta)
		if set.Status = before.Status; known && !equality.Semantic.DeepEqual(before.Spec, set.Spec) {
			set.Generation++
		}
		s.sets[objects.KeyOf(set)] = set
	}
	for i := range m.Variants {
		pv := m.Variants[i].DeepCopy()
		before, known := was.Variants[objects.KeyOf(pv)]
		s.identify(variantKind, pv, &before.ObjectMeta)
		pv.Status, pv.Finalizers, pv.DeletionTimestamp = before.Status, before.Finalizers, nil
		if known && (before.DeletionTimestamp != nil || !equality.Semantic.DeepEqual(before.Spec, pv.Spec)) {
			pv.Generation++
		}
		s.places[objects.KeyOf(pv)] = m.Place(v1alpha1.GroupVersion.WithKind(variantKind).GroupKind(), pv.Namespace, pv.Name)
		s.put(pv)
	}
	for _, key := range sortedKeys(was.Variants) {
		if s.variants[key] != nil {
			continue
		}
		before := was.Variants[key]
		pv := before.DeepCopy()
		s.identify(variantKind, pv, &before.ObjectMeta)
		s.put(pv)
		if pv.DeletionTimestamp == nil && (before.Manifest || s.ownerIsGone(pv)) {
			lost = append(lost, key)
		}
	}
	return s, lost
}

// identify gives an object what an API server would give it.
func (s *store) identify(kind string, o, before metav1.Object) {
	id := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", s.fleet, kind, id))
	text := hex.EncodeToString(sum[:16])
	o.SetUID(types.UID(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]))
	o.SetGeneration(max(before.GetGeneration(), 1))
	o.SetCreationTimestamp(before.GetCreationTimestamp())
	if created := o.GetCreationTimestamp(); created.IsZero() {
		o.SetCreationTimestamp(metav1.Time{Time: s.now()}.Rfc3339Copy())
	}
	s.stamp(o)
}

// stamp gives an object a new version.
func (s *store) stamp(o metav1.Object) {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
}

// ownerIsGone reports whether the sets that own a variant are not there.
func (s *store) ownerIsGone(pv *v1alpha1.PackageVariant) bool {
	gone := false
	for _, ref := range pv.OwnerReferences {
		if revision.RefersTo(ref, v1alpha2.PackageVariantSetKind) {
			if s.sets[types.NamespacedName{Namespace: pv.Namespace, Name: ref.Name}] != nil {
				return false
			}
			gone = true
		}
	}
	return gone
}

// put puts a variant in place of the one of its name.
func (s *store) put(pv *v1alpha1.PackageVariant) {
	s.drop(objects.KeyOf(pv))
	s.variants[objects.KeyOf(pv)] = pv
	for by, values := range objects.Indexes {
		for _, value := range values(pv) {
			at := indexed{by, value}
			if s.indexes[at] == nil {
				s.indexes[at] = map[types.NamespacedName]bool{}
			}
			s.indexes[at][objects.KeyOf(pv)] = true
		}
	}
}

// drop removes a variant.
func (s *store) drop(key types.NamespacedName) {
	pv := s.variants[key]
	if pv == nil {
		return
	}
	delete(s.variants, key)
	for by, values := range objects.Indexes {
		for _, value := range values(pv) {
			delete(s.indexes[indexed{by, value}], key)
		}
	}
}

// Variant implements objects.Variants.
func (s *store) Variant(_ context.Context, namespace, name string) (*v1alpha1.PackageVariant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.variants[types.NamespacedName{Namespace: namespace, Name: name}].DeepCopy(), nil
}

// Find implements objects.Variants.
func (s *store) Find(_ context.Context, namespace string, by objects.Index, value string) (
	all []v1alpha1.PackageVariant, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range sortedKeys(s.indexes[indexed{by, value}]) {
		if namespace == "" || key.Namespace == namespace {
			all = append(all, *s.variants[key])
		}
	}
	return all, nil
}

// Repository implements objects.Variants.
func (s *store) Repository(_ context.Context, namespace, name string) (*objects.Repository, error) {
	for i := range s.repositories {
		if r := &s.repositories[i]; r.Namespace == namespace && r.Name == name {
			return &r.Repository, nil
		}
	}
	return nil, nil
}

// RepositoriesAt implements objects.Variants.
func (s *store) RepositoriesAt(_ context.Context, address string) (all []objects.Repository, _ error) {
	for i := range s.repositories {
		if r := &s.repositories[i]; revision.Address(r.Address) == revision.Address(address) {
			all = append(all, r.Repository)
		}
	}
	return all, nil
}

// Repositories implements objects.Sets.
func (s *store) Repositories(_ context.Context, namespace string) (all []objects.Repository, _ error) {
	for i := range s.repositories {
		if r := &s.repositories[i]; r.Namespace == namespace {
			all = append(all, r.Repository)
		}
	}
	return all, nil
}

// WriteStatus implements objects.Variants.
func (s *store) WriteStatus(_ context.Context, before, pv *v1alpha1.PackageVariant) error {
	return s.write(before, pv, func(now *v1alpha1.PackageVariant) {
		now.Status = *pv.Status.DeepCopy()
		if _, known := s.announced[objects.KeyOf(pv)]; !known && pv.Status.Operation != nil {
			s.announced[objects.KeyOf(pv)] = *pv.Status.DeepCopy()
		}
	})
}

// WriteFinalizers implements objects.Variants.
func (s *store) WriteFinalizers(_ context.Context, before, pv *v1alpha1.PackageVariant) error {
	return s.write(before, pv, func(now *v1alpha1.PackageVariant) { now.Finalizers = slices.Clone(pv.Finalizers) })
}

// write changes a variant that is as it was before, and gives pv the version that it has then.
func (s *store) write(before, pv *v1alpha1.PackageVariant, change func(*v1alpha1.PackageVariant)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.variants[objects.KeyOf(before)]
	if now == nil || now.ResourceVersion != before.ResourceVersion {
		return &packages.Error{Kind: packages.ErrStale, Err: fmt.Errorf("PackageVariant %s has changed", before.Name)}
	}
	now = now.DeepCopy() // others may read it
	change(now)
	s.stamp(now)
	pv.ResourceVersion, pv.Generation = now.ResourceVersion, now.Generation
	if s.put(now); now.DeletionTimestamp != nil && len(now.Finalizers) == 0 {
		s.drop(objects.KeyOf(now))
	}
	return nil
}

// Set implements objects.Sets.
func (s *store) Set(_ context.Context, namespace, name string) (*v1alpha2.PackageVariantSet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sets[types.NamespacedName{Namespace: namespace, Name: name}].DeepCopy(), nil
}

// Sets implements objects.Sets.
func (s *store) Sets(_ context.Context, namespace string) (all []v1alpha2.PackageVariantSet, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range sortedKeys(s.sets) {
		if key.Namespace == namespace {
			all = append(all, *s.sets[key])
		}
	}
	return all, nil
}

// WriteSetStatus implements objects.Sets.
func (s *store) WriteSetStatus(_ context.Context, before, set *v1alpha2.PackageVariantSet) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.sets[objects.KeyOf(before)]
	if now == nil || now.ResourceVersion != before.ResourceVersion {
		return &packages.Error{Kind: packages.ErrStale, Err: fmt.Errorf("PackageVariantSet %s has changed", before.Name)}
	}
	now = now.DeepCopy()
	now.Status = *set.Status.DeepCopy()
	s.stamp(now)
	s.sets[objects.KeyOf(now)] = now
	set.ResourceVersion = now.ResourceVersion
	return nil
}

// Create implements objects.Sets.
func (s *store) Create(_ context.Context, pv *v1alpha1.PackageVariant, how objects.How) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.variants[objects.KeyOf(pv)] != nil {
		return &packages.Error{Kind: packages.ErrStale, Err: fmt.Errorf("there is a PackageVariant %s", pv.Name)}
	}
	if !how.Try {
		s.identify(variantKind, pv, &metav1.ObjectMeta{})
		s.put(pv.DeepCopy())
	}
	return nil
}

// Update implements objects.Sets. What is in a manifest is changed there.
func (s *store) Update(_ context.Context, before, pv *v1alpha1.PackageVariant, how objects.How) error {
	if at := s.places[objects.KeyOf(before)]; at != "" {
		return &packages.Error{Kind: packages.ErrRefused, Err: fmt.Errorf(
			"PackageVariant %s is in %s, and only there it can be changed: remove it there to leave it to the set", pv.Name, at)}
	}
	if how.Try {
		return nil
	}
	return s.write(before, pv, func(now *v1alpha1.PackageVariant) {
		if !equality.Semantic.DeepEqual(now.Spec, pv.Spec) {
			now.Generation++
		}
		now.Spec = *pv.Spec.DeepCopy()
		now.Labels, now.Annotations = maps.Clone(pv.Labels), maps.Clone(pv.Annotations)
		now.OwnerReferences = slices.Clone(pv.OwnerReferences)
	})
}

// Delete implements objects.Sets.
func (s *store) Delete(_ context.Context, pv *v1alpha1.PackageVariant) error {
	if s.keeps != "" {
		return &packages.Error{Kind: packages.ErrRefused, Err: errors.New(s.keeps)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(objects.KeyOf(pv))
	return nil
}

// remove deletes a variant, or has it deleted once its packages are disposed of.
func (s *store) remove(key types.NamespacedName) {
	now := s.variants[key].DeepCopy()
	switch {
	case now == nil:
	case len(now.Finalizers) == 0:
		s.drop(key)
		s.version++
	case now.DeletionTimestamp == nil:
		at := metav1.Time{Time: s.now()}.Rfc3339Copy()
		now.DeletionTimestamp = &at
		now.Generation++
		s.stamp(now)
		s.put(now)
	}
}

// LiveVariants implements objects.Sets.
func (s *store) LiveVariants(_ context.Context, namespace string, set types.UID) (all []v1alpha1.PackageVariant,
	_ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range sortedKeys(s.variants) {
		if pv := s.variants[key]; key.Namespace == namespace && pv.Labels[v1alpha2.OwnerLabel] == string(set) {
			all = append(all, *pv.DeepCopy())
		}
	}
	return all, nil
}

// LiveVariant implements objects.Sets.
func (s *store) LiveVariant(ctx context.Context, namespace, name string) (*v1alpha1.PackageVariant, error) {
	return s.Variant(ctx, namespace, name)
}

// setStatus gives a variant a status that the engine did not write.
func (s *store) setStatus(key types.NamespacedName, change func(*v1alpha1.PackageVariant)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.variants[key].DeepCopy(); now != nil {
		if change(now); !equality.Semantic.DeepEqual(now.Status, s.variants[key].Status) {
			s.stamp(now)
			s.put(now)
		}
	}
}

func compareKeys(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func sortedKeys[V any](m map[types.NamespacedName]V) []types.NamespacedName {
	return slices.SortedFunc(maps.Keys(m), compareKeys)
}
