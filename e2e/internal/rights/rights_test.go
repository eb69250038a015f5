// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
)

const roles = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: everywhere}
rules:
  - apiGroups: ["", events.k8s.io]
    resources: [events]
    verbs: [create]
  - apiGroups: [porch.kpt.dev]
    resources: [packagerevisions/approval]
    verbs: [patch, update]
  - nonResourceURLs: [/metrics]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everywhere}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: everywhere}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: home, namespace: home}
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [get]
`

func write(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "roles.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := Read(write(t, roles))
	if err != nil {
		t.Fatal(err)
	}
	want := []Grant{
		{Role: "everywhere", Verb: "create", Resource: "events"},
		{Role: "everywhere", Verb: "create", Group: "events.k8s.io", Resource: "events"},
		{Role: "everywhere", Verb: "patch", Group: "porch.kpt.dev", Resource: "packagerevisions/approval"},
		{Role: "everywhere", Verb: "update", Group: "porch.kpt.dev", Resource: "packagerevisions/approval"},
		{Role: "home", Namespace: "home", Verb: "get", Group: "coordination.k8s.io", Resource: "leases"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"cannot read roles: open missing": "missing",
		"the role everywhere has a rule with names or wildcards": write(t, strings.Replace(roles, "verbs: [create]",
			"verbs: ['*']", 1)),
		"the role home has a rule with names or wildcards": write(t, strings.Replace(roles, "resources: [leases]",
			"resources: [leases]\n    resourceNames: [a]", 1)),
	} {
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
}

// TestCompare checks which grants are unused and which accesses are lacking: a Role counts only in its own namespace.
func TestCompare(t *testing.T) {
	t.Parallel()
	grants, err := Read(write(t, roles))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		accesses        []proxy.Access
		unused, lacking []string
	}{
		"nothing asked for": {nil, []string{
			"everywhere: create /events", "everywhere: create events.k8s.io/events",
			"everywhere: patch porch.kpt.dev/packagerevisions/approval",
			"everywhere: update porch.kpt.dev/packagerevisions/approval", "home: get coordination.k8s.io/leases"}, nil},
		"all of it, and more": {[]proxy.Access{
			{Verb: "create", Resource: "events", Namespace: "a"},
			{Verb: "create", Resource: "events", Namespace: "b", Group: "events.k8s.io"},
			{Verb: "update", Resource: "packagerevisions", Subresource: "approval", Group: "porch.kpt.dev", Namespace: "a"},
			{Verb: "patch", Resource: "packagerevisions", Group: "porch.kpt.dev", Namespace: "a"},
			{Verb: "patch", Resource: "packagerevisions", Group: "porch.kpt.dev", Namespace: "b"},
			{Verb: "get", Resource: "leases", Group: "coordination.k8s.io", Namespace: "home"},
		}, []string{"everywhere: patch porch.kpt.dev/packagerevisions/approval"},
			[]string{"patch porch.kpt.dev/packagerevisions"}},
		"a lease elsewhere": {[]proxy.Access{{Verb: "get", Resource: "leases", Group: "coordination.k8s.io"},
			{Verb: "create", Resource: "events"}, {Verb: "create", Resource: "events", Group: "events.k8s.io"},
			{Verb: "update", Resource: "packagerevisions", Subresource: "approval", Group: "porch.kpt.dev"},
			{Verb: "patch", Resource: "packagerevisions", Subresource: "approval", Group: "porch.kpt.dev"}},
			[]string{"home: get coordination.k8s.io/leases"}, []string{"get coordination.k8s.io/leases"}},
	} {
		if diff := cmp.Diff(c.unused, Unused(grants, c.accesses)); diff != "" {
			t.Errorf("%s: unused (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.lacking, Lacking(grants, c.accesses)); diff != "" {
			t.Errorf("%s: lacking (-want +got):\n%s", name, diff)
		}
	}
}
