// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/package-variants/package-variants/e2e/stack"
)

// Account is who the controller is in a cluster.
const Account = "system:serviceaccount:package-variants-system:sync-controller"

// config is the package that installs the controller, for a package one directory below the module's root.
var config = filepath.Join("..", "..", "sync-controller", "config")

// Roles returns the manifests of sync-controller/config that have roles of the controller. The package that calls it
// must be one directory below the module's root.
func Roles() []string {
	return []string{
		filepath.Join(config, "3-cluster-role.yaml"), filepath.Join(config, "5-leader-election-role.yaml"),
		filepath.Join(config, "8-approver-role.yaml"), filepath.Join(config, "9-metrics-role.yaml"),
	}
}

// Install gives Account the permissions of Roles, and to read ConfigMaps, as an administrator does. There is no
// controller in a stack that aggregates roles, so that role is bound by itself.
func Install(ctx context.Context, s *stack.Stack) error {
	apply := []string{"apply", "--server-side"}
	for _, file := range slices.Concat([]string{filepath.Join(config, "1-namespace.yaml"),
		filepath.Join(config, "2-service-account.yaml")}, Roles()) {
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
