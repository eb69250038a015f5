// SPDX-License-Identifier: Apache-2.0

// Package access asks for rights, and finds out in which namespaces the controller may work. A namespace without rights
// must be left out, because the controller's caches would wait for what they may not list there.
package access

import (
	"context"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Role is the ClusterRole that has the controller's rights.
const Role = "package-variants-sync-controller"

// listed are the resources that the controller lists in each namespace in which it works.
var listed = []schema.GroupResource{
	{Group: v1alpha1.GroupVersion.Group, Resource: "packagevariants"},
	{Group: v1alpha1.GroupVersion.Group, Resource: "packagevariantsets"},
	{Group: v1alpha1.GroupVersion.Group, Resource: "repositories"},
	{Group: "porch.kpt.dev", Resource: "packagerevisions"},
}

// Closed is a namespace in which the controller may not work.
type Closed struct {
	Namespace string
	// Missing are the resources that it may not list there.
	Missing []string
}

// String says what is missing, and how to grant it.
func (c Closed) String() string {
	return fmt.Sprintf("the controller does nothing in namespace %s, because it may not list %s there: bind its "+
		"ServiceAccount to the ClusterRole %s in that namespace", c.Namespace, strings.Join(c.Missing, ", "), Role)
}

// Survey returns the namespaces in which the controller may work, and the others. The error names the namespace for
// which the cluster did not answer.
func Survey(ctx context.Context, c client.Writer, namespaces []string) (open []string, closed []Closed, err error) {
	for _, namespace := range namespaces {
		missing, err := missingIn(ctx, c, namespace)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("cannot ask what the controller may do in namespace %s: %w", namespace, err)
		case len(missing) > 0:
			closed = append(closed, Closed{Namespace: namespace, Missing: missing})
		default:
			open = append(open, namespace)
		}
	}
	return open, closed, nil
}

// May asks the cluster whether the client's account has a right. The error is the cluster's.
func May(ctx context.Context, c client.Writer, right *authorizationv1.ResourceAttributes) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: right},
	}
	err := c.Create(ctx, review)
	return review.Status.Allowed, err
}

// missingIn returns what the controller may not list in a namespace.
func missingIn(ctx context.Context, c client.Writer, namespace string) (missing []string, err error) {
	for _, resource := range listed {
		may, err := May(ctx, c, &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: "list", Group: resource.Group, Resource: resource.Resource,
		})
		if err != nil {
			return nil, err
		}
		if !may {
			missing = append(missing, resource.String())
		}
	}
	return missing, nil
}
