// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"errors"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Kind is a kind of objects, as manifests name it, in a namespace.
type Kind struct {
	APIVersion, Kind, Namespace string
}

// Reference refers to an object of a kind or, without a name, to all objects of that kind.
type Reference struct {
	Kind
	Name string
}

// Version identifies an object's UID and resourceVersion.
func Version(o metav1.Object) string { return string(o.GetUID()) + "/" + o.GetResourceVersion() }

// Errors that last until a person acts, for errors.Is.
var (
	// ErrDenied says that objects of a kind may not be read.
	ErrDenied = errors.New("denied")
	// ErrUnknownKind says that there is no such kind.
	ErrUnknownKind = errors.New("unknown kind")
)

// Lasting reports whether an error says that objects cannot be read until a person acts.
func Lasting(err error) bool { return errors.Is(err, ErrDenied) || errors.Is(err, ErrUnknownKind) }

// Source has objects of kinds that are known only at run time: those that are injected into packages, and those that a
// PackageVariantSet selects. A user is the name of the variant or set that uses them.
type Source interface {
	// Use replaces what a user needs, and returns once those kinds were read, or cannot be.
	Use(ctx context.Context, user types.NamespacedName, references []Reference) error
	// Add adds to what a user needs.
	Add(ctx context.Context, user types.NamespacedName, references []Reference) error
	// Release ends what a user needs.
	Release(user types.NamespacedName)
	// Problem returns why the objects of a kind cannot be read; nil if they can.
	Problem(kind Kind) error
	// Object returns the metadata of an object of a kind that is used; nil if there is none.
	Object(kind Kind, name string) *metav1.PartialObjectMetadata
	// Objects returns the metadata of the objects of a kind that is used.
	Objects(kind Kind) []*metav1.PartialObjectMetadata
	// Read returns a whole object of a kind that is used, at the version of the metadata or a little later; nil if there
	// is none. It must not be changed. The error is the Problem of the kind, or temporary.
	Read(ctx context.Context, r Reference) (map[string]any, error)
}

// Static is a Source of objects that do not change. Each kind is listed once.
type Static struct {
	list func(ctx context.Context, kind Kind) ([]*metav1.PartialObjectMetadata, error)
	get  func(ctx context.Context, r Reference, namespace string) (map[string]any, error)

	mu    sync.Mutex
	kinds map[Kind]*listed
}

// listed is what is known of a kind. Of objects of the same name, the first one is meant by it.
type listed struct {
	objects []*metav1.PartialObjectMetadata
	byName  map[string]*metav1.PartialObjectMetadata
	err     error
}

// NewStatic returns a Source that lists objects by a function: those of a kind in its namespace, and in none. It reads
// one in its namespace by another, which returns nil if there is none.
func NewStatic(list func(context.Context, Kind) ([]*metav1.PartialObjectMetadata, error),
	get func(ctx context.Context, r Reference, namespace string) (map[string]any, error)) *Static {
	return &Static{list: list, get: get, kinds: map[Kind]*listed{}}
}

// Use implements Source.
func (s *Static) Use(ctx context.Context, _ types.NamespacedName, references []Reference) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range references {
		if s.kinds[r.Kind] == nil {
			found, err := s.list(ctx, r.Kind)
			if err != nil && !Lasting(err) {
				return err
			}
			byName := make(map[string]*metav1.PartialObjectMetadata, len(found))
			for _, o := range slices.Backward(found) {
				byName[o.Name] = o
			}
			s.kinds[r.Kind] = &listed{objects: found, byName: byName, err: err}
		}
	}
	return nil
}

// Add implements Source.
func (s *Static) Add(ctx context.Context, user types.NamespacedName, references []Reference) error {
	return s.Use(ctx, user, references)
}

// Release implements Source.
func (*Static) Release(types.NamespacedName) {}

// Problem implements Source.
func (s *Static) Problem(kind Kind) error {
	return s.listed(kind).err
}

// Object implements Source.
func (s *Static) Object(kind Kind, name string) *metav1.PartialObjectMetadata {
	return s.listed(kind).byName[name]
}

// Objects implements Source.
func (s *Static) Objects(kind Kind) []*metav1.PartialObjectMetadata {
	return s.listed(kind).objects
}

// listed returns what is known of a kind.
func (s *Static) listed(kind Kind) listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.kinds[kind]; l != nil {
		return *l
	}
	return listed{}
}

// Read implements Source.
func (s *Static) Read(ctx context.Context, r Reference) (map[string]any, error) {
	if err := s.Problem(r.Kind); err != nil {
		return nil, err
	}
	known := s.Object(r.Kind, r.Name)
	if known == nil {
		return nil, nil
	}
	object, err := s.get(ctx, r, known.Namespace)
	if errors.Is(err, ErrDenied) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.kinds[r.Kind].err = err
	}
	return object, err
}
