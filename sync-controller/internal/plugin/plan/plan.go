// SPDX-License-Identifier: Apache-2.0

// Package plan is the command kubectl variants plan.
package plan

import (
	"errors"

	"github.com/package-variants/package-variants/sync-controller/internal/plugin/cli"
	"github.com/spf13/cobra"
)

// New returns the command.
func New(*cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "plan -f FILE|DIRECTORY",
		Short: "Show what the controller would do about manifests",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("plan is under construction")
		},
	}
}
