// SPDX-License-Identifier: Apache-2.0

// Package memory is a Kubernetes API and a Porch in memory, over which the reconcilers run in tests and in the plan of
// the kubectl plugin: the objects of a cluster, from files or read from one, with all writes laid over them. It writes
// nowhere else.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/tasks"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Contents returns the content of a package revision, as it was before anything was written.
type Contents func(ctx context.Context, key types.NamespacedName) (*porchapi.PackageRevisionResources, error)

// Unknown returns the objects of a kind that the world does not know; nil for a world that has all objects.
type Unknown func(ctx context.Context, kind schema.GroupVersionKind, namespace string) ([]*unstructured.Unstructured,
	error)

// World holds the objects. Reads answer as an API server's do, and find what was written; it implements porch.API.
type World struct {
	types    *runtime.Scheme
	contents Contents
	// kept are contents that were read, by the key of the revision.
	kept    *lru.Cache
	unknown Unknown
	// render is what Porch does to the files of a draft when it creates, saves or changes the draft.
	render Render
	// memo predicts what Porch makes of the files.
	memo *tasks.Memo
	// admit is what an API server asks before it stores an object.
	admit Admission
	// rights is what the controller may do.
	rights Rights

	mu      sync.Mutex
	stores  map[schema.GroupKind]*store
	drafts  map[types.NamespacedName]*porchapi.PackageRevisionResources // contents that were written
	made    map[types.NamespacedName]map[string]string                  // what was created, with its first files
	now     time.Time
	version int
	writes  []Write
	commits bool // whether versions of package revisions are commits
	hidden  bool // whether only locks tell commits
}

// Render returns the files of a package as they are after Porch has saved them. The error is that of a pipeline.
type Render func(ctx context.Context, files map[string]string) (map[string]string, error)

// Admission returns the error of an API server that does not store an object of a kind; nil if it does.
type Admission func(ctx context.Context, kind schema.GroupVersionKind, o client.Object) error

// Rights reports whether the controller has a right.
type Rights func(ctx context.Context, right *authorizationv1.ResourceAttributes) (bool, error)

// Write is a write to the world.
type Write struct {
	// Verb and Resource are those of the request: create, packagerevisions. Subresource may be empty.
	Verb, Resource, Subresource, Name string
}

// Request returns the verb and the resource of the request, as in patch packagerevisions/approval.
func (w *Write) Request() string {
	return strings.TrimSuffix(w.Verb+" "+w.Resource+"/"+w.Subresource, "/")
}

// New returns a world without objects, whose types are those of a scheme. Contents are read when they are asked for.
func New(scheme *runtime.Scheme, contents Contents, unknown Unknown, render Render) *World {
	w := &World{types: scheme, contents: contents, unknown: unknown, render: render, admit: all, rights: may,
		memo: tasks.NewMemo(), kept: lru.New(maxKept),
		stores: map[schema.GroupKind]*store{}, drafts: map[types.NamespacedName]*porchapi.PackageRevisionResources{},
		made: map[types.NamespacedName]map[string]string{}, now: time.Now().UTC().Truncate(time.Second)}
	for _, field := range []string{"spec.repository", "spec.packageName"} {
		w.store(revisions.GroupKind()).addIndex(field, func(o client.Object) []string {
			if pr, ok := o.(*porchapi.PackageRevision); ok {
				return []string{fieldsOf(pr)[field]}
			}
			return nil
		})
	}
	return w
}

// KeepInGit gives written package revisions git commits as versions, as Porch's cache in custom resources does. Without
// it they get opaque versions, as with the cache in PostgreSQL.
func (w *World) KeepInGit() { w.commits = true }

// HideCommits has the world know commits that only the locks of packages tell, as Porch's database does. Without it,
// the lock of a package has no commit if the version of its upstream has none.
func (w *World) HideCommits() { w.hidden = true }

// Share has the world keep what it finds out about files where others keep it, too.
func (w *World) Share(memo *tasks.Memo) { w.memo = memo }

// all admits all objects.
func all(context.Context, schema.GroupVersionKind, client.Object) error { return nil }

// may gives all rights.
func may(context.Context, *authorizationv1.ResourceAttributes) (bool, error) { return true, nil }

// AskRights makes the world answer by a function what the controller may do. Without it the controller may do all.
func (w *World) AskRights(rights Rights) { w.rights = rights }

// AskFirst makes the world store only admitted objects from now on. Without it all objects are stored.
func (w *World) AskFirst(admit Admission) { w.admit = admit }

// Clone returns a world with the same objects and contents, in which nothing is written yet.
func (w *World) Clone() *World {
	w.mu.Lock()
	defer w.mu.Unlock()
	written := maps.Clone(w.drafts)
	c := New(w.types, func(ctx context.Context, key types.NamespacedName) (*porchapi.PackageRevisionResources, error) {
		if content := written[key]; content != nil {
			return content, nil
		}
		return w.read(ctx, key)
	}, w.unknown, w.render)
	c.now, c.commits, c.hidden, c.admit, c.rights = w.now, w.commits, w.hidden, w.admit, w.rights
	c.memo = w.memo
	for kind, s := range w.stores {
		c.stores[kind] = s.clone()
	}
	return c
}

