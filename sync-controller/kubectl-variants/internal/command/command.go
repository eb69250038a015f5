// SPDX-License-Identifier: Apache-2.0

// Package command has the root command of the kubectl plugin kubectl-variants, and prints errors. Each command has its
// own package below this one.
package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/adopt"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/compare"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/plan"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/review"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/status"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/suspension"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/trace"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/versions"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// commands are the commands of the plugin, in the order of the help.
var commands = []func(*cli.Env) *cobra.Command{
	plan.New, status.New, compare.New, trace.New, review.NewApprove, review.NewReject, adopt.New, suspension.NewSuspend,
	suspension.NewResume, versions.New,
}

// Run runs the plugin with the given command line and returns the exit code, as kubectl diff does: 0 if there is
// nothing to report, 1 if something would change, more for an error, which Run prints.
func Run(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	root := New(cli.New(streams))
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, cli.ErrChanges) {
		fmt.Fprintln(streams.ErrOut, "error:", krm.Visible(err.Error()))
	}
	return cli.ExitCode(err)
}

// New returns the root command.
func New(env *cli.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-variants",
		Short: "Plan, inspect, approve and suspend package variants",
		Long: "Show what the controller of package variants will do, what it has done, and what it is waiting for. " +
			"Approve\nor reject its drafts, and suspend or resume its work.",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl variants"},
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.ErrOut)
	env.Flags.Add(root.PersistentFlags())
	for _, command := range commands {
		root.AddCommand(command(env))
	}
	return root
}
