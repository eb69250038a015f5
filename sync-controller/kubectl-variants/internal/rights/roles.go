// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byRoles reads the roles that are bound to the account. Rights that it has in another way than by roles are not found.
func (c *Controller) byRoles(ctx context.Context, a account, right *authorizationv1.ResourceAttributes) (bool, error) {
	var everywhere rbacv1.ClusterRoleBindingList
	if err := c.client.List(ctx, &everywhere); err != nil {
		return false, err
	}
	var refs []rbacv1.RoleRef
	add := func(role rbacv1.RoleRef, subjects []rbacv1.Subject) {
		if a.among(subjects) {
			refs = append(refs, role)
		}
	}
	for _, b := range everywhere.Items {
		add(b.RoleRef, b.Subjects)
	}
	if right.Namespace != "" {
		var here rbacv1.RoleBindingList
		if err := c.client.List(ctx, &here, client.InNamespace(right.Namespace)); err != nil {
			return false, err
		}
		for _, b := range here.Items {
			add(b.RoleRef, b.Subjects)
		}
	}
	for _, ref := range refs {
		rules, err := c.rules(ctx, ref, right.Namespace)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool { return allows(&rule, right) }) {
			return true, nil
		}
	}
	return false, nil
}

// among reports whether a role is bound to the account.
func (a account) among(subjects []rbacv1.Subject) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.ServiceAccountKind:
			return s.Namespace+"/"+s.Name == string(a)
		case rbacv1.GroupKind:
			return slices.Contains(a.groups(), s.Name)
		}
		return s.Name == a.user()
	})
}

// rules returns the rules of a role; none if it does not exist, which Kubernetes ignores, too.
func (c *Controller) rules(ctx context.Context, ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error) {
	if ref.Kind == "Role" {
		var role rbacv1.Role
		err := c.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, &role)
		return role.Rules, client.IgnoreNotFound(err)
	}
	var role rbacv1.ClusterRole
	err := c.client.Get(ctx, client.ObjectKey{Name: ref.Name}, &role)
	return role.Rules, client.IgnoreNotFound(err)
}

// allows reports whether a rule gives a right to all objects of a resource.
func allows(rule *rbacv1.PolicyRule, right *authorizationv1.ResourceAttributes) bool {
	resource := strings.TrimSuffix(right.Resource+"/"+right.Subresource, "/")
	has := func(values []string, all string, one ...string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return v == all || slices.Contains(one, v) })
	}
	resources := []string{resource}
	if right.Subresource != "" {
		resources = append(resources, "*/"+right.Subresource)
	}
	return len(rule.ResourceNames) == 0 && has(rule.Verbs, rbacv1.VerbAll, right.Verb) &&
		has(rule.APIGroups, rbacv1.APIGroupAll, right.Group) && has(rule.Resources, rbacv1.ResourceAll, resources...)
}
