// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// errOtherWay says that a question has to be asked in another way.
var errOtherWay = errors.New("not in this way")

// ask asks whether an account has a right, in the first way that the user may. The error says why there is no answer.
func (c *Controller) ask(ctx context.Context, a account, right *authorizationv1.ResourceAttributes) (bool, error) {
	for _, way := range []func(context.Context, account, *authorizationv1.ResourceAttributes) (bool, error){
		c.asItself, c.byReview, c.byLocalReview, c.byImpersonation, c.byRoles,
	} {
		may, err := way(ctx, a, right)
		switch {
		case err == nil:
			return may, nil
		case !apierrors.IsForbidden(err) && !errors.Is(err, errOtherWay):
			return false, fmt.Errorf("the API server does not say what %s may do: %w", a, err)
		}
	}
	return false, fmt.Errorf("you may not find out what its account %s may do, for which you need the right to create "+
		"subjectaccessreviews, to impersonate that ServiceAccount, or to read roles and their bindings", a)
}

// self returns the name of the user; empty if the cluster does not say.
func (c *Controller) self(ctx context.Context) string {
	if c.user == nil {
		review := &authenticationv1.SelfSubjectReview{}
		if err := c.client.Create(ctx, review); err != nil {
			review.Status = authenticationv1.SelfSubjectReviewStatus{}
		}
		c.user = &review.Status.UserInfo.Username
	}
	return *c.user
}

// asItself asks for the user's own rights, if the user is the account.
func (c *Controller) asItself(ctx context.Context, a account, right *authorizationv1.ResourceAttributes) (bool, error) {
	if c.self(ctx) != a.user() {
		return false, errOtherWay
	}
	return access.May(ctx, c.client, right)
}

// byReview asks for the rights of another user, which needs a right in the whole cluster.
func (c *Controller) byReview(ctx context.Context, a account, right *authorizationv1.ResourceAttributes) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: a.spec(right)}
	err := c.client.Create(ctx, review)
	return review.Status.Allowed, err
}

// byLocalReview asks for the rights of another user in a namespace, which its administrators may.
func (c *Controller) byLocalReview(ctx context.Context, a account, right *authorizationv1.ResourceAttributes) (bool,
	error) {
	if right.Namespace == "" {
		return false, errOtherWay
	}
	review := &authorizationv1.LocalSubjectAccessReview{Spec: a.spec(right)}
	review.Namespace = right.Namespace
	err := c.client.Create(ctx, review)
	return review.Status.Allowed, err
}

// spec returns a question about the account.
func (a account) spec(right *authorizationv1.ResourceAttributes) authorizationv1.SubjectAccessReviewSpec {
	return authorizationv1.SubjectAccessReviewSpec{User: a.user(), Groups: a.groups(), ResourceAttributes: right}
}

// byImpersonation asks as the account for its own rights.
func (c *Controller) byImpersonation(ctx context.Context, a account, right *authorizationv1.ResourceAttributes) (bool,
	error) {
	if c.as == nil {
		return false, errOtherWay
	}
	as, err := c.as(a.user())
	if err != nil {
		return false, err
	}
	return access.May(ctx, as, right)
}
