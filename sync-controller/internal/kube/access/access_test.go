// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// authorizer answers what may be listed, as namespace/resource.
type authorizer struct {
	client.Writer
	allowed map[string]bool
	err     error
}

func (a *authorizer) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	review, ok := o.(*authorizationv1.SelfSubjectAccessReview)
	if !ok || review.Spec.ResourceAttributes.Verb != "list" {
		return errors.New("it is no question whether something may be listed")
	}
	attributes := review.Spec.ResourceAttributes
	review.Status.Allowed = a.allowed[attributes.Namespace+"/"+attributes.Group+"/"+attributes.Resource]
	return a.err
}

// grant allows all that is listed in a namespace but the resources that are named.
func (a *authorizer) grant(namespace string, but ...string) *authorizer {
	if a.allowed == nil {
		a.allowed = map[string]bool{}
	}
	for _, resource := range listed {
		a.allowed[namespace+"/"+resource.Group+"/"+resource.Resource] = true
	}
	for _, resource := range but {
		a.allowed[namespace+"/"+resource] = false
	}
	return a
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	all := []string{"packagevariants.config.porch.kpt.dev", "packagevariantsets.config.porch.kpt.dev",
		"repositories.config.porch.kpt.dev", "packagerevisions.porch.kpt.dev"}
	a := (&authorizer{}).grant("a").grant("c").grant("d", "porch.kpt.dev/packagerevisions")
	open, closed, err := Survey(t.Context(), a, []string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c"}, open); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	want := []Closed{{Namespace: "b", Missing: all}, {Namespace: "d", Missing: all[3:]}}
	if diff := cmp.Diff(want, closed); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	const text = "the controller does nothing in namespace d, because it may not list packagerevisions.porch.kpt.dev " +
		"there: bind its ServiceAccount to the ClusterRole package-variants-sync-controller in that namespace"
	if got := closed[1].String(); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}

func TestSurveyWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	_, _, err := Survey(t.Context(), &authorizer{err: boom}, []string{"a"})
	const want = "cannot ask what the controller may do in namespace a: boom"
	if !errors.Is(err, boom) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
