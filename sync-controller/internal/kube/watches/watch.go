// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"context"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/engine/objects"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

const (
	// readTimeout is how long the first listing of the objects of a kind may take.
	readTimeout = 30 * time.Second
	// lookAgain is how often an unreadable kind is retried: no event reports a new kind or a new permission.
	lookAgain = 30 * time.Second
)

// kindWatch is the watch of a kind. Its informer and err are guarded by the lock of the Watches.
type kindWatch struct {
	kind     objects.Kind
	tried    chan struct{}   // closed after the first try
	ctx      context.Context // ends with the watch
	end      context.CancelFunc
	informer cache.SharedIndexInformer // nil while the kind cannot be read
	stop     context.CancelFunc        // stops the informer
	err      error
}

func newKindWatch(kind objects.Kind) *kindWatch {
	ctx, end := context.WithCancel(context.Background())
	return &kindWatch{kind: kind, tried: make(chan struct{}), ctx: ctx, end: end}
}

// stopInformer stops the informer. The lock of the Watches must be held.
func (k *kindWatch) stopInformer() {
	if k.stop != nil {
		k.stop()
	}
	k.informer, k.stop = nil, nil
}

// run watches a kind until it is no longer referred to.
func (w *Watches) run(watch *kindWatch) {
	err := w.try(watch)
	close(watch.tried)
	if err != nil {
		w.retry(watch)
	}
}

// retry tries to watch a kind again until it succeeds, and then notifies all users that refer to it.
func (w *Watches) retry(watch *kindWatch) {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		select {
		case <-watch.ctx.Done():
			return
		case <-ticker.C:
			if w.try(watch) == nil {
				w.notifyAll(watch.kind)
				return
			}
		}
	}
}

// try starts the informer of a kind and waits until it knows all objects. The error is kept in the watch.
func (w *Watches) try(watch *kindWatch) error {
	ctx, cancel := context.WithTimeout(watch.ctx, readTimeout)
	defer cancel()
	informer, stop, err := w.start(ctx, watch)
	if err == nil && !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		stop()
		err = fmt.Errorf("cannot read the %s objects in namespace %s: %w", watch.kind.Kind, watch.kind.Namespace, ctx.Err())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if watch.err = err; err == nil {
		watch.informer, watch.stop = informer, stop
	}
	return err
}

// start starts an informer for a kind, if the objects may be listed.
func (w *Watches) start(ctx context.Context, watch *kindWatch) (cache.SharedIndexInformer, context.CancelFunc, error) {
	resource, namespace, err := w.readable(ctx, watch.kind)
	if err != nil {
		return nil, nil, err
	}
	informer := metadatainformer.NewFilteredMetadataInformer(w.client, resource, namespace, 0, cache.Indexers{},
		nil).Informer()
	if err := informer.SetTransform(ctrlcache.TransformStripManagedFields()); err != nil {
		return nil, nil, err
	}
	if err := informer.SetWatchErrorHandlerWithContext(w.watchFailed(watch.kind)); err != nil {
		return nil, nil, err
	}
	if _, err := informer.AddEventHandler(w.handler(watch.kind)); err != nil {
		return nil, nil, err
	}
	informerCtx, stop := context.WithCancel(watch.ctx)
	go informer.RunWithContext(informerCtx)
	return informer, stop, nil
}

// handler notifies users of events of a kind's objects.
func (w *Watches) handler(kind objects.Kind) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { w.changed(kind, o) },
		UpdateFunc: func(old, o any) {
			if !sameVersion(old, o) {
				w.changed(kind, o)
			}
		},
		DeleteFunc: func(o any) { w.changed(kind, o) },
	}
}

// watchFailed handles errors of a kind's informer. If the objects can no longer be read, it notifies all users that
// refer to the kind. Being refused only the watch does not count: the informer then lists the objects again and again.
func (w *Watches) watchFailed(kind objects.Kind) cache.WatchErrorHandlerWithContext {
	return func(ctx context.Context, reflector *cache.Reflector, err error) {
		cache.DefaultWatchErrorHandler(ctx, reflector, err)
		if !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
			return
		}
		if _, _, err := w.readable(ctx, kind); objects.Lasting(err) && w.lose(kind, err) {
			w.notifyAll(kind)
		}
	}
}

// readable returns the resource of a kind, and the namespace to list it in, if the objects may be listed.
func (w *Watches) readable(ctx context.Context, kind objects.Kind) (schema.GroupVersionResource, string, error) {
	mapping, err := w.mapping(kind)
	if err != nil {
		return schema.GroupVersionResource{}, "", err
	}
	namespace := kind.Namespace
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = metav1.NamespaceAll
	}
	err = w.mayRead(ctx, mapping.Resource, namespace)
	if apierrors.IsNotFound(err) { // the mapper remembers kinds
		err = &UnknownKindError{Kind: kind}
	}
	return mapping.Resource, namespace, err
}

// mapping looks up a kind. The error is an *UnknownKindError if the cluster does not know it.
func (w *Watches) mapping(kind objects.Kind) (*meta.RESTMapping, error) {
	gv, err := schema.ParseGroupVersion(kind.APIVersion)
	if err != nil {
		return nil, err
	}
	mapping, err := w.mapper.RESTMapping(gv.WithKind(kind.Kind).GroupKind(), gv.Version)
	if meta.IsNoMatchError(err) {
		return nil, &UnknownKindError{Kind: kind}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot look up the kind %s %s: %w", kind.APIVersion, kind.Kind, err)
	}
	return mapping, nil
}

// mayRead returns a *DeniedError if the objects may not be listed.
func (w *Watches) mayRead(ctx context.Context, resource schema.GroupVersionResource, namespace string) error {
	_, err := w.client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if apierrors.IsForbidden(err) {
		return &DeniedError{Resource: resource.GroupResource(), Namespace: namespace}
	}
	if err != nil {
		return fmt.Errorf("cannot list %s%s: %w", resource.GroupResource(), in(namespace), err)
	}
	return nil
}

// changed notifies the users that refer to an object.
func (w *Watches) changed(kind objects.Kind, o any) {
	object, err := cache.DeletionHandlingObjectToName(o)
	if err != nil {
		return
	}
	w.mu.Lock()
	users := w.users.of(kind, object.Name)
	w.mu.Unlock()
	w.tell(users)
}

// notifyAll notifies the users that refer to any object of a kind.
func (w *Watches) notifyAll(kind objects.Kind) {
	w.mu.Lock()
	users := w.users.all(kind)
	w.mu.Unlock()
	w.tell(users)
}

func (w *Watches) tell(users []types.NamespacedName) {
	for _, user := range users {
		w.notify(user)
	}
}

func sameVersion(a, b any) bool {
	x, okX := a.(*metav1.PartialObjectMetadata)
	y, okY := b.(*metav1.PartialObjectMetadata)
	return okX && okY && x.ResourceVersion == y.ResourceVersion
}
