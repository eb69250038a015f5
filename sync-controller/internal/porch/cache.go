// SPDX-License-Identifier: Apache-2.0

// Package porch calls Porch's API, and knows how it differs from the API of Kubernetes itself.
package porch

import (
	"context"
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

// ConfigureCache makes a cache hold PackageRevisions as the controllers need them.
func ConfigureCache(options *cache.Options) {
	if options.ByObject == nil {
		options.ByObject = map[client.Object]cache.ByObject{}
	}
	options.ByObject[&porchapi.PackageRevision{}] = cache.ByObject{Transform: Trim}
	options.NewInformer = newInformer
}

func newInformer(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration,
	indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	if _, ok := example.(*porchapi.PackageRevision); ok {
		lw = &relisting{ListerWatcherWithContext: toolscache.ToListerWatcherWithContext(lw)}
	}
	return toolscache.NewSharedIndexInformer(lw, example, resync, indexers)
}

// relisting lists anew before each watch. Porch's resource versions are git commits: a watch cannot go on where the
// last one ended, it begins with all objects there are, and does not tell of those that went in between.
type relisting struct {
	toolscache.ListerWatcherWithContext
	listed atomic.Bool
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
	r.listed.Store(err == nil)
	return all, err
}

// WatchWithContext implements toolscache.WatcherWithContext.
func (r *relisting) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if !r.listed.Swap(false) {
		return nil, apierrors.NewResourceExpired("PackageRevisions are listed before each watch")
	}
	options.ResourceVersion = ""
	return r.ListerWatcherWithContext.WatchWithContext(ctx, options)
}
