// SPDX-License-Identifier: Apache-2.0

// Package porch calls Porch's API, and knows how it differs from the API of Kubernetes itself.
package porch

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ConfigureCache makes a cache hold PackageRevisions as the controllers need them. reader returns a reader that asks
// Porch for one by name; it is not called before the cache is started.
func ConfigureCache(options *cache.Options, reader func() client.Reader) {
	if options.ByObject == nil {
		options.ByObject = map[client.Object]cache.ByObject{}
	}
	options.ByObject[&porchapi.PackageRevision{}] = cache.ByObject{Transform: Trim}
	namespaces := slices.Sorted(maps.Keys(options.DefaultNamespaces))
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	options.NewInformer = func(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration,
		indexers toolscache.Indexers) toolscache.SharedIndexInformer {
		return newInformer(lw, example, resync, indexers, asker{reader: reader, namespaces: namespaces})
	}
}

func newInformer(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration,
	indexers toolscache.Indexers, asker asker) toolscache.SharedIndexInformer {
	if _, ok := example.(*porchapi.PackageRevision); !ok {
		return toolscache.NewSharedIndexInformer(lw, example, resync, indexers)
	}
	lister := &relisting{ListerWatcherWithContext: toolscache.ToListerWatcherWithContext(lw), asker: asker}
	informer := toolscache.NewSharedIndexInformer(lister, example, resync, indexers)
	lister.store = informer.GetStore()
	return informer
}

// relisting lists again before each watch. Porch's resource versions have no order, so a watch cannot continue where
// the last one ended. It begins with all existing objects, and does not report those that were deleted before it: the
// list says which were deleted before the list, and opening which were deleted after it.
type relisting struct {
	toolscache.ListerWatcherWithContext
	// listed are the revisions of the last list; nil if it failed, or a watch has followed it.
	listed atomic.Pointer[revisions]
	asker
	// store has the known revisions.
	store toolscache.Store
}

// revisions are package revisions, by their names.
type revisions map[types.NamespacedName]bool

// asker asks Porch for a revision by name; without a reader, it asks nothing.
type asker struct {
	reader     func() client.Reader
	namespaces []string // listed namespaces; "" for all
}

// IsWatchListSemanticsUnSupported tells the reflector that Porch cannot list by a watch.
func (*relisting) IsWatchListSemanticsUnSupported() bool { return true }

// List implements toolscache.Lister.
func (r *relisting) List(options metav1.ListOptions) (runtime.Object, error) {
	return r.ListWithContext(context.Background(), options)
}

// Watch implements toolscache.Watcher.
func (r *relisting) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return r.WatchWithContext(context.Background(), options)
}

// ListWithContext implements toolscache.ListerWithContext.
func (r *relisting) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	all, listed, err := r.list(ctx, options)
	r.listed.Store(nil)
	if err == nil {
		r.listed.Store(&listed)
	}
	return all, err
}

// list lists, adds what the list lacks although it exists, and returns also the names.
func (r *relisting) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, revisions, error) {
	listed := revisions{}
	var all runtime.Object
	err := timed(listAll, func() (err error) {
		all, err = r.ListerWatcherWithContext.ListWithContext(ctx, options)
		return err
	})
	if list, ok := all.(*porchapi.PackageRevisionList); ok && err == nil {
		err = r.complete(ctx, list)
		for i := range list.Items {
			listed[client.ObjectKeyFromObject(&list.Items[i])] = true
		}
	}
	return all, listed, err
}

// WatchWithContext implements toolscache.WatcherWithContext.
func (r *relisting) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	listed := r.listed.Swap(nil)
	if listed == nil {
		return nil, apierrors.NewResourceExpired("PackageRevisions are listed before each watch")
	}
	options.ResourceVersion = ""
	w, err := r.ListerWatcherWithContext.WatchWithContext(ctx, options)
	if err != nil {
		return nil, err
	}
	return r.open(ctx, w, *listed), nil
}
