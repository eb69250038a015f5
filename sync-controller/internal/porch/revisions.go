// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// AddToScheme adds Porch's types to a scheme. An error is a type that is registered twice.
func AddToScheme(scheme *runtime.Scheme) error {
	builder := runtime.NewSchemeBuilder(porchapi.AddToScheme, configapi.AddToScheme)
	return builder.AddToScheme(scheme)
}

// ApprovalAttributes returns the question to the cluster whether someone may approve package revisions in a namespace.
func ApprovalAttributes(namespace string) *authorizationv1.ResourceAttributes {
	return &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "patch",
		Group: porchapi.SchemeGroupVersion.Group, Resource: "packagerevisions", Subresource: "approval"}
}

// NewRevision returns an empty PackageRevision, for functions that take an object to name a kind.
func NewRevision() client.Object { return &porchapi.PackageRevision{} }

// NewRevisionList returns an empty list of PackageRevisions, for functions that take a list to name a kind.
func NewRevisionList() client.ObjectList { return &porchapi.PackageRevisionList{} }

// RevisionOf returns what is known of a PackageRevision, and false for an object of another kind.
func RevisionOf(o client.Object) (revision.Revision, bool) {
	pr, ok := o.(*porchapi.PackageRevision)
	if !ok {
		return revision.Revision{}, false
	}
	return Revision(pr), true
}

// GetRevision returns the revision of that name from a cache. The error satisfies apierrors.IsNotFound if there is
// none.
func GetRevision(ctx context.Context, cache client.Reader, namespace, name string) (revision.Revision, error) {
	var pr porchapi.PackageRevision
	if err := cache.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &pr); err != nil {
		return revision.Revision{}, err
	}
	return Revision(&pr), nil
}

// EachRevision calls see for each revision in a cache that the options select, with the object that it was read from.
// Neither may be changed.
func EachRevision(ctx context.Context, cache client.Reader, see func(metav1.Object, revision.Revision),
	options ...client.ListOption) error {
	var list porchapi.PackageRevisionList
	if err := cache.List(ctx, &list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		return err
	}
	for i := range list.Items {
		see(&list.Items[i], Revision(&list.Items[i]))
	}
	return nil
}

// FindRevisions returns the revisions in a cache that the options select, in the order of their names.
func FindRevisions(ctx context.Context, cache client.Reader, options ...client.ListOption) (
	[]revision.Revision, error) {
	found := []revision.Revision{}
	err := EachRevision(ctx, cache, func(_ metav1.Object, r revision.Revision) { found = append(found, r) }, options...)
	slices.SortFunc(found, revision.ByName)
	return found, err
}
