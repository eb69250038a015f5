// SPDX-License-Identifier: Apache-2.0

// Package objects watches in-cluster objects of kinds that are known only at run time: those that are injected into
// packages and those that a PackageVariantSet selects. Only metadata is held. A kind is watched, in a namespace, from
// its first use to its last.
package objects

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// Kind is a kind of objects, as manifests name it, in a namespace.
type Kind struct {
	APIVersion, Kind, Namespace string
}

// Interest says that a user wants to hear of objects of a kind: of those with one of the names, or of all if there are
// no names.
type Interest struct {
	Kind
	Names []string
}

func (i Interest) equal(other Interest) bool {
	return i.Kind == other.Kind && slices.Equal(i.Names, other.Names)
}

// Watches are the watches for the users of one controller; a user is the name of the object that it reconciles.
type Watches struct {
	mapper meta.RESTMapper
	client metadata.Interface
	notify func(user types.NamespacedName)

	mu        sync.Mutex
	interests map[types.NamespacedName][]Interest
	users     users // of the same interests
	running   map[Kind]*kindWatch
	unknown   map[Kind]chan struct{} // closed when nobody is interested any more
}

// New returns Watches without users. notify is called when an object that a user is interested in is created, changed
// or deleted.
func New(mapper meta.RESTMapper, client metadata.Interface, notify func(user types.NamespacedName)) *Watches {
	return &Watches{
		mapper: mapper, client: client, notify: notify,
		interests: map[types.NamespacedName][]Interest{}, users: users{},
		running: map[Kind]*kindWatch{}, unknown: map[Kind]chan struct{}{},
	}
}

// readTimeout is how long the first reading of the kinds that a user is interested in may take.
const readTimeout = 30 * time.Second

// Use replaces the user's interests, and returns once all objects of their kinds are known. A kind that the cluster does
// not know has no objects; it is not watched, and the user is notified once the cluster knows it. An error is a
// *DeniedError, or says why the objects could not be read; the user then keeps the interests that it had, too.
func (w *Watches) Use(ctx context.Context, user types.NamespacedName, interests []Interest) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	interests = slices.Clone(interests) // the caller's slice may grow, and what is kept here grows too
	for _, interest := range interests {
		if err := w.ensure(ctx, user, interest); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replace(user, interests)
	return nil
}

// Release ends the user's interests.
func (w *Watches) Release(user types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replace(user, nil)
}

// replace replaces the interests of a user, and stops the watches that nobody is interested in any more. The lock must
// be held.
func (w *Watches) replace(user types.NamespacedName, interests []Interest) {
	for _, interest := range w.interests[user] {
		w.users.drop(user, interest)
	}
	for _, interest := range interests {
		w.users.add(user, interest)
	}
	if w.interests[user] = interests; len(interests) == 0 {
		delete(w.interests, user)
	}
	for kind, watch := range w.running {
		if len(w.users[kind]) == 0 {
			close(watch.stop)
			delete(w.running, kind)
		}
	}
	for kind, stop := range w.unknown {
		if len(w.users[kind]) == 0 {
			close(stop)
			delete(w.unknown, kind)
		}
	}
}

// Version returns what tells an object, as it is now, from all others, and from itself after a change.
func Version(o metav1.Object) string { return string(o.GetUID()) + "/" + o.GetResourceVersion() }

// Watched reports whether a kind is watched.
func (w *Watches) Watched(kind Kind) bool { return w.get(kind) != nil }

// get returns the watch of a kind, or nil if it is not watched.
func (w *Watches) get(kind Kind) *kindWatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running[kind]
}

// Object returns the metadata of an object, or nil if there is none of that name, or if its kind is not watched.
func (w *Watches) Object(kind Kind, name string) *metav1.PartialObjectMetadata {
	watch := w.get(kind)
	if watch == nil {
		return nil
	}
	for _, key := range []string{kind.Namespace + "/" + name, name} { // a cluster-scoped object has no namespace
		if each, found, err := watch.informer.GetStore().GetByKey(key); err == nil && found {
			if o, ok := each.(*metav1.PartialObjectMetadata); ok {
				return o
			}
		}
	}
	return nil
}

// Objects returns the metadata of the objects of a kind, in no order; none if it is not watched. They are to be read
// only.
func (w *Watches) Objects(kind Kind) []*metav1.PartialObjectMetadata {
	watch := w.get(kind)
	if watch == nil {
		return nil
	}
	var out []*metav1.PartialObjectMetadata
	for _, each := range watch.informer.GetStore().List() {
		if o, ok := each.(*metav1.PartialObjectMetadata); ok {
			out = append(out, o)
		}
	}
	return out
}

// ensure adds an interest of the user, and starts the watch of its kind unless it runs. The interest comes first: it
// keeps others from stopping the watch.
func (w *Watches) ensure(ctx context.Context, user types.NamespacedName, interest Interest) error {
	w.mu.Lock()
	if !slices.ContainsFunc(w.interests[user], interest.equal) {
		w.interests[user] = append(w.interests[user], interest)
		w.users.add(user, interest)
	}
	w.mu.Unlock()
	watch, err := w.watch(ctx, interest.Kind)
	if err != nil || watch == nil {
		return err
	}
	if !cache.WaitForCacheSync(ctx.Done(), watch.informer.HasSynced) {
		return fmt.Errorf("cannot read the %s objects in namespace %s: %w", interest.Kind.Kind, interest.Namespace, ctx.Err())
	}
	return nil
}

// watch returns the watch of a kind, started if need be, or nil if the cluster does not know the kind.
func (w *Watches) watch(ctx context.Context, kind Kind) (*kindWatch, error) {
	if watch := w.get(kind); watch != nil {
		return watch, nil
	}
	mapping, err := w.mapping(kind)
	if meta.IsNoMatchError(err) {
		w.await(kind)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	namespace := kind.Namespace
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = metav1.NamespaceAll
	}
	if err := w.mayRead(ctx, mapping.Resource, namespace); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if watch := w.running[kind]; watch != nil {
		return watch, nil
	}
	watch, err := w.start(kind, mapping.Resource, namespace)
	if err == nil {
		w.running[kind] = watch
	}
	return watch, err
}

// mapping looks up a kind; meta.IsNoMatchError tells of one that the cluster does not know.
func (w *Watches) mapping(kind Kind) (*meta.RESTMapping, error) {
	gv, err := schema.ParseGroupVersion(kind.APIVersion)
	if err != nil {
		return nil, err
	}
	mapping, err := w.mapper.RESTMapping(gv.WithKind(kind.Kind).GroupKind(), gv.Version)
	if err != nil {
		return nil, fmt.Errorf("cannot look up the kind %s %s: %w", kind.APIVersion, kind.Kind, err)
	}
	return mapping, nil
}
