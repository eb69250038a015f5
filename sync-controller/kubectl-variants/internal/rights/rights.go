// SPDX-License-Identifier: Apache-2.0

// Package rights finds out what the controller may do in a cluster: a plan that is made with the rights of a user says
// what the controller does with its own. What the user may not find out is assumed, and noted.
package rights

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Controller is the controller of a cluster, as far as its rights matter. Each question is asked once.
type Controller struct {
	// client is the user's; nil for a snapshot. as returns a client that acts as another user.
	client client.Client
	as     func(user string) (client.Client, error)
	// named is the account that the user names; empty to find it.
	named string

	mu       sync.Mutex
	user     *string
	accounts map[string]found
	answers  map[question]bool
	assumed  map[string][]string // what is assumed, by the reason
}

// question is whether the controller of a namespace has a right.
type question struct {
	namespace string
	right     authorizationv1.ResourceAttributes
}

// New returns the controller of the cluster that a user's client reaches. account is the controller's ServiceAccount,
// as NAMESPACE/NAME; without it the account is found by its labels. as returns a client that acts as another user; it
// may be nil.
func New(c client.Client, account string, as func(user string) (client.Client, error)) (*Controller, error) {
	if namespace, name, two := strings.Cut(account, "/"); account != "" && (!two || namespace == "" || name == "") {
		return nil, fmt.Errorf("--controller-account is %q, but must be NAMESPACE/NAME of a ServiceAccount", account)
	}
	r := OfSnapshot()
	r.client, r.as, r.named = client.NewDryRunClient(c), as, account
	return r, nil
}

// OfSnapshot returns the controller of a cluster that cannot be asked: it is assumed to have all rights.
func OfSnapshot() *Controller {
	return &Controller{accounts: map[string]found{}, answers: map[question]bool{}, assumed: map[string][]string{}}
}

// Denied returns an *watches.DeniedError if the controller lacks one of the verbs for the objects of a kind.
func (c *Controller) Denied(ctx context.Context, kind objects.Kind, verbs ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	resource, namespace := schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, kind.Namespace
	if c.client != nil {
		mapping, err := c.client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return nil // reading the objects says what is wrong
		}
		if resource = mapping.Resource.GroupResource(); mapping.Scope.Name() == meta.RESTScopeNameRoot {
			namespace = metav1.NamespaceAll
		}
	}
	for _, verb := range verbs {
		right := authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: resource.Group,
			Version: gvk.Version, Resource: resource.Resource}
		if !c.may(ctx, question{kind.Namespace, right}, fmt.Sprintf("read %s (%s)", kind.Kind, kind.APIVersion)) {
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
	return c.may(ctx, question{right.Namespace, *right}, what), nil
}

// may answers a question, about what is called so in notes. The lock must be held.
func (c *Controller) may(ctx context.Context, q question, what string) bool {
	if answer, asked := c.answers[q]; asked {
		return answer
	}
	account, err := c.accountIn(ctx, q.namespace)
	allowed := true
	if err == nil {
		allowed, err = c.ask(ctx, account, &q.right)
	}
	if err != nil {
		allowed = true
		c.assumed[err.Error()] = append(c.assumed[err.Error()], what)
	}
	c.answers[q] = allowed
	return allowed
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
