// SPDX-License-Identifier: Apache-2.0

// Package trace is the command kubectl variants trace: package trace of the engine, over a cluster.
package trace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
)

const long = `Show what a package, a PackageVariantSet or a PackageVariant is made from, and what is made from it. The
tree leads from the blueprint to the sets, the waves of their rollouts, the variants, and the package revisions of each
variant: the latest published one, the drafts, and those that are to be deleted.

OBJECT is the name of a PackageVariant, packagevariantset/NAME, packagerevision/NAME, or REPOSITORY/PACKAGE.

STATE is Ready, Reconciling (work is under way), Stalled (a person has to act), Suspended, or Pending (the controller
has not looked at the object yet). For a package revision, STATE is its lifecycle. AGE is how long the object has been
in that state.`

const example = `  # What is made from the package web in the Repository blueprints?
  kubectl variants trace blueprints/web

  # Where does the package of a variant come from, and in which state is it? Show messages in full
  kubectl variants trace edge-web -o wide

  # Draw the variants of a set
  kubectl variants trace packagevariantset/fleet -o dot | dot -Tsvg > fleet.svg`

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "trace OBJECT",
		Short:   "Show the tree from a blueprint to its variants and their packages",
		Long:    long,
		Example: example,
		Args:    cli.One("object"),
		RunE: func(cmd *cobra.Command, args []string) error {
			printer, known := trace.Printers[output]
			if !known {
				return fmt.Errorf("--output %q is none of %s", output, strings.Join(formats(), ", "))
			}
			trees, err := read(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			return printer(env.Out, trees, time.Now())
		},
		ValidArgsFunction: live.First(live.Names(env, objectNames)),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "format: "+strings.Join(formats(), ", "))
	// It fails only for an unknown flag.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func formats() []string { return slices.Sorted(maps.Keys(trace.Printers)) }

// read reads a namespace and returns the trees of an object in it.
func read(ctx context.Context, env *cli.Env, argument string) ([]*trace.Node, error) {
	of, err := naming.Parse(argument, live.Variant, live.Set, live.Revision, naming.Package)
	if err != nil {
		return nil, err
	}
	c, err := live.Open(env)
	if err != nil {
		return nil, err
	}
	in, err := c.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	return trace.Build(in, of, c.Namespace)
}

// objectNames lists what a tree can start from: variants, sets, and the packages that variants are made from.
func objectNames(ctx context.Context, c *live.Cluster) ([]string, error) {
	names, err := live.TypedNames(ctx, c)
	if err != nil {
		return nil, err
	}
	variants, err := c.Variants(ctx)
	for i := range variants {
		if u := variants[i].Spec.Upstream; u != nil {
			names = append(names, u.Repo+"/"+u.Package)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}
