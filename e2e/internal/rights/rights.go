// SPDX-License-Identifier: Apache-2.0

// Package rights compares the rules of roles with a client's requests.
package rights

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/proxy"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Grant is a part of a rule: one verb on one resource of one API group.
type Grant struct {
	// Role is the name of the role that has the rule.
	Role string
	// Namespace is the namespace of a Role; it is empty for a ClusterRole.
	Namespace string
	// Verb, Group and Resource are what is allowed. Resource includes the subresource, as in packages/status.
	Verb, Group, Resource string
}

// String returns what is allowed, as in "get porch.kpt.dev/packagerevisions".
func (g Grant) String() string { return g.Verb + " " + g.Group + "/" + g.Resource }

// allows reports whether the grant allows an access. It ignores wildcards and resource names: Read ensures that our
// roles have none.
func (g Grant) allows(a proxy.Access) bool {
	return g.String() == name(a) && (g.Namespace == "" || g.Namespace == a.Namespace)
}

// name formats an access like Grant.String.
func name(a proxy.Access) string {
	return strings.TrimSuffix(a.Verb+" "+a.Group+"/"+a.Resource+"/"+a.Subresource, "/")
}

// Read returns the grants of the Roles and ClusterRoles in files of manifests. Rules for non-resource URLs are left
// out.
func Read(files ...string) ([]Grant, error) {
	var grants []Grant
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read roles: %w", err)
		}
		more, err := decode(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("cannot read the roles in %s: %w", file, err)
		}
		grants = append(grants, more...)
	}
	return grants, nil
}

func decode(manifests io.Reader) ([]Grant, error) {
	var grants []Grant
	for decoder := yaml.NewYAMLOrJSONDecoder(manifests, 4096); ; {
		var role rbacv1.Role // a ClusterRole has the same rules
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			return grants, nil
		} else if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(role.Kind, "Role") {
			continue
		}
		for _, rule := range role.Rules {
			if len(rule.ResourceNames) > 0 || slices.Contains(slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources), "*") {
				return nil, fmt.Errorf("the role %s has a rule with names or wildcards, which this does not read", role.Name)
			}
			grants = append(grants, split(&role, rule)...)
		}
	}
}

func split(role *rbacv1.Role, rule rbacv1.PolicyRule) (grants []Grant) {
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				grants = append(grants, Grant{Role: role.Name, Namespace: role.Namespace, Verb: verb, Group: group,
					Resource: resource})
			}
		}
	}
	return grants
}

// Unused returns the grants that allow none of the accesses, sorted, each with its role.
func Unused(grants []Grant, accesses []proxy.Access) []string {
	var unused []string
	for _, g := range grants {
		if !slices.ContainsFunc(accesses, g.allows) {
			unused = append(unused, g.Role+": "+g.String())
		}
	}
	slices.Sort(unused)
	return unused
}

// Lacking returns the accesses that no grant allows, sorted, each once for all namespaces.
func Lacking(grants []Grant, accesses []proxy.Access) []string {
	var lacking []string
	for _, a := range accesses {
		if !slices.ContainsFunc(grants, func(g Grant) bool { return g.allows(a) }) {
			lacking = append(lacking, name(a))
		}
	}
	slices.Sort(lacking)
	return slices.Compact(lacking)
}
