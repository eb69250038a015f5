// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// AggregationLabel on a ClusterRole, with the value "true", makes its rules the controllers'.
const AggregationLabel = "config.porch.kpt.dev/aggregate-to-package-variants"

// DeniedError says that the controllers may not read a kind of objects.
type DeniedError struct {
	// Resource is the plural name of the kind with its group.
	Resource schema.GroupResource
	// Namespace is where they may not read it; empty for a cluster-scoped kind.
	Namespace string
}

// Error names the rule that is missing, and where it goes.
func (e *DeniedError) Error() string {
	return fmt.Sprintf(`the controller may not read %s%s: label a ClusterRole %s: "true" that has the rule {apiGroups: [%q], resources: [%q], verbs: [get, list, watch]}`,
		e.Resource, in(e.Namespace), AggregationLabel, e.Resource.Group, e.Resource.Resource)
}

// in returns the part of a message that says where; nothing for a cluster-scoped kind.
func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// kindWatch is the watch of a kind.
type kindWatch struct {
	informer cache.SharedIndexInformer
	stop     chan struct{}
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

// start starts the watch of a kind.
func (w *Watches) start(kind Kind, resource schema.GroupVersionResource, namespace string) (*kindWatch, error) {
	informer := metadatainformer.NewFilteredMetadataInformer(w.client, resource, namespace, 0, cache.Indexers{}, nil).Informer()
	if err := informer.SetTransform(trim); err != nil {
		return nil, err
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { w.changed(kind, o) },
		UpdateFunc: func(old, o any) {
			if !sameVersion(old, o) {
				w.changed(kind, o)
			}
		},
		DeleteFunc: func(o any) {
			if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = gone.Obj
			}
			w.changed(kind, o)
		},
	})
	if err != nil {
		return nil, err
	}
	watch := &kindWatch{informer: informer, stop: make(chan struct{})}
	go informer.Run(watch.stop)
	return watch, nil
}

// trim drops what nobody asks for.
func trim(o any) (any, error) {
	if object, ok := o.(*metav1.PartialObjectMetadata); ok {
		object.ManagedFields = nil
	}
	return o, nil
}

func sameVersion(a, b any) bool {
	x, okX := a.(*metav1.PartialObjectMetadata)
	y, okY := b.(*metav1.PartialObjectMetadata)
	return okX && okY && x.ResourceVersion == y.ResourceVersion
}

// changed notifies the users that are interested in an object.
func (w *Watches) changed(kind Kind, o any) {
	object, ok := o.(*metav1.PartialObjectMetadata)
	if !ok {
		return
	}
	w.mu.Lock()
	users := w.users.of(kind, object.Name)
	w.mu.Unlock()
	for _, user := range users {
		w.notify(user)
	}
}
