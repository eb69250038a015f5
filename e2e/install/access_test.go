// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// account is the user name of the controller in Kubernetes.
const account = "system:serviceaccount:" + namespace + ":sync-controller"

// verbs are those of the API, and those by which a user gets more rights than he has.
var verbs = []string{
	"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate", "bind", "escalate",
}

const (
	read  = "get list watch"
	write = "get list watch create patch delete"
)

// rights are verbs by resource, as in events.k8s.io/events. Verbs are in the order of verbs, between blanks.
type rights map[string]string

// What a controller may do in a namespace that it works in, in its own, and without a namespace.
var (
	working = rights{
		"config.porch.kpt.dev/packagevariants":           "list watch create patch delete",
		"config.porch.kpt.dev/packagevariants/status":    "patch",
		"config.porch.kpt.dev/packagevariantsets":        "list watch",
		"config.porch.kpt.dev/packagevariantsets/status": "patch",
		"config.porch.kpt.dev/repositories":              "list watch",
		"porch.kpt.dev/packagerevisions":                 write,
		"porch.kpt.dev/packagerevisionresources":         "get update",
		"events.k8s.io/events":                           "create patch",
	}
	home      = rights{"coordination.k8s.io/leases": "get create update", "/events": "create"}
	questions = rights{
		"authentication.k8s.io/tokenreviews":        "create",
		"authorization.k8s.io/subjectaccessreviews": "create",
	}
)

// access checks that the controller can do what it needs, and nothing else with any resource that the API serves; and
// that a labelled ClusterRole of an administrator adds to it, and a RoleBinding the right to approve.
func access(t *testing.T, g *guide) {
	everywhere := union(working, questions)
	granted := rights{"/configmaps": read}
	resources := served(t, g)
	for _, resource := range []string{"/secrets", "/pods", "/configmaps", "porch.kpt.dev/packagerevisions/approval",
		"apps/deployments"} {
		if !slices.Contains(resources, resource) {
			t.Errorf("the API does not serve %s, so this does not test who may use it", resource)
		}
	}
	check := func(name string, inDefault, inHome rights) {
		t.Run(name, func(t *testing.T) {
			for namespace, want := range map[string]rights{"default": inDefault, namespace: inHome} {
				if diff := cmp.Diff(want, may(t, g, account, namespace, resources)); diff != "" {
					t.Errorf("rights in %s (-want +got):\n%s", namespace, diff)
				}
			}
		})
	}
	check("as installed", everywhere, union(everywhere, home))
	g.follow(t, "Let it read objects")
	check("with a grant", union(everywhere, granted), union(everywhere, home, granted))
	g.run(t, "kubectl label clusterrole package-variants-configmaps config.porch.kpt.dev/aggregate-to-package-variants-")
	awaitDenied(t, g)
	check("with the grant withdrawn", everywhere, union(everywhere, home))
	mayApprove(t, g, "fleet", resources, everywhere)
	check("elsewhere", everywhere, union(everywhere, home))
}

// mayApprove checks that the manual of a package's life, where it covers approval, gives the controller the right to
// approve in a namespace of its own, and adds no other right.
func mayApprove(t *testing.T, g *guide, in string, resources []string, before rights) {
	t.Helper()
	g.run(t, "kubectl create namespace "+in)
	g.reading(t, lifecycle).follow(t, "Approval")
	g.run(t, "kubectl auth can-i patch packagerevisions.porch.kpt.dev --subresource=approval --namespace="+in+
		" --as="+account)
	want := union(before, rights{"porch.kpt.dev/packagerevisions/approval": "patch"})
	if diff := cmp.Diff(want, may(t, g, account, in, resources)); diff != "" {
		t.Errorf("rights in %s (-want +got):\n%s", in, diff)
	}
}

// served returns all resources that the API serves, and a few that it does not, for which a rule could give rights.
func served(t *testing.T, g *guide) []string {
	t.Helper()
	_, lists, err := g.client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{
		"*/*", "config.porch.kpt.dev/*", "porch.kpt.dev/*", "/users", "/groups",
		"config.porch.kpt.dev/packagevariants/finalizers", "config.porch.kpt.dev/packagevariantsets/finalizers",
	}
	for _, list := range lists {
		group, _, named := strings.Cut(list.GroupVersion, "/")
		if !named {
			group = ""
		}
		for _, resource := range list.APIResources {
			all = append(all, group+"/"+resource.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// may returns what a controller may do in a namespace and any other service account of its namespace may not.
func may(t *testing.T, g *guide, account, in string, resources []string) rights {
	t.Helper()
	found := rights{}
	for _, resource := range resources {
		var allowed []string
		for _, verb := range verbs {
			if g.allowed(t, account, in, verb, resource) && !g.allowed(t, account+"-2", in, verb, resource) {
				allowed = append(allowed, verb)
			}
		}
		if len(allowed) > 0 {
			found[resource] = strings.Join(allowed, " ")
		}
	}
	return found
}

// allowed asks whether a service account of the controller's namespace may do something.
func (g *guide) allowed(t *testing.T, user, in, verb, resource string) bool {
	t.Helper()
	group, rest, _ := strings.Cut(resource, "/")
	name, subresource, _ := strings.Cut(rest, "/")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:   user,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: in, Verb: verb, Group: group, Resource: name, Subresource: subresource,
		},
	}}
	answer, err := g.client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Status.Allowed
}

// awaitDenied waits until the controller may not read ConfigMaps.
func awaitDenied(t *testing.T, g *guide) {
	t.Helper()
	g.run(t, `for i in {1..100}; do kubectl auth can-i list `+
		`configmaps --as=`+account+` >/dev/null || break; sleep 0.1; done`)
}

// union returns the rights of all.
func union(all ...rights) rights {
	sum := rights{}
	for _, each := range all {
		for resource, verbs := range each {
			sum[resource] = verbs
		}
	}
	return sum
}
