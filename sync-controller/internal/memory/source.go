// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/engine/objects"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Source returns a source of the objects that are in a world, which is read by reader. Each kind is read once, unless
// unreadable returns an error for it.
func (w *World) Source(reader client.Reader, unreadable func(context.Context, objects.Kind) error) objects.Source {
	list := func(ctx context.Context, kind objects.Kind) ([]*metav1.PartialObjectMetadata, error) {
		gv, err := schema.ParseGroupVersion(kind.APIVersion)
		if err = errors.Join(err, unreadable(ctx, kind)); err != nil {
			return nil, err
		}
		return w.Metadata(ctx, gv.WithKind(kind.Kind), kind.Namespace)
	}
	get := func(ctx context.Context, r objects.Reference, namespace string) (map[string]any, error) {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion(r.APIVersion)
		u.SetKind(r.Kind.Kind)
		err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: r.Name}, u)
		switch {
		case apierrors.IsNotFound(err):
			return nil, nil
		case apierrors.IsForbidden(err):
			return nil, fmt.Errorf("%w: %w", objects.ErrDenied, err)
		case err != nil:
			return nil, fmt.Errorf("cannot read the %s %q: %w", r.Kind.Kind, r.Name, err)
		}
		return u.Object, nil
	}
	return objects.NewStatic(list, get)
}
