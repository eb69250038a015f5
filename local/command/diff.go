// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/spf13/cobra"
)

const longDiff = `Show what a draft changes, compared with the latest published revision of its package or with the
upstream that its variant asks for. If there is no draft, --against upstream compares the published revision with the
upstream, and there is nothing else to compare. For each value that both the upstream and someone in the package
changed, the original, the local and the updated value follow.

DRAFT is a package, as variants sync prints it, for all of its drafts; or the name of a variant or of a draft. With
--set, the drafts of all variants of a set are compared, and what is different in them is shown once, with the packages
that have it: the lines of files that change, without upstream and upstreamLock of the Kptfile. Where packages differ in
a value of their own, its name is shown: of the name and the labels of the Repository, the package context, and injected
values. Conflicts come first.

The environment variable VARIANTS_EXTERNAL_DIFF names a program that compares two directories. The default is "git diff
--no-index".

Exit code: 0 if there is no difference, 1 if there is one, 2 if there was an error.`

const exampleDiff = `  # What would be published?
  variants diff fra/web --dir fleet/

  # What is different in the drafts of a set?
  variants diff --set web --dir fleet/

  # How does the package differ from its blueprint?
  variants diff fra/web --dir fleet/ --against upstream`

// differ is the program that shows differences: git, which finds no repository in the files that it compares.
var differ = programs.Differ{Variable: "VARIANTS_EXTERNAL_DIFF", Default: []string{"git", "diff", "--no-index"},
	Start: git.Process{Repository: os.DevNull}.Command}

func newDiff(e *env) *cobra.Command {
	var against, set string
	var names bool
	cmd := &cobra.Command{Use: "diff [DRAFT]", Short: "Show what drafts change", Long: longDiff, Example: exampleDiff,
		Args: func(cmd *cobra.Command, args []string) error {
			if set != "" && len(args) == 0 {
				return nil
			}
			return one("one draft, or variant, or --set")(cmd, append(args, strings.Fields(set)...))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if against != review.Published && against != review.Upstream {
				return fmt.Errorf("--against %q is neither %s nor %s", against, review.Published, review.Upstream)
			}
			return e.open(cmd.Context(), func(f *fleet.Fleet) error {
				if set != "" {
					return e.diffSet(cmd.Context(), f, set, against, names)
				}
				return e.diff(cmd.Context(), f, args[0], against)
			})
		}}
	e.fleetFlags(cmd)
	cmd.Flags().StringVar(&against, "against", review.Published,
		"what to compare with: "+review.Published+" or "+review.Upstream)
	cmd.Flags().StringVar(&set, "set", "", "compare the drafts of all variants of this PackageVariantSet")
	cmd.Flags().BoolVar(&names, "names", false, "with --set, name all packages, and not only the first that have a change")
	return cmd
}

// diff compares the drafts that a name stands for, one after the other.
func (e *env) diff(ctx context.Context, f *fleet.Fleet, name, against string) error {
	of, err := f.Choose(ctx, e.namespace, name)
	if err != nil {
		return err
	}
	revisions, err := f.Revisions(ctx, of.Namespace)
	if err != nil {
		return err
	}
	pairs, note, err := review.Pairs(of.PackageVariant, revisions, against)
	if note != "" {
		fmt.Fprintln(e.Err, krm.Visible(note))
	}
	if err != nil || note != "" {
		return err
	}
	pairs = slices.DeleteFunc(pairs, func(p review.Pair) bool { return of.Draft != "" && p.To != of.Draft })
	files := func(name string) (map[string]string, error) { return f.Files(ctx, of.Namespace, name) }
	differs, err := differ.Pairs(ctx, e.Streams, pairs, files)
	if err == nil {
		err = review.PrintConflicts(e.Out, of.PackageVariant, files)
	}
	if err == nil && differs {
		err = errDiffers
	}
	return err
}

// diffSet shows what is different in the drafts of a set.
func (e *env) diffSet(ctx context.Context, f *fleet.Fleet, set, against string, names bool) error {
	of, err := f.OfSet(ctx, e.namespace, set)
	if err != nil {
		return err
	}
	all, failed := of.Distinct(against)
	if err := e.PrintChanges(all, names); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if len(all) > 0 {
		return errDiffers
	}
	return nil
}
