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
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	own    = usersOf + home + ":sync-controller"
	teamA  = usersOf + home + ":sync-controller-team-a"
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
	// user asks. may are the ways in which that user may ask: review, local, impersonate, roles; accounts to list
	// ServiceAccounts.
	user string
	may  []string
	// accounts have the labels of an installation. grants are rights by user.
	accounts []string
	grants   map[string][]string
	// roles are the roles in which the grants are.
	roles
	fails error
	asked []string
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
	case *authenticationv1.SelfSubjectReview:
		review.Status.UserInfo.Username = s.user
		return nil
	case *authorizationv1.SelfSubjectAccessReview:
		review.Status.Allowed = s.allowed(s.user, review.Spec.ResourceAttributes)
		s.asked = append(s.asked, "self")
		return nil
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

func (s *server) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if accounts, ok := list.(*metav1.PartialObjectMetadataList); ok {
		if !slices.Contains(s.may, "accounts") {
			return errForbidden
		}
		for _, name := range s.accounts {
			accounts.Items = append(accounts.Items,
				metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: name}})
		}
		return nil
	}
	if !slices.Contains(s.may, "roles") {
		return errForbidden
	}
	s.asked = append(s.asked, "roles")
	return s.list(list)
}

func (s *server) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	return s.get(key, o)
}

