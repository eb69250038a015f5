// SPDX-License-Identifier: Apache-2.0

// Package command has the commands of variants, the command line for package variants with nothing but git.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/spf13/cobra"
)

const long = `Keep the packages of a fleet in step with their blueprints, with nothing but git. A fleet is a directory
with Repositories, PackageVariants and PackageVariantSets. Its packages are directories in git repositories: a draft is
a branch, merging it into the branch of its Repository publishes it, and each published revision has a tag. To suspend
something, set spec.suspend in its manifest.

Exit codes: 0 if all is done, or waits for a person; 1 if diff finds a difference, or if a forge refuses a pull request
of sync; 2 if the command is wrong, or if something failed and the rest is done.`

// commands are the commands, in the order of the help.
var commands = []func(*env) *cobra.Command{newSync, newPlan, newStatus, newDiff, newTrace, newApprove, newReject,
	newInit, newAdopt}

// Exit codes.
const (
	exitDone = iota
	exitDiffers
	exitError
)

// Errors after which there is nothing to say any more.
var (
	errDiffers = errors.New("there are differences")
	errTold    = errors.New("something failed, as was said")
	errRefused = errors.New("a forge has refused something, as was said")
)

// Run runs a command line and returns its exit code.
func Run(ctx context.Context, args []string, streams programs.Streams) int {
	root := New(streams)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errDiffers), errors.Is(err, errRefused):
		return exitDiffers
	case ctx.Err() != nil: // the programs that it runs may have got the signal, too, and what failed thereby is no cause
		fmt.Fprintln(streams.Err, "error: interrupted: run it again, which goes on from what was pushed")
	case !errors.Is(err, errTold):
		fmt.Fprintln(streams.Err, "error:", krm.Visible(err.Error()))
	}
	return exitError
}

// New returns the root command.
func New(streams programs.Streams) *cobra.Command {
	e := &env{Streams: streams}
	root := &cobra.Command{Use: "variants", Short: "Package variants with nothing but git", Long: long,
		SilenceErrors: true, SilenceUsage: true, Version: version.Current()}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	flags := root.PersistentFlags()
	flags.StringVar(&e.fleet.State, "state", "", "`address` of the git repository that remembers what was done; "+
		"by default the remote of the one with the manifests")
	flags.StringVar(&e.fleet.Cache, "cache", "", "`directory` for clones; by default one in the user's cache directory")
	flags.StringArrayVar(&e.fleet.Allow, "allow", nil, "`address` of git repositories that may be contacted although the "+
		"manifests on the default branch do not name them, with all below it; may be repeated")
	for _, command := range commands {
		root.AddCommand(command(e))
	}
	return root
}

// env is what a command runs in.
type env struct {
	programs.Streams
	fleet     fleet.Options
	namespace string
}

// options returns the options of the fleet in a directory.
func (e *env) options(dir string) (fleet.Options, error) {
	o := e.fleet
	o.Dir = dir
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, fmt.Errorf("%w: name a directory for clones by --cache", err)
		}
		o.Cache = filepath.Join(cache, "package-variants")
	}
	return o, nil
}

// fleetFlags adds the flags of a command that names drafts and variants.
func (e *env) fleetFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&e.fleet.Dir, "dir", "d", ".", "`directory` with the manifests of the fleet")
	cmd.Flags().StringVarP(&e.namespace, "namespace", "n", "default", "namespace of the objects that are named")
}

// open opens the fleet that the flags name, as its git repositories are now, and calls do with it.
func (e *env) open(ctx context.Context, do func(*fleet.Fleet) error) error {
	o, err := e.options(e.fleet.Dir)
	if err != nil {
		return err
	}
	f, err := fleet.Open(ctx, o)
	if err != nil {
		return err
	}
	if err = f.Fetch(ctx); err == nil {
		err = do(f)
	}
	for _, note := range f.NotContacted() {
		_, _ = fmt.Fprintln(e.Err, "note: "+note)
		err = cmp.Or(err, errDiffers)
	}
	return errors.Join(err, f.Close())
}

// one accepts one argument, and some one or more; what says which.
func one(what string) cobra.PositionalArgs  { return takes(what, 1) }
func some(what string) cobra.PositionalArgs { return takes(what, math.MaxInt) }

func takes(what string, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && len(args) <= most {
			return nil
		}
		return fmt.Errorf("%s takes %s: write variants %s", cmd.Name(), what, cmd.Use)
	}
}
