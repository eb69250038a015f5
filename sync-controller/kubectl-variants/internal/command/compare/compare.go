// SPDX-License-Identifier: Apache-2.0

// Package compare is the command kubectl variants diff, which shows what the draft of a variant changes.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
)

const long = `Show what the draft of a PackageVariant changes, compared with the latest published revision of its
package or with the upstream that the variant asks for. If there is no draft, --against upstream compares the published
revision with the upstream, and there is nothing else to compare. For each value that both the upstream and someone in
the package changed, the original, the local and the updated value follow.

The environment variable ` + programVariable + ` names a program that compares two directories, as it does for kubectl
diff. The default is "diff -u -N -r".

Exit code: 0 if there is no difference, 1 if there is one, more than 1 if there was an error.`

const example = `  # What would be published?
  kubectl variants diff edge-web

  # Show how the package differs from its blueprint, with another diff program
  KUBECTL_EXTERNAL_DIFF="git diff --no-index" kubectl variants diff edge-web --against upstream`

// What a draft is compared with.
const (
	published = "published"
	upstream  = "upstream"
)

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	against := published
	cmd := &cobra.Command{
		Use:     "diff VARIANT",
		Short:   "Show what the draft of a variant changes",
		Long:    long,
		Example: example,
		Args:    cli.One("PackageVariant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if against != published && against != upstream {
				return fmt.Errorf("--against %q is neither %s nor %s", against, published, upstream)
			}
			return compare(cmd.Context(), env, args[0], against)
		},
		ValidArgsFunction: live.First(live.Names(env, live.VariantNames)),
	}
	cmd.Flags().StringVar(&against, "against", published, "what to compare with: "+published+" or "+upstream)
	// It fails only for an unknown flag.
	_ = cmd.RegisterFlagCompletionFunc("against",
		cobra.FixedCompletions([]string{published, upstream}, cobra.ShellCompDirectiveNoFileComp))
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
	pairs, note, err := pairsOf(pv, revisions, against)
	if note != "" {
		fmt.Fprintln(env.ErrOut, krm.Visible(note))
	}
	if err != nil || note != "" {
		return err
	}
	differ, err := each(ctx, env, c, pairs)
	if err != nil {
		return err
	}
	if err := printConflicts(env.Out, pv); err != nil {
		return err
	}
	if differ {
		return cli.ErrChanges
	}
	return nil
}

// variantOf returns the variant that an argument names. Its spec must have an upstream and a downstream.
func variantOf(ctx context.Context, c *live.Cluster, argument string) (*v1alpha1.PackageVariant, error) {
	of, err := live.Parse(argument, live.Variant)
	if err != nil {
		return nil, err
	}
	pv, err := c.Variant(ctx, of.Name)
	if err == nil && (pv.Spec.Downstream == nil || pv.Spec.Upstream == nil) {
		err = fmt.Errorf("%s names no upstream or no downstream: see its condition Stalled", pv.Name)
	}
	return pv, err
}

// each compares pairs of revisions one after the other, and reports whether any of them differ.
func each(ctx context.Context, env *cli.Env, c *live.Cluster, pairs []pair) (differ bool, err error) {
	for _, p := range pairs {
		from, err := read(ctx, c, p.from, "nothing")
		if err != nil {
			return false, err
		}
		to, err := read(ctx, c, p.to, "")
		if err != nil {
			return false, err
		}
		err = run(ctx, env, program(os.Getenv), from, to)
		if err != nil && !errors.Is(err, cli.ErrChanges) {
			return false, err
		}
		differ = differ || err != nil
	}
	return differ, nil
}

// read returns the files of a revision. Without a name it returns no files, under the other name.
func read(ctx context.Context, c *live.Cluster, name, otherwise string) (side, error) {
	if name == "" {
		return side{name: otherwise}, nil
	}
	files, err := c.Files(ctx, name)
	return side{name, files}, err
}

// pair names two revisions to compare; from is "" where there is nothing to compare with.
type pair struct{ from, to string }

// pairsOf returns the pairs to compare for a variant: each open revision of its package with the latest published one,
// or with the upstream in its spec. The note says why there is nothing to compare.
func pairsOf(pv *v1alpha1.PackageVariant, revisions []revision.Revision, against string) ([]pair, string, error) {
	pkg := revision.DownstreamOf(&pv.Spec)
	var of []revision.Revision
	for i := range revisions {
		if revisions[i].Package == pkg && !revisions[i].Main() {
			of = append(of, revisions[i])
		}
	}
	latest := revision.LatestPublished(of)
	open := slices.DeleteFunc(slices.Clone(of), func(r revision.Revision) bool { return !r.Open() })
	from := ""
	switch {
	case against == upstream:
		asked := live.Upstream(pv.Spec.Upstream, revisions)
		if asked == nil {
			return nil, "", fmt.Errorf("there is no %s, which %s asks for: see its condition Stalled",
				pv.Spec.Upstream.Describe(), pv.Name)
		}
		from = asked.Name
		if len(open) == 0 && latest != nil {
			open = []revision.Revision{*latest}
		}
	case latest != nil:
		from = latest.Name
	}
	if len(open) == 0 {
		is := "it has no package yet"
		if latest != nil {
			is = latest.Name + " is published"
		}
		return nil, fmt.Sprintf("%s has no draft: %s", pv.Name, is), nil
	}
	var pairs []pair
	for i := range open {
		pairs = append(pairs, pair{from, open[i].Name})
	}
	return pairs, "", nil
}

// printConflicts writes the three sides of each conflict in the status.
func printConflicts(w io.Writer, pv *v1alpha1.PackageVariant) error {
	for i := range pv.Status.Conflicts {
		conflict := &pv.Status.Conflicts[i]
		var place []string
		for _, part := range []string{conflict.File, conflict.Resource, conflict.Field} {
			if part != "" {
				place = append(place, krm.Visible(part))
			}
		}
		mark := map[string]string{conflict.Taken: "  (in the draft)", "": ""}
		_, err := fmt.Fprintf(w, "conflict in %s\n  original: %s\n  local:    %s%s\n  updated:  %s%s\n",
			strings.Join(place, ", "), orAbsent(conflict.Original), orAbsent(conflict.Local), mark[v1alpha1.TakenLocal],
			orAbsent(conflict.Updated), mark[v1alpha1.TakenUpstream])
		if err != nil {
			return err
		}
	}
	if more := int(pv.Status.ConflictCount) - len(pv.Status.Conflicts); more > 0 {
		_, err := fmt.Fprintf(w, "and %d more, which the status does not have\n", more)
		return err
	}
	return nil
}

func orAbsent(value string) string {
	if value == "" {
		return "(absent)"
	}
	return krm.Visible(value)
}
