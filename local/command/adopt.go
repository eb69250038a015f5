// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
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
  variants adopt sites/edge-1/web --upstream blueprints/web@v2 --dir fleet/ --yes

  # All copies of a set that has adoptionPolicy: adoptExisting and was synced once
  variants adopt --set web --dir fleet/`

func newAdopt(e *env) *cobra.Command {
	var upstream, set string
	var yes bool
	cmd := &cobra.Command{Use: "adopt DIRECTORY", Short: "Give a copy the upstream that it was made from", Long: longAdopt,
		Example: exampleAdopt,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case set != "" && (len(args) > 0 || upstream != ""):
				return errors.New("--set takes no directory and no --upstream: its variants say which they are")
			case set == "" && upstream == "":
				return errors.New("name the package that it is a copy of by --upstream, or a set by --set")
			case set != "":
				return nil
			}
			return one("the directory of one package")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.open(cmd.Context(), func(f *fleet.Fleet) error {
				copies, err := e.copies(cmd.Context(), f, args, upstream, set)
				if err != nil {
					return err
				}
				return e.adopt(cmd.Context(), f, copies, yes)
			})
		}}
	e.fleetFlags(cmd)
	cmd.Flags().StringVar(&upstream, "upstream", "", "`package` that it is a copy of, as REPOSITORY/PACKAGE, or "+
		"REPOSITORY/PACKAGE@vN for a revision of it")
	cmd.Flags().StringVar(&set, "set", "", "all packages of this PackageVariantSet that do not say yet what they are "+
		"copies of; the set has to be synced once")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation")
	return cmd
}

// copies returns the copy in a directory, or those of a set.
func (e *env) copies(ctx context.Context, f *fleet.Fleet, dirs []string, upstream, set string) ([]*adopt.Copy, error) {
	if set != "" {
		return f.CopiesOf(ctx, e.namespace, set)
	}
	of, number, err := adopt.ParseUpstream(upstream)
	if err != nil {
		return nil, err
	}
	c, err := f.Copy(ctx, e.namespace, dirs[0], of)
	if err != nil {
		return nil, err
	}
	c.Number = number
	return []*adopt.Copy{c}, nil
}

// adopt makes the drafts, and pushes them.
func (e *env) adopt(ctx context.Context, f *fleet.Fleet, copies []*adopt.Copy, yes bool) error {
	made, err := programs.Adopt(ctx, e.Streams, &differ, f.Home(), copies, yes)
	if err != nil {
		return err
	}
	failed := f.Push(ctx, nil)
	var errs []error
	for i := range made {
		if err := failed[types.NamespacedName{Namespace: made[i].Namespace, Name: made[i].Name}]; err != nil {
			errs = append(errs, fmt.Errorf("%s is not pushed: %w", made[i].Name, err))
			continue
		}
		branches := f.BranchesOf(&made[i])
		fmt.Fprintf(e.Out, "pushed the branch %s: merge it into %s, and a PackageVariant with adoptionPolicy: "+
			"adoptExisting takes the package over\n", krm.Visible(branches.Branch), krm.Visible(branches.Base))
	}
	return errors.Join(errs...)
}