// as returns the server for another user.
func (s *server) as(user string) (client.Client, error) {
	if !slices.Contains(s.may, "impersonate") {
		return &server{}, errForbidden
	}
	s.asked = append(s.asked, "impersonate")
	return &server{user: user, grants: s.grants}, nil
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
	const assumes = "The plan assumes that the controller may read ConfigMap (v1): "
	for name, c := range map[string]struct {
		server server
		kind   objects.Kind
		named  string
		want   string // the error
		note   string
		asked  []string
	}{
		"allowed": {server: server{may: []string{"review"}, grants: all}, asked: []string{"review", "review", "review"}},
		"only metadata may be read": {server: server{may: []string{"review"}, grants: listOnly}, want: denied,
			asked: []string{"review", "review", "review"}},
		"in no namespace": {server: server{may: []string{"review"}, grants: listOnly}, kind: clusters, want: deniedCluster,
			asked: []string{"review", "review", "review"}},
		"a kind that the cluster does not know": {server: server{may: []string{"review"}},
			kind: objects.Kind{APIVersion: "v1", Kind: "Nonsense", Namespace: "fleet"}},
		"by an administrator of the namespace": {server: server{may: []string{"local"}, grants: all},
			asked: []string{"local", "local", "local"}},
		"by impersonation": {server: server{may: []string{"impersonate"}, grants: listOnly}, want: denied,
			asked: []string{"impersonate", "impersonate", "impersonate"}},
		"by the controller itself": {server: server{user: teamA, may: []string{"review"}, grants: team}, want: denied,
			asked: []string{"self", "self"}},
		"found by its labels and its rights": {server: server{may: []string{"review", "accounts"}, grants: team,
			accounts: []string{"sync-controller", "sync-controller-team-a"}}, want: denied,
			asked: []string{"review", "review", "review"}},
		"named": {server: server{may: []string{"review", "accounts"}, grants: team, accounts: []string{"sync-controller"}},
			named: home + "/sync-controller-team-a", want: denied, asked: []string{"review", "review"}},
		"nobody works there": {server: server{may: []string{"review"}, grants: map[string][]string{}},
			note: assumes + `package-variants-system/sync-controller may not list packagevariants in the namespace "fleet", ` +
				"as its account may; name the ServiceAccount of the controller by --controller-account",
			asked: []string{"review"}},
		"two work there": {server: server{may: []string{"review", "accounts"}, accounts: []string{"b", "a"},
			grants: map[string][]string{usersOf + home + ":a": {everyR}, usersOf + home + ":b": {everyR}}},
			note: assumes + `package-variants-system/a and package-variants-system/b may each be the controller's account in ` +
				`the namespace "fleet"; name the ServiceAccount of the controller by --controller-account`,
			asked: []string{"review", "review"}},
		"the user may not ask": {server: server{grants: all}, note: assumes +
			"you may not find out what its account package-variants-system/sync-controller may do, for which you need the " +
			"right to create subjectaccessreviews, to impersonate that ServiceAccount, or to read roles and their bindings"},
		"the API server fails": {server: server{may: []string{"review"}, fails: errors.New("boom")}, note: assumes +
			"the API server does not say what package-variants-system/sync-controller may do: boom", asked: []string{"review"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := New(&c.server, c.named, c.server.as)
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
		r, err := New(&server{may: []string{"review"}, grants: map[string][]string{own: grants}}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.May(t.Context(), right); got != want || err != nil {
			t.Errorf("with %v: %t, error %v", grants, got, err)
		}
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	r := OfSnapshot()
	if notes := r.Notes(); notes != nil {
		t.Errorf("notes about what nobody asked: %v", notes)
	}
	for _, kind := range []objects.Kind{clusters, configMaps} {
		if err := r.Denied(t.Context(), kind, "list", "get"); err != nil {
			t.Error(err)
		}
	}
	may, err := r.May(t.Context(), &authorizationv1.ResourceAttributes{Verb: "patch", Resource: "packagerevisions",
		Subresource: "approval"})
	if !may || err != nil {
		t.Errorf("%t, error %v", may, err)
	}
	want := []string{"The plan assumes that the controller may patch packagerevisions/approval, read Cluster " +
		"(infra.example.com/v1), read ConfigMap (v1): a snapshot does not tell its rights"}
	if diff := cmp.Diff(want, r.Notes()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"sync-controller", "/a", "a/"} {
		want := `--controller-account is "` + account + `", but must be NAMESPACE/NAME of a ServiceAccount`
		if _, err := New(&server{}, account, nil); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", account, err, want)
		}
	}
}

// roles are roles and their bindings.
type roles struct {
	everywhere []rbacv1.ClusterRoleBinding
	bindings   []rbacv1.RoleBinding
	cluster    []rbacv1.ClusterRole
	here       []rbacv1.Role
}

func (r *roles) list(list client.ObjectList) error {
	switch l := list.(type) {
	case *rbacv1.ClusterRoleBindingList:
		l.Items = r.everywhere
	case *rbacv1.RoleBindingList:
		l.Items = r.bindings
	}
	return nil
}

func (r *roles) get(key client.ObjectKey, o client.Object) error {
	switch role := o.(type) {
	case *rbacv1.ClusterRole:
		for _, c := range r.cluster {
			if c.Name == key.Name {
				*role = c
				return nil
			}
		}
	case *rbacv1.Role:
		for _, c := range r.here {
			if c.Name == key.Name && key.Namespace == "fleet" {
				*role = c
				return nil
			}
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// TestByRoles checks what roles and their bindings give to an account.
func TestByRoles(t *testing.T) {
	t.Parallel()
	works := rbacv1.PolicyRule{Verbs: []string{"list"}, APIGroups: []string{"config.porch.kpt.dev"},
		Resources: []string{"packagevariants"}}
	reads := func(verbs, groups, resources string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: strings.Fields(verbs), APIGroups: strings.Split(groups, " "),
			Resources: strings.Fields(resources), ResourceNames: names}
	}
	group := func(name string) rbacv1.Subject { return rbacv1.Subject{Kind: "Group", Name: name} }
	account := rbacv1.Subject{Kind: "ServiceAccount", Namespace: home, Name: "sync-controller"}
	for name, c := range map[string]struct {
		rule    rbacv1.PolicyRule
		subject rbacv1.Subject
		want    bool
	}{
		"the rule":         {reads("get list watch", "", "configmaps"), account, true},
		"all of all":       {reads("*", "*", "*"), account, true},
		"another verb":     {reads("list", "", "configmaps"), account, false},
		"another group":    {reads("get list", "apps", "configmaps"), account, false},
		"another resource": {reads("get list", "", "secrets configmaps/status"), account, false},
		"some objects":     {reads("get list", "", "configmaps", "a"), account, false},
		"its user":         {reads("get list", "", "configmaps"), rbacv1.Subject{Kind: "User", Name: own}, true},
		"its group":        {reads("get list", "", "configmaps"), group("system:serviceaccounts:" + home), true},
		"another account": {reads("get list", "", "configmaps"),
			rbacv1.Subject{Kind: "ServiceAccount", Namespace: "a", Name: "sync-controller"}, false},
		"a group of other people": {reads("get list", "", "configmaps"), group("admins"), false},
	} {
		clusterRef, ref := rbacv1.RoleRef{Kind: "ClusterRole", Name: "reader"}, rbacv1.RoleRef{Kind: "Role", Name: "reader"}
		worker := rbacv1.ClusterRoleBinding{Subjects: []rbacv1.Subject{account},
			RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "worker"}}
		gone := rbacv1.ClusterRoleBinding{Subjects: []rbacv1.Subject{account},
			RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "gone"}}
		clusterRoles := []rbacv1.ClusterRole{
			{ObjectMeta: metav1.ObjectMeta{Name: "worker"}, Rules: []rbacv1.PolicyRule{works}},
			{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{c.rule}},
		}
		for way, r := range map[string]roles{
			"by a ClusterRoleBinding": {everywhere: []rbacv1.ClusterRoleBinding{worker, gone, {
				Subjects: []rbacv1.Subject{c.subject}, RoleRef: clusterRef}}, cluster: clusterRoles},
			"by a RoleBinding": {everywhere: []rbacv1.ClusterRoleBinding{worker}, bindings: []rbacv1.RoleBinding{{
				Subjects: []rbacv1.Subject{c.subject}, RoleRef: clusterRef}}, cluster: clusterRoles},
			"by a Role": {everywhere: []rbacv1.ClusterRoleBinding{worker}, bindings: []rbacv1.RoleBinding{{
				Subjects: []rbacv1.Subject{c.subject}, RoleRef: ref}}, cluster: clusterRoles[:1],
				here: []rbacv1.Role{{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{c.rule}}}},
		} {
			asker, err := New(&server{may: []string{"roles"}, roles: r}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := asker.Denied(t.Context(), configMaps, "list", "get") == nil; got != c.want || asker.Notes() != nil {
				t.Errorf("%s, %s: %t, want %t; notes %q", name, way, got, c.want, asker.Notes())
			}
		}
	}
}
