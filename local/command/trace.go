// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/spf13/cobra"
)

const longTrace = `Show what a package, a PackageVariantSet or a PackageVariant is made from, and what is made from it.
The tree leads from the blueprint to the sets, the waves of their rollouts, the variants, and the package revisions of
each variant: the latest published one, the drafts, and those that are to be deleted.

OBJECT is the name of a PackageVariant, packagevariantset/NAME, packagerevision/NAME, or REPOSITORY/PACKAGE.

STATE is what the last sync recorded: Ready, Reconciling (work is under way), Stalled (a person has to act), Suspended,
or Pending (not synced yet). For a package revision, STATE is its lifecycle. AGE is how long the object has been in that
state.`

const exampleTrace = `  # What is made from the package web in the Repository blueprints?
  variants trace blueprints/web --dir fleet/

  # Draw the variants of a set
  variants trace packagevariantset/edge --dir fleet/ -o dot > fleet.dot`

func newTrace(e *env) *cobra.Command {
	var output string
	formats := strings.Join(slices.Sorted(maps.Keys(trace.Printers)), ", ")
	cmd := &cobra.Command{Use: "trace OBJECT", Short: "Show the tree from a blueprint to its variants and their packages",
		Long: longTrace, Example: exampleTrace, Args: one("one object"),
		RunE: func(cmd *cobra.Command, args []string) error {
			printer, known := trace.Printers[output]
			if !known {
				return fmt.Errorf("--output %q is none of %s", output, formats)
			}
			of, err := naming.Parse(args[0], naming.Variant, naming.Set, naming.Revision, naming.Package)
			if err != nil {
				return err
			}
			return e.open(cmd.Context(), func(f *fleet.Fleet) error {
				in, err := f.Trace(cmd.Context(), e.namespace)
				if err != nil {
					return err
				}
				trees, err := trace.Build(in, of, e.namespace)
				if err != nil {
					return err
				}
				return printer(e.Out, trees, time.Now())
			})
		}}
	e.fleetFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "text", "format: "+formats)
	return cmd
}
