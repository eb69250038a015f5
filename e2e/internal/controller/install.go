// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/package-variants/package-variants/e2e/stack"
)

// Account is who the controller is in a cluster.
const Account = "system:serviceaccount:package-variants-system:sync-controller"

// Install gives Account the permissions of sync-controller/config, and to read ConfigMaps, as an administrator does.
// There is no controller in a stack that aggregates roles, so that role is bound by itself. The package that calls it
// must be one directory below the module's root.
func Install(ctx context.Context, s *stack.Stack) error {
	config := filepath.Join("..", "..", "sync-controller", "config")
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", filepath.Join(config, "1-namespace.yaml"), "-f",
			filepath.Join(config, "2-service-account.yaml"),
			"-f", filepath.Join(config, "3-cluster-role.yaml"), "-f", filepath.Join(config, "5-leader-election-role.yaml"),
			"-f", filepath.Join(config, "8-approver-role.yaml")},
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
