// SPDX-License-Identifier: Apache-2.0

// Package watches watches in-cluster objects of kinds that are known only at run time: those that are injected into
// packages and those that a PackageVariantSet selects. Only metadata is held. A kind is watched, in a namespace, from
// its first use to its last.
package watches

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// Watches are the watches for the users of one controller; a user is the name of the object that it reconciles.
type Watches struct {
	mapper meta.RESTMapper
	client metadata.Interface
	notify func(user types.NamespacedName)

	mu         sync.Mutex
	references map[types.NamespacedName][]objects.Reference
	users      users // of the same references
	kinds      map[objects.Kind]*kindWatch
}

// New returns Watches without users. notify is called when an object that a user refers to is created, changed or
// deleted, and when the objects of a kind that a user refers to can be read, or can no longer be.
func New(mapper meta.RESTMapper, client metadata.Interface, notify func(user types.NamespacedName)) *Watches {
	return &Watches{
		mapper: mapper, client: client, notify: notify,
		references: map[types.NamespacedName][]objects.Reference{}, users: users{}, kinds: map[objects.Kind]*kindWatch{},
	}
}

// Use replaces the user's references, and returns once all objects of their kinds are known, or are known to be
// unreadable: see Problem. The error is that of the context.
func (w *Watches) Use(ctx context.Context, user types.NamespacedName, references []objects.Reference) error {
	for _, watch := range w.replace(user, slices.Clone(references)) {
		select {
		case <-watch.tried:
		case <-ctx.Done():
			return fmt.Errorf("cannot read the %s objects in namespace %s: %w", watch.kind.Kind, watch.kind.Namespace, ctx.Err())
		}
	}
	return nil
}

// Add adds to the user's references, as Use replaces them.
func (w *Watches) Add(ctx context.Context, user types.NamespacedName, references []objects.Reference) error {
	w.mu.Lock()
	all := slices.Clone(w.references[user])
	w.mu.Unlock()
	for _, reference := range references {
		if !slices.Contains(all, reference) {
			all = append(all, reference)
		}
	}
	return w.Use(ctx, user, all)
}

// Release ends the user's references.
func (w *Watches) Release(user types.NamespacedName) { w.replace(user, nil) }

// replace replaces the references of a user. It starts the watches that are needed, which it returns, and stops those
// of the kinds that are no longer referred to.
func (w *Watches) replace(user types.NamespacedName, references []objects.Reference) []*kindWatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, reference := range w.references[user] {
		w.users.drop(user, reference)
	}
	var needed []*kindWatch
	for _, reference := range references {
		w.users.add(user, reference)
		watch := w.kinds[reference.Kind]
		if watch == nil {
			watch = newKindWatch(reference.Kind)
			w.kinds[reference.Kind] = watch
			go w.run(watch)
		}
		needed = append(needed, watch)
	}
	if w.references[user] = references; len(references) == 0 {
		delete(w.references, user)
	}
	for kind, watch := range w.kinds {
		if len(w.users[kind]) == 0 {
			watch.end()
			delete(w.kinds, kind)
		}
	}
	return needed
}

// informer returns the informer of a kind, or nil if it is not watched.
func (w *Watches) informer(kind objects.Kind) cache.SharedIndexInformer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if watch := w.kinds[kind]; watch != nil {
		return watch.informer
	}
	return nil
}

// Problem returns why the objects of a kind in use cannot be read: a *DeniedError, an *UnknownKindError, or another;
// nil if they can. Reading is retried until they can, or until the kind is no longer referred to.
func (w *Watches) Problem(kind objects.Kind) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if watch := w.kinds[kind]; watch != nil {
		return watch.err
	}
	return nil
}

// denied notes that the objects of a kind in use may no longer be read, and returns that problem.
func (w *Watches) denied(kind objects.Kind, namespace string) error {
	mapping, err := w.mapping(kind)
	if err == nil {
		err = &DeniedError{Resource: mapping.Resource.GroupResource(), Namespace: namespace}
	}
	w.lose(kind, err)
	return err
}

// lose notes why the objects of a kind can no longer be read, and tries to watch it again. It reports false if the kind
// is not watched.
func (w *Watches) lose(kind objects.Kind, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	watch := w.kinds[kind]
	if watch == nil || watch.informer == nil {
		return false
	}
	watch.err = err
	watch.stopInformer()
	go w.retry(watch)
	return true
}

// Object returns the metadata of an object, or nil if there is none of that name, or if its kind is not watched.
func (w *Watches) Object(kind objects.Kind, name string) *metav1.PartialObjectMetadata {
	informer := w.informer(kind)
	if informer == nil {
		return nil
	}
	for _, key := range []string{kind.Namespace + "/" + name, name} { // a cluster-scoped object has no namespace
		if each, found, err := informer.GetStore().GetByKey(key); err == nil && found {
			if o, ok := each.(*metav1.PartialObjectMetadata); ok {
				return o
			}
		}
	}
	return nil
}

// Objects returns the metadata of the objects of a kind, in no particular order; nil if the kind is not watched.
// Callers must not change them.
func (w *Watches) Objects(kind objects.Kind) []*metav1.PartialObjectMetadata {
	informer := w.informer(kind)
	if informer == nil {
		return nil
	}
	var out []*metav1.PartialObjectMetadata
	for _, each := range informer.GetStore().List() {
		if o, ok := each.(*metav1.PartialObjectMetadata); ok {
			out = append(out, o)
		}
	}
	return out
}
