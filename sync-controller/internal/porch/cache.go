// SPDX-License-Identifier: Apache-2.0

// Package porch calls Porch's API, and knows how it differs from the API of Kubernetes itself.
package porch

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
	options.NewInformer = func(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration,
		indexers toolscache.Indexers) toolscache.SharedIndexInformer {
		return newInformer(lw, example, resync, indexers, reader)
	}
}

func newInformer(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration,
	indexers toolscache.Indexers, reader func() client.Reader) toolscache.SharedIndexInformer {
	if _, ok := example.(*porchapi.PackageRevision); !ok {
		return toolscache.NewSharedIndexInformer(lw, example, resync, indexers)
	}
	lister := &relisting{ListerWatcherWithContext: toolscache.ToListerWatcherWithContext(lw), reader: reader}
	informer := toolscache.NewSharedIndexInformer(lister, example, resync, indexers)
	lister.store = informer.GetStore()
	return informer
}

// relisting lists again before each watch. Porch's resource versions have no order, so a watch cannot continue where
// the last one ended. It begins with all existing objects, and does not report those that were deleted before it: the
// list shows which were.
type relisting struct {
	toolscache.ListerWatcherWithContext
	// listed reports whether the last list succeeded, and no watch has followed it.
	listed atomic.Bool
	// reader asks Porch for a revision by name.
	reader func() client.Reader
	// store has the known revisions.
	store toolscache.Store
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
	var all runtime.Object
	err := timed(listAll, func() (err error) {
		all, err = r.ListerWatcherWithContext.ListWithContext(ctx, options)
		return err
	})
	if list, ok := all.(*porchapi.PackageRevisionList); ok && err == nil && len(list.Items) == 0 {
		err = r.confirmEmpty(ctx)
	}
	r.listed.Store(err == nil)
	return all, err
}

// confirmEmpty returns an error for a list without revisions, unless none is known, or Porch says that a known one is
// gone: while the database of its cache is down, Porch v1.5 lists nothing, and returns no error.
func (r *relisting) confirmEmpty(ctx context.Context) error {
	known := r.store.ListKeys()
	if len(known) == 0 {
		return nil
	}
	namespace, name, err := toolscache.SplitMetaNamespaceKey(known[0])
	if err == nil {
		err = r.reader().Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &porchapi.PackageRevision{})
	}
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err == nil:
		return fmt.Errorf("cannot list package revisions: Porch lists none, although %s exists", known[0])
	}
	return fmt.Errorf("cannot list package revisions: Porch lists none, and does not say whether %s exists: %w",
		known[0], err)
}

// WatchWithContext implements toolscache.WatcherWithContext.
func (r *relisting) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if !r.listed.Swap(false) {
		return nil, apierrors.NewResourceExpired("PackageRevisions are listed before each watch")
	}
	options.ResourceVersion = ""
	return r.ListerWatcherWithContext.WatchWithContext(ctx, options)
}
