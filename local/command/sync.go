// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/spf13/cobra"
)

const longSync = `Bring the packages of a fleet to what the manifests in DIR ask for: make drafts, each on a branch,
merge what was published into drafts that are open, and give what was merged its tag. What was done is remembered on the
branch package-variants. A second sync changes nothing.

The manifests are those of the commit that is checked out, which has to be on the default branch of DIR's remote, or on
the one that --branch names. Otherwise nothing is done.

A draft of a package with a pipeline of functions in its Kptfile is made with --render only.

A variant whose manifest is gone is removed.

With --reviews, drafts of a wave that wait for nothing but a person, in one git repository, are also on one branch below
reviews/, for people to merge at once.`

const exampleSync = `  # Make the drafts of a fleet, and publish what was merged since the last sync
  variants sync fleet/`

func newSync(e *env) *cobra.Command {
	var output, by string
	cmd := &cobra.Command{Use: "sync DIR", Short: "Bring packages to what a fleet asks for", Long: longSync,
		Example: exampleSync, Args: one("one directory with manifests")}
	e.syncFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "format: table, or json for programs")
	cmd.Flags().StringVar(&by, "reviews", "", "show the drafts of a wave by one branch: wave, or wave,label:`NAME` for "+
		"one for each value of that label of Repositories")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output != "table" && output != "json" {
			return fmt.Errorf("--output %q is neither table nor json", output)
		}
		o, err := e.syncOptions(args[0])
		if err != nil {
			return err
		}
		if by != "" {
			if o.Reviews, err = fleet.ParseReviewBy(by); err != nil {
				return fmt.Errorf("--reviews: %w", err)
			}
		}
		report, err := fleet.Sync(cmd.Context(), o)
		if report == nil {
			return err
		}
		if err = errors.Join(err, e.show(report, output)); err == nil && len(report.Failures) > 0 {
			err = errTold
		}
		return err
	}
	return cmd
}

// syncFlags adds the flags of what syncs, or says what a sync would do.
func (e *env) syncFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&e.fleet.Removals, "max-removals", fleet.MaxRemovals, "how many variants may be removed at once")
	cmd.Flags().StringVar(&e.fleet.Branch, "branch", "", "`branch` of DIR's remote from which the fleet is synced; by "+
		"default the default branch")
	cmd.Flags().BoolVar(&e.fleet.Render, "render", false, "run the pipelines of packages by kpt: the one in the "+
		"environment variable KPT, or else on the PATH")
}

// syncOptions returns the options of a sync of the fleet in a directory.
func (e *env) syncOptions(dir string) (fleet.Options, error) {
	if e.fleet.Removals < 1 {
		return fleet.Options{}, fmt.Errorf("--max-removals is %d, and must be at least 1", e.fleet.Removals)
	}
	return e.options(dir)
}

// show writes a report.
func (e *env) show(r *fleet.Report, format string) error {
	if format == "json" {
		return visible.JSON(e.Out, r)
	}
	return r.Table(e.Out)
}
