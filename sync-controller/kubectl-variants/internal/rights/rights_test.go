// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/objects"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	own    = "system:serviceaccount:package-variants-system:sync-controller"
	teamA  = "system:serviceaccount:package-variants-system:sync-controller-team-a"
	everyR = "list packagevariants.config.porch.kpt.dev in fleet"
)

var (
	errForbidden = apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))
	configMaps   = objects.Kind{APIVersion: "v1", Kind: "ConfigMap", Namespace: "fleet"}
	clusters     = objects.Kind{APIVersion: "infra.example.com/v1", Kind: "Cluster", Namespace: "fleet"}
)

// server is an API server that answers the questions of one user.
type server struct {
	client.Client
	// may are the ways in which the user may ask: review, local. grants are rights by user.
	may    []string
	grants map[string][]string
	fails  error
	asked  []string
}

func (*server) RESTMapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, meta.RESTScopeNamespace)
	m.Add(schema.GroupVersionKind{Group: "infra.example.com", Version: "v1", Kind: "Cluster"}, meta.RESTScopeRoot)
	return m
}

// allowed reports whether a user has a right.
func (s *server) allowed(user string, a *authorizationv1.ResourceAttributes) bool {
	resource := schema.GroupResource{Group: a.Group, Resource: a.Resource}.String()
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	return slices.Contains(s.grants[user], strings.TrimSpace(a.Verb+" "+resource+" in "+a.Namespace))
}

func (s *server) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	way := ""
	switch review := o.(type) {
	case *authorizationv1.SubjectAccessReview:
		review.Status.Allowed = s.allowed(review.Spec.User, review.Spec.ResourceAttributes)
		way = "review"
	case *authorizationv1.LocalSubjectAccessReview:
		review.Status.Allowed = s.allowed(review.Spec.User, review.Spec.ResourceAttributes)
		way = "local"
	}
	if !slices.Contains(s.may, way) {
		return errForbidden
	}
	s.asked = append(s.asked, way)
	return s.fails
}

func TestDenied(t *testing.T) {
	t.Parallel()
	all := map[string][]string{own: {everyR, "list configmaps in fleet", "get configmaps in fleet"}, teamA: {}}
	listOnly := map[string][]string{own: {everyR, "list configmaps in fleet", "list clusters.infra.example.com in"}}
	team := map[string][]string{own: {}, teamA: {everyR}}
	const denied = `the controller may not read configmaps in namespace fleet: label a ClusterRole ` +
		`config.porch.kpt.dev/aggregate-to-package-variants: "true" that has the rule {apiGroups: [""], ` +
		`resources: ["configmaps"], verbs: [get, list, watch]}`
	const deniedCluster = `the controller may not read clusters.infra.example.com: label a ClusterRole ` +
		`config.porch.kpt.dev/aggregate-to-package-variants: "true" that has the rule ` +
		`{apiGroups: ["infra.example.com"], resources: ["clusters"], verbs: [get, list, watch]}`
	both := []string{"local", "review"}
	const assumes = "The plan assumes that the controller may read ConfigMap (v1): "
	for name, c := range map[string]struct {
		server server
		kind   objects.Kind
		named  string
		want   string // the error
		note   string
		asked  []string
	}{
		"allowed": {server: server{may: both, grants: all}, asked: []string{"local", "local", "local"}},
		"only metadata may be read": {server: server{may: both, grants: listOnly}, want: denied,
			asked: []string{"local", "local", "local"}},
		"in no namespace": {server: server{may: both, grants: listOnly}, kind: clusters, want: deniedCluster,
			asked: []string{"local", "review", "review"}},
		"a kind that the cluster does not know": {server: server{may: both},
			kind: objects.Kind{APIVersion: "v1", Kind: "Nonsense", Namespace: "fleet"}},
		"by an administrator of the namespace": {server: server{may: []string{"local"}, grants: all},
			asked: []string{"local", "local", "local"}},
		"named": {server: server{may: both, grants: team},
			named: "package-variants-system/sync-controller-team-a", want: denied, asked: []string{"local", "local"}},
		"it does not work there": {server: server{may: both, grants: map[string][]string{}},
			note: assumes + `package-variants-system/sync-controller may not list packagevariants in the namespace "fleet", ` +
				"as its account may; name the ServiceAccount of the controller by --controller-account",
			asked: []string{"local"}},
		"the user may not ask": {server: server{grants: all}, note: assumes +
			"you may not find out what its account package-variants-system/sync-controller may do, for which you need the " +
			"right to create localsubjectaccessreviews, or subjectaccessreviews for what is in no namespace"},
		"the API server fails": {server: server{may: both, fails: errors.New("boom")}, note: assumes +
			"the API server does not say what package-variants-system/sync-controller may do: boom", asked: []string{"local"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := New(&c.server, c.named)
			if err != nil {
				t.Fatal(err)
			}
			kind := c.kind
			if kind.Kind == "" {
				kind = configMaps
			}
			for range 2 { // the second time nothing is asked
				got := ""
				if err := r.Denied(t.Context(), kind, "list", "get"); err != nil {
					got = err.Error()
				}
				if got != c.want {
					t.Errorf("error %s\nwant  %s", got, c.want)
				}
			}
			if diff := cmp.Diff(c.note, strings.Join(r.Notes(), "\n")); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, c.server.asked); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestApproval checks that the right to approve is asked for, too.
func TestApproval(t *testing.T) {
	t.Parallel()
	const approve = "patch packagerevisions.porch.kpt.dev/approval in fleet"
	right := &authorizationv1.ResourceAttributes{Namespace: "fleet", Verb: "patch", Group: "porch.kpt.dev",
		Resource: "packagerevisions", Subresource: "approval"}
	for want, grants := range map[bool][]string{false: {everyR}, true: {everyR, approve}} {
		r, err := New(&server{may: []string{"local"}, grants: map[string][]string{own: grants}}, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.May(t.Context(), right); got != want || err != nil {
			t.Errorf("with %v: %t, error %v", grants, got, err)
		}
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"sync-controller", "/a", "a/"} {
		want := `--controller-account is "` + account + `", but must be NAMESPACE/NAME of a ServiceAccount`
		if _, err := New(&server{}, account); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", account, err, want)
		}
	}
}