// kindOf returns the kind of an object, or of the items of a list.
func (w *World) kindOf(o runtime.Object) (schema.GroupVersionKind, error) {
	gvk, err := apiutil.GVKForObject(o, w.types)
	if err != nil {
		return gvk, fmt.Errorf("cannot look up the kind of %T: %w", o, err)
	}
	if _, one := o.(client.Object); !one {
		gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	}
	return gvk, nil
}

// store returns the objects of a kind. The lock must be held.
func (w *World) store(kind schema.GroupKind) *store {
	if w.stores[kind] == nil {
		w.stores[kind] = newStore()
	}
	return w.stores[kind]
}

// IndexField implements client.FieldIndexer. It must be called before objects of the kind are added.
func (w *World) IndexField(_ context.Context, o client.Object, field string, values client.IndexerFunc) error {
	gvk, err := w.kindOf(o)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store(gvk.GroupKind()).addIndex(field, values)
	return nil
}

// Add adds an object, or replaces it, as it is. This does not count as a write.
func (w *World) Add(o client.Object) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(o)
}

// put stores an object. The lock must be held.
func (w *World) put(o client.Object) error {
	gvk, err := w.kindOf(o)
	if err != nil {
		return err
	}
	if pr, ok := o.(*porchapi.PackageRevision); ok {
		if _, err := porch.Trim(pr); err != nil { // as the cache does
			return err
		}
	}
	w.store(gvk.GroupKind()).put(o)
	return nil
}

// Drop removes an object, regardless of its finalizers, and what it alone owns. This does not count as a write. An
// object that the world does not know yet stays away, too.
func (w *World) Drop(kind schema.GroupKind, key types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.store(kind)
	s.gone[key] = true
	if o := s.get(key); o != nil {
		w.remove(s, o)
	}
}

// Version changes with each write.
func (w *World) Version() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version
}

// Writes returns what was written since Writes was called last, in order.
func (w *World) Writes() []Write {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes := w.writes
	w.writes = nil
	return writes
}

// Original returns the files that a package revision had before anything was written to it: those with which it was
// made, if it did not exist.
func (w *World) Original(ctx context.Context, key types.NamespacedName) (map[string]string, error) {
	w.mu.Lock()
	made := w.made[key]
	w.mu.Unlock()
	if made != nil {
		return made, nil
	}
	content, err := w.read(ctx, key)
	if err != nil {
		return nil, err
	}
	return content.Spec.Resources, nil
}

// maxKept is how many contents are kept: only upstreams are needed by many variants.
const maxKept = 100

// read returns the content of a package revision as it was before anything was written. It must not be changed.
func (w *World) read(ctx context.Context, key types.NamespacedName) (*porchapi.PackageRevisionResources, error) {
	if kept, ok := w.kept.Get(key); ok {
		if content, ok := kept.(*porchapi.PackageRevisionResources); ok {
			return content, nil
		}
	}
	content, err := w.contents(ctx, key)
	if err == nil {
		w.kept.Add(key, content)
	}
	return content, err
}

// Metadata lists the objects of a kind in a namespace, and of those in none, for package objects.
func (w *World) Metadata(ctx context.Context, kind schema.GroupVersionKind, namespace string) (
	[]*metav1.PartialObjectMetadata, error) {
	if err := w.learn(ctx, kind, namespace); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*metav1.PartialObjectMetadata
	for _, o := range w.store(kind.GroupKind()).all() {
		if ns := o.GetNamespace(); ns != "" && ns != namespace {
			continue
		}
		out = append(out, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: o.GetName(), Namespace: o.GetNamespace(), UID: o.GetUID(), ResourceVersion: o.GetResourceVersion(),
			Labels: o.GetLabels(), Annotations: o.GetAnnotations(),
		}})
	}
	slices.SortFunc(out, func(a, b *metav1.PartialObjectMetadata) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// learn requests the objects of a kind that the world does not know, once. Objects that the world already has stay as
// they are.
func (w *World) learn(ctx context.Context, kind schema.GroupVersionKind, namespace string) error {
	w.mu.Lock()
	asked := w.store(kind.GroupKind()).asked[namespace]
	w.mu.Unlock()
	if w.unknown == nil || asked || w.types.Recognizes(kind) {
		return nil
	}
	found, err := w.unknown(ctx, kind, namespace)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.store(kind.GroupKind())
	s.asked[namespace] = true
	for _, o := range found {
		if key := client.ObjectKeyFromObject(o); s.get(key) == nil && !s.gone[key] {
			s.put(o)
		}
	}
	return nil
}

// IsPlanned reports whether an object was made in the world and does not exist outside of it.
func IsPlanned(o client.Object) bool { return strings.HasPrefix(string(o.GetUID()), planned) }
