// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/package-variants/package-variants/e2e/stack"
)

// Account is the controller's user in a cluster.
const Account = "system:serviceaccount:package-variants-system:sync-controller"

// config is the package that installs the controller, for a package one directory below the module's root.
var config = filepath.Join("..", "..", "sync-controller", "config")

// MetricsRole is the manifest of the role by which the controller asks who may read its metrics.
var MetricsRole = filepath.Join(config, "9-metrics-role.yaml")

// Roles returns the manifests in sync-controller/config with the other roles of the controller. The calling package
// must be one directory below the module's root.
func Roles() []string {
	return []string{
		filepath.Join(config, "3-cluster-role.yaml"), filepath.Join(config, "5-leader-election-role.yaml"),
		filepath.Join(config, "8-approver-role.yaml"),
	}
}

// Install gives Account the permissions of all its roles and the right to read ConfigMaps, as an administrator does. No
// controller in a stack aggregates roles, so the second role is bound separately.
func Install(ctx context.Context, s *stack.Stack) error {
	apply := []string{"apply", "--server-side"}
	for _, file := range slices.Concat([]string{filepath.Join(config, "1-namespace.yaml"),
		filepath.Join(config, "2-service-account.yaml"), filepath.Join(config, "12-all-namespaces.yaml"),
		MetricsRole}, Roles()) {
		apply = append(apply, "-f", file)
	}
	for _, args := range [][]string{
		apply,
		{"create", "clusterrole", "read-configmaps", "--verb=get,list,watch", "--resource=configmaps"},
		{"create", "clusterrolebinding", "read-configmaps", "--clusterrole=read-configmaps",
			"--serviceaccount=package-variants-system:sync-controller"},
	} {
		if out, err := s.Kubectl(ctx, args...); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}
