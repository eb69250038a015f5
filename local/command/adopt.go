// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/spf13/cobra"
)

const longAdopt = `Give a package that was copied by hand or by a script the upstream that it is a copy of. DIRECTORY is
that of the package in a clone of its git repository. The command compares what the branch of its Repository has with
the published revisions of the upstream, says which one it is nearest to, and shows the differences. Then it asks for
confirmation, unless --yes is given, and pushes a draft in which the Kptfile names that revision, and the resources
whose names differ by that of their environment. Nothing else in the package changes, except that it gets a package
context if its Repository is one for deployment and it has none.

Once the draft is merged, a PackageVariant with adoptionPolicy: adoptExisting takes the package over: it follows the
upstream, and keeps its differences.`

const exampleAdopt = `  # Which revision of the blueprint is this copy of?
  variants adopt sites/edge-1/web --upstream blueprints/web --dir fleet/

  # It is known to be a copy of v2
  variants adopt sites/edge-1/web --upstream blueprints/web@v2 --dir fleet/ --yes`

func newAdopt(e *env) *cobra.Command {
	var upstream string
	var yes bool
	cmd := &cobra.Command{Use: "adopt DIRECTORY", Short: "Give a copy the upstream that it was made from", Long: longAdopt,
		Example: exampleAdopt, Args: one("the directory of one package"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.open(cmd.Context(), func(f *fleet.Fleet) error { return e.adopt(cmd.Context(), f, args[0], upstream, yes) })
		}}
	e.fleetFlags(cmd)
	cmd.Flags().StringVar(&upstream, "upstream", "", "`package` that it is a copy of, as REPOSITORY/PACKAGE, or "+
		"REPOSITORY/PACKAGE@vN for a revision of it")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation")
	_ = cmd.MarkFlagRequired("upstream") // it fails only for an unknown flag
	return cmd
}

// adopt makes the draft, and pushes it.
func (e *env) adopt(ctx context.Context, f *fleet.Fleet, dir, upstream string, yes bool) error {
	of, number, err := adopt.ParseUpstream(upstream)
	if err != nil {
		return err
	}
	c, err := f.Copy(ctx, e.namespace, dir, of)
	if err != nil {
		return err
	}
	c.Number = number
	made, err := programs.Adopt(ctx, e.Streams, &differ, f.Home(), c, yes)
	if err != nil {
		return err
	}
	for _, err := range f.Push(ctx, nil) {
		return fmt.Errorf("%s is not pushed: %w", made.Name, err)
	}
	branches := f.BranchesOf(made)
	_, err = fmt.Fprintf(e.Out, "pushed the branch %s: merge it into %s, and a PackageVariant with adoptionPolicy: "+
		"adoptExisting takes the package over\n", krm.Visible(branches.Branch), krm.Visible(branches.Base))
	return err
}
