// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/admission"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refuse returns an API server's error for a variant that violates its schema or the rules in it; nil for a valid
// variant, and for all other objects.
func refuse(ctx context.Context, gvk schema.GroupVersionKind, o client.Object) error {
	if _, is := o.(*v1alpha1.PackageVariant); !is {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return err
	}
	content["apiVersion"], content["kind"] = gvk.GroupVersion().String(), gvk.Kind
	delete(content, "status")
	why := admission.CheckObject(ctx, content)
	if why == nil {
		return nil
	}
	refused := apierrors.NewInvalid(gvk.GroupKind(), o.GetName(), nil)
	refused.ErrStatus.Message = fmt.Sprintf("%s %q is invalid: %v", gvk.GroupKind(), o.GetName(), why)
	return refused
}
