// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Source knows the objects of the kinds in use: Watches of a cluster, or a Static one.
type Source interface {
	// Use replaces what a user needs, and returns once those kinds were read, or cannot be.
	Use(ctx context.Context, user types.NamespacedName, references []Reference) error
	// Add adds to what a user needs.
	Add(ctx context.Context, user types.NamespacedName, references []Reference) error
	// Release ends what a user needs.
	Release(user types.NamespacedName)
	// Problem returns why the objects of a kind cannot be read; nil if they can.
	Problem(kind Kind) error
	// Object returns an object of a kind that is used; nil if there is none.
	Object(kind Kind, name string) *metav1.PartialObjectMetadata
	// Objects returns the objects of a kind that is used.
	Objects(kind Kind) []*metav1.PartialObjectMetadata

	// denied notes that objects of a kind may not be read, and returns the error.
	denied(kind Kind, namespace string) error
}

// Static is a Source of objects that do not change. Each kind is listed once.
type Static struct {
	list func(ctx context.Context, kind Kind) ([]*metav1.PartialObjectMetadata, error)

	mu    sync.Mutex
	kinds map[Kind]*listed
}

type listed struct {
	objects []*metav1.PartialObjectMetadata
	err     error
}

// NewStatic returns a Source that lists objects by a function: those of a kind in its namespace, and in none.
func NewStatic(list func(context.Context, Kind) ([]*metav1.PartialObjectMetadata, error)) *Static {
	return &Static{list: list, kinds: map[Kind]*listed{}}
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
			s.kinds[r.Kind] = &listed{objects: found, err: err}
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.kinds[kind]; l != nil {
		return l.err
	}
	return nil
}

// Object implements Source.
func (s *Static) Object(kind Kind, name string) *metav1.PartialObjectMetadata {
	for _, o := range s.Objects(kind) {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// Objects implements Source.
func (s *Static) Objects(kind Kind) []*metav1.PartialObjectMetadata {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.kinds[kind]; l != nil {
		return l.objects
	}
	return nil
}

// denied implements Source.
func (s *Static) denied(kind Kind, namespace string) error {
	err := &DeniedError{Namespace: namespace}
	err.Resource.Resource = kind.Kind
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.kinds[kind]; l != nil {
		l.err = err
	}
	return err
}
