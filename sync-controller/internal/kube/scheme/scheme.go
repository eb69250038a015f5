// SPDX-License-Identifier: Apache-2.0

// Package scheme lists the types that the controller and the kubectl plugin read and write.
package scheme

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// New returns the types of this API and of Porch's. An error is a type that is registered twice.
func New() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, v1alpha2.AddToScheme, porch.AddToScheme,
		authorizationv1.AddToScheme)
	return scheme, builder.AddToScheme(scheme)
}
