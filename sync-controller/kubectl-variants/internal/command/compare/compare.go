// SPDX-License-Identifier: Apache-2.0

// Package compare is the command kubectl variants diff, which shows what the draft of a variant changes.
package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
)

const long = `Show what the draft of a PackageVariant changes, compared with the latest published revision of its
package or with the upstream that the variant asks for. If there is no draft, --against upstream compares the published
revision with the upstream, and there is nothing else to compare. For each value that both the upstream and someone in
the package changed, the original, the local and the updated value follow.

With --set, the drafts of all variants of a set are compared, and what is different in them is shown once, with the
packages that have it: the lines of files that change, without upstream and upstreamLock of the Kptfile. Where packages
differ in a value of their own, its name is shown: of the name and the labels of the Repository, the package context,
and injected values. Conflicts come first.

The environment variable KUBECTL_EXTERNAL_DIFF names a program that compares two directories, as it does for kubectl
diff. The default is "diff -u -N -r".

Exit code: 0 if there is no difference, 1 if there is one, more than 1 if there was an error.`

const example = `  # What would be published?
  kubectl variants diff edge-web

  # What is different in the drafts of a set?
  kubectl variants diff --set web

  # Show how the package differs from its blueprint, with another diff program
  KUBECTL_EXTERNAL_DIFF="git diff --no-index" kubectl variants diff edge-web --against upstream`

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	against, set, names := review.Published, "", false
	cmd := &cobra.Command{
		Use:     "diff [VARIANT]",
		Short:   "Show what drafts change",
		Long:    long,
		Example: example,
		Args: func(cmd *cobra.Command, args []string) error {
			if set != "" && len(args) == 0 {
				return nil
			}
			return cli.One("PackageVariant, or --set")(cmd, append(args, strings.Fields(set)...))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if against != review.Published && against != review.Upstream {
				return fmt.Errorf("--against %q is neither %s nor %s", against, review.Published, review.Upstream)
			}
			if set != "" {
				return compareSet(cmd.Context(), env, set, against, names)
			}
			return compare(cmd.Context(), env, args[0], against)
		},
		ValidArgsFunction: live.First(live.Names(env, live.VariantNames)),
	}
	cmd.Flags().StringVar(&against, "against", review.Published,
		"what to compare with: "+review.Published+" or "+review.Upstream)
	cmd.Flags().StringVar(&set, "set", "", "compare the drafts of all variants of this PackageVariantSet")
	cmd.Flags().BoolVar(&names, "names", false, "with --set, name all packages, and not only the first that have a change")
	// It fails only for an unknown flag.
	_ = cmd.RegisterFlagCompletionFunc("against",
		cobra.FixedCompletions([]string{review.Published, review.Upstream}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// compare compares the drafts of a variant, one after the other.
func compare(ctx context.Context, env *cli.Env, argument, against string) error {
	c, err := live.Open(env)
	if err != nil {
		return err
	}
	pv, err := variantOf(ctx, c, argument)
	if err != nil {
		return err
	}
	revisions, err := c.Revisions(ctx)
	if err != nil {
		return err
	}
	pairs, note, err := review.Pairs(pv, revisions, against)
	if note != "" {
		fmt.Fprintln(env.ErrOut, krm.Visible(note))
	}
	if err != nil || note != "" {
		return err
	}
	files := func(name string) (map[string]string, error) { return c.Files(ctx, name) }
	differs, err := Differ.Pairs(ctx, env.Streams(), pairs, files)
	if err != nil {
		return err
	}
	if err := review.PrintConflicts(env.Out, pv, files); err != nil {
		return err
	}
	if differs {
		return cli.ErrChanges
	}
	return nil
}

// compareSet shows what is different in the drafts of a set.
func compareSet(ctx context.Context, env *cli.Env, set, against string, names bool) error {
	c, err := live.Open(env)
	if err != nil {
		return err
	}
	variants, _, err := (&live.Selection{Set: set}).Variants(ctx, c, nil)
	if err != nil {
		return err
	}
	of := review.Fleet{Variants: variants, Labels: map[string]map[string]string{},
		Files: func(name string) (map[string]string, error) { return c.Files(ctx, name) }}
	if of.Revisions, err = c.Revisions(ctx); err != nil {
		return err
	}
	repositories, err := c.Repositories(ctx)
	if err != nil {
		return err
	}
	for i := range repositories {
		of.Labels[repositories[i].Name] = repositories[i].Labels
	}
	all, failed := of.Distinct(against)
	streams := env.Streams()
	if err := streams.PrintChanges(all, names); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if len(all) > 0 {
		return cli.ErrChanges
	}
	return nil
}

// variantOf returns the variant that an argument names. Its spec must have an upstream and a downstream.
func variantOf(ctx context.Context, c *live.Cluster, argument string) (*v1alpha1.PackageVariant, error) {
	of, err := naming.Parse(argument, live.Variant)
	if err != nil {
		return nil, err
	}
	pv, err := c.Variant(ctx, of.Name)
	if err == nil && (pv.Spec.Downstream == nil || pv.Spec.Upstream == nil) {
		err = fmt.Errorf("%s names no upstream or no downstream: see its condition Stalled", pv.Name)
	}
	return pv, err
}

// Differ is the program that shows differences; kubectl diff uses the same environment variable.
var Differ = programs.Differ{Variable: "KUBECTL_EXTERNAL_DIFF", Default: []string{"diff", "-u", "-N", "-r"}}
