// SPDX-License-Identifier: Apache-2.0

// Package adopt is the command kubectl variants adopt, which gives a copy the upstream that it was made from.
package adopt

import (
	"context"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command/compare"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
)

const long = `Give a package that was copied by hand or by a script the upstream that it is a copy of. The command
compares the latest published revision of the package with the published revisions of the upstream, says which one it
is nearest to, and shows the differences. Then it asks for confirmation, unless --yes is given, and makes a draft in
which the Kptfile names that revision, and the resources whose names differ by that of their environment. Nothing else
in the package changes, except that it gets a package context if its Repository is one for deployment and it has none.

Once the draft is published, a PackageVariant with adoptionPolicy: adoptExisting takes the package over: it follows the
upstream, and keeps its differences.`

const example = `  # Which revision of the blueprint is this copy of?
  kubectl variants adopt edge/web --upstream blueprints/web

  # It is known to be a copy of v2
  kubectl variants adopt edge/web --upstream blueprints/web@v2 --yes`

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	var upstream string
	var yes bool
	cmd := &cobra.Command{
		Use: "adopt REPOSITORY/PACKAGE", Short: "Give a copy the upstream that it was made from", Long: long,
		Example: example, Args: cli.One("REPOSITORY/PACKAGE"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), env, args[0], upstream, yes) },
	}
	cmd.Flags().StringVar(&upstream, "upstream", "",
		"package that it is a copy of, as REPOSITORY/PACKAGE, or REPOSITORY/PACKAGE@vN for a revision of it")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation")
	_ = cmd.MarkFlagRequired("upstream") // it fails only for an unknown flag
	return cmd
}

// run makes the draft.
func run(ctx context.Context, env *cli.Env, name, upstream string, yes bool) error {
	cluster, err := live.Open(env)
	if err != nil {
		return err
	}
	c, err := copyOf(ctx, cluster, name, upstream)
	if err != nil {
		return err
	}
	made, err := programs.Adopt(ctx, env.Streams(), &compare.Differ, cluster.Porch, []*adopt.Copy{c}, yes)
	if err != nil {
		return live.Explain(err, live.Call{Verb: "create", Kind: live.Revision, Namespace: cluster.Namespace})
	}
	_, err = fmt.Fprintf(env.Out, "packagerevision/%s made: propose and approve it, and a PackageVariant with "+
		"adoptionPolicy: adoptExisting takes the package over\n", krm.Visible(made[0].Name))
	return err
}

// copyOf returns the package that an argument names, as a copy of the one that --upstream names.
func copyOf(ctx context.Context, cluster *live.Cluster, name, upstream string) (*adopt.Copy, error) {
	of, number, err := adopt.ParseUpstream(upstream)
	if err != nil {
		return nil, err
	}
	repo, pkg, whole := strings.Cut(name, "/")
	if !whole {
		return nil, fmt.Errorf("%q does not name a package: write REPOSITORY/PACKAGE", name)
	}
	all, err := cluster.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]revision.Repository{}
	for i := range all {
		if r, is := porch.RepositoryOf(&all[i]); is {
			known[r.Name] = r.Repository
		}
	}
	for _, r := range []string{repo, of.Repo} {
		if _, is := known[r]; !is {
			return nil, fmt.Errorf("there is no Repository %q in the namespace %s", r, cluster.Namespace)
		}
	}
	c := &adopt.Copy{Namespace: cluster.Namespace, Package: revision.Package{Repo: repo, Name: pkg}, Upstream: of,
		Number: number, Repository: known[of.Repo], Deployment: known[repo].Deployment}
	c.In(known)
	return c, nil
}
