// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/ttlcache"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// keptAnswers is how many answers about rights are kept, each for answerFor.
const keptAnswers, answerFor = 1024, 10 * time.Second

// rights asks what a client's account may do, and keeps the answers for a short time.
type rights struct {
	client client.Writer
	kept   *ttlcache.Values[bool]
}

func newRights(c client.Writer) rights { return rights{c, ttlcache.New[bool](keptAnswers, answerFor)} }

// may reports whether the account has a right.
func (r rights) may(ctx context.Context, right *authorizationv1.ResourceAttributes) (bool, error) {
	return r.kept.Get(right.String(), func() (bool, error) { return access.May(ctx, r.client, right) })
}

// MayApprove returns a function that asks whether the client's account may approve package revisions in a namespace.
func MayApprove(c client.Writer) func(ctx context.Context, namespace string) (bool, error) {
	rights := newRights(c)
	return func(ctx context.Context, namespace string) (bool, error) {
		return rights.may(ctx, porch.ApprovalAttributes(namespace))
	}
}

// mayWrite reports whether the account may write variants by a verb.
func (r rights) mayWrite(ctx context.Context, verb, namespace string) (bool, error) {
	return r.may(ctx, &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb,
		Group: v1alpha1.GroupVersion.Group, Resource: "packagevariants"})
}
