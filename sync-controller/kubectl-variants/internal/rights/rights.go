// SPDX-License-Identifier: Apache-2.0

// Package rights finds out what the controller may do in a cluster: a plan that is made with the rights of a user says
// what the controller does with its own. What the user may not find out is assumed, and noted.
package rights

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// usual is the ServiceAccount of a controller that is installed as the manual says, as NAMESPACE/NAME.
const usual = "package-variants-system/sync-controller"

// Controller is the controller of a cluster, as far as its rights matter. Each question is asked once.
type Controller struct {
	// client is the user's. namespace and name are those of the controller's ServiceAccount.
	client          client.Client
	namespace, name string

	mu      sync.Mutex
	answers map[authorizationv1.ResourceAttributes]answer
	assumed map[string][]string // what is assumed, by the reason
}

// answer is that to a question, or why there is none.
type answer struct {
	allowed bool
	err     error
}

// New returns the controller of the cluster that a user's client reaches. account is the controller's ServiceAccount,
// as NAMESPACE/NAME; "" stands for that of the usual installation.
func New(c client.Client, account string) (*Controller, error) {
	namespace, name, two := strings.Cut(cmp.Or(account, usual), "/")
	if !two || namespace == "" || name == "" {
		return nil, fmt.Errorf("--controller-account is %q, but must be NAMESPACE/NAME of a ServiceAccount", account)
	}
	return &Controller{client: client.NewDryRunClient(c), namespace: namespace, name: name,
		answers: map[authorizationv1.ResourceAttributes]answer{}, assumed: map[string][]string{}}, nil
}

// Denied returns an *watches.DeniedError if the controller lacks one of the verbs for the objects of a kind.
func (c *Controller) Denied(ctx context.Context, kind objects.Kind, verbs ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	mapping, err := c.client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil // reading the objects says what is wrong
	}
	resource, namespace := mapping.Resource.GroupResource(), kind.Namespace
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = metav1.NamespaceAll
	}
	for _, verb := range verbs {
		right := authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: resource.Group,
			Version: gvk.Version, Resource: resource.Resource}
		if !c.may(ctx, kind.Namespace, &right, fmt.Sprintf("read %s (%s)", kind.Kind, kind.APIVersion)) {
			return &watches.DeniedError{Resource: resource, Namespace: namespace}
		}
	}
	return nil
}

// May reports whether the controller has a right in a namespace. The error is always nil: what cannot be found out is
// assumed.
func (c *Controller) May(ctx context.Context, right *authorizationv1.ResourceAttributes) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what := strings.TrimSuffix(fmt.Sprintf("%s %s/%s", right.Verb, right.Resource, right.Subresource), "/")
	return c.may(ctx, right.Namespace, right, what), nil
}

// may reports whether the controller of a namespace has a right, which is called so in notes. The lock must be held.
func (c *Controller) may(ctx context.Context, namespace string, right *authorizationv1.ResourceAttributes,
	what string) bool {
	err := c.worksIn(ctx, namespace)
	if err == nil {
		got := c.ask(ctx, right)
		if got.err == nil {
			return got.allowed
		}
		err = got.err
	}
	c.assumed[err.Error()] = append(c.assumed[err.Error()], what)
	return true
}

// worksIn returns an error if the account is not that of the controller which works in a namespace: that one may list
// PackageVariants there.
func (c *Controller) worksIn(ctx context.Context, namespace string) error {
	works := c.ask(ctx, &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list",
		Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Resource: "packagevariants"})
	if works.err == nil && !works.allowed {
		return fmt.Errorf("%s/%s may not list packagevariants in the namespace %q, as its account may; name the "+
			"ServiceAccount of the controller by --controller-account", c.namespace, c.name, namespace)
	}
	return works.err
}

// ask asks whether the account has a right, which administrators of a namespace may ask for what is in it.
func (c *Controller) ask(ctx context.Context, right *authorizationv1.ResourceAttributes) answer {
	got, asked := c.answers[*right]
	if asked {
		return got
	}
	spec := authorizationv1.SubjectAccessReviewSpec{
		User: "system:serviceaccount:" + c.namespace + ":" + c.name, ResourceAttributes: right,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + c.namespace, "system:authenticated"},
	}
	if right.Namespace == metav1.NamespaceAll {
		review := &authorizationv1.SubjectAccessReview{Spec: spec}
		got.err = c.client.Create(ctx, review)
		got.allowed = review.Status.Allowed
	} else {
		review := &authorizationv1.LocalSubjectAccessReview{Spec: spec}
		review.Namespace = right.Namespace
		got.err = c.client.Create(ctx, review)
		got.allowed = review.Status.Allowed
	}
	switch {
	case apierrors.IsForbidden(got.err):
		got.err = fmt.Errorf("you may not find out what its account %s/%s may do, for which you need the right to create "+
			"localsubjectaccessreviews, or subjectaccessreviews for what is in no namespace", c.namespace, c.name)
	case got.err != nil:
		got.err = fmt.Errorf("the API server does not say what %s/%s may do: %w", c.namespace, c.name, got.err)
	}
	c.answers[*right] = got
	return got
}

// Notes say what was assumed so far, and why; none if nothing was.
func (c *Controller) Notes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var notes []string
	for why, what := range c.assumed {
		slices.Sort(what)
		notes = append(notes, fmt.Sprintf("The plan assumes that the controller may %s: %s",
			strings.Join(slices.Compact(what), ", "), why))
	}
	slices.Sort(notes)
	return notes
}
