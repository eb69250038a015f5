// SPDX-License-Identifier: Apache-2.0

// Package status is the command kubectl variants status: package status of the engine, over a cluster.
package status

import (
	"context"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/engine/status"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
)

const long = `Show where the packages of the namespace stand: for each package what is published and which revision of
the blueprint is in it, the newest revision of the blueprint, and for whom or what it waits, since when, and which draft
that is. Conflicts, and injection points that nothing fills, follow. It writes nothing.

` + status.Long + `

Exit code: 0, or more than 1 if there was an error.`

const example = `  # Who waits for what?
  kubectl variants status

  # One wave of a rollout
  kubectl variants status --set web --wave europe

  # A page for everybody
  kubectl variants status -o html > fleet.html`

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	var output string
	var chosen live.Selection
	cmd := &cobra.Command{Use: "status", Short: "Show where packages stand, and who waits for whom", Long: long,
		Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := status.CheckFormat(output); err != nil {
				return err
			}
			filter, err := filterOf(chosen)
			if err != nil {
				return err
			}
			s, err := of(cmd.Context(), env, filter)
			if err != nil {
				return err
			}
			return s.Print(env.Out, output)
		}}
	chosen.AddFlags(cmd.Flags(), true)
	cmd.Flags().StringVarP(&output, "output", "o", "text", "format: "+strings.Join(status.Formats, ", "))
	// It fails only for an unknown flag.
	_ = cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions(status.Formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// filterOf returns the filter that flags ask for.
func filterOf(chosen live.Selection) (filter status.Filter, err error) {
	filter.Set, filter.Wave = chosen.Set, chosen.Wave
	if chosen.Selector != "" {
		if filter.Labels, err = labels.Parse(chosen.Selector); err != nil {
			return filter, fmt.Errorf("--selector %q is not one: %w", chosen.Selector, err)
		}
	}
	return filter, nil
}

// of returns where the packages of a namespace stand.
func of(ctx context.Context, env *cli.Env, filter status.Filter) (*status.Status, error) {
	c, err := live.Open(env)
	if err != nil {
		return nil, err
	}
	fleet, err := c.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	in := &status.Input{Input: fleet, Namespace: c.Namespace}
	if err := filter.Check(in); err != nil {
		return nil, err
	}
	return status.Of(env.Now(), filter, in), nil
}
