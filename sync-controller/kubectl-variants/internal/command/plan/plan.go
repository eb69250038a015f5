// SPDX-License-Identifier: Apache-2.0

// Package plan is the command kubectl variants plan: it shows what the controller would do about manifests before they
// are applied.
package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/predict"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// example is shown by --help.
const example = `  # What would the controller do if this set were applied to the cluster?
  kubectl variants plan -f set.yaml

  # The same, with the diffs of all files that change
  kubectl variants plan -f set.yaml --files

  # Without a cluster: the manifests of a fleet over a snapshot that kubectl get ... -o yaml wrote
  kubectl variants plan -f fleet/ --from snapshot/

  # As a comment on a pull request, and as a page to look at
  kubectl variants plan -f fleet/ --from snapshot/ --files -o markdown
  kubectl variants plan -f fleet/ --from snapshot/ --files -o html > plan.html

  # The same for a pull request that removes manifests: what main has and fleet/ does not is deleted
  kubectl variants plan -f fleet/ --base origin/main --from snapshot/

  # What becomes of the packages if a variant is deleted?
  kubectl variants plan -f variant.yaml --delete`

const long = `Show what the controller is going to do about PackageVariants and PackageVariantSets, before they are
applied.

The plan is made by the controller's own code, over what the cluster has, or a directory of files: for each variant
whether its package is created, upgraded, merged, edited, adopted, pruned, deleted, waits (and for what), or stays as it
is. Nothing is written to the cluster. Sets and variants of the namespace that are not named by -f, and change by what
is, follow under a heading of their own. Without -f, the plan is about all sets and variants of the namespace as they
are.

It exits with 0 if nothing is to be done, with 1 if something is, and with 2 if there was an error, or if a set or a
variant fails: one that becomes Stalled does, and one that was Stalled before and stays so does not.`

// options are the flags.
type options struct {
	env    *cli.Env
	files  []string
	all    bool
	base   string
	from   string
	diffs  bool
	format string
	render bool
	runner string
	delete bool
	write  string
}

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	o := &options{env: env}
	c := &cobra.Command{
		Use: "plan [-f FILE|DIRECTORY]...", Short: "Show what the controller is going to do about manifests", Long: long,
		Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil,
		"file or directory with manifests of sets and variants, and of objects that they select or inject; - is the "+
			"standard input")
	f.StringVar(&o.from, "from", "",
		"directory with what a cluster has, as kubectl get ... -o yaml writes it, in its place")
	f.StringVar(&o.base, "base", "",
		"git revision of what -f names, or a directory, whose objects are taken for deleted where -f does not have them any "+
			"more")
	for name, what := range map[string]string{"filename": "a file or a directory", "from": "a file or a directory",
		"base": "a git revision or a directory"} {
		flag := f.Lookup(name)
		flag.Value = namingValue{flag.Value, what}
	}
	f.BoolVarP(&o.all, "all-namespaces", "A", false,
		"plan the sets and variants of all namespaces; not with -f")
	f.BoolVar(&o.diffs, "files", false, "show the diffs of the packages' files")
	f.StringVarP(&o.format, "output", "o", "text", "format: "+strings.Join(formats(), ", "))
	f.BoolVar(&o.render, "render", false,
		"run the pipelines of the packages, by the kpt that is there, as Porch does when it saves them")
	f.StringVar(&o.runner, "function-runner", "",
		"address (host:port) of the function-runner of Porch that runs the functions of --render, in place of containers")
	f.StringVar(&o.write, "write-to", "",
		"directory to which the packages are written as they are going to be, each in a directory with the name of its draft")
	f.BoolVar(&o.delete, "delete", false, "plan the deletion of what -f names")
	return c
}

// noArgs explains that manifests need -f.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("manifests are named by -f: write kubectl variants plan -f %s", strings.Join(args, " -f "))
}

// namingValue is the value of a flag that names something. It must not be empty, since the plan would then be about
// something else.
type namingValue struct {
	pflag.Value
	// what it names.
	what string
}

// Set implements pflag.Value.
func (v namingValue) Set(name string) error {
	if name == "" {
		return fmt.Errorf("it must name %s: is it a variable that is not set?", v.what)
	}
	return v.Value.Set(name)
}

// formats returns the formats in the order of the help.
func formats() []string { return []string{"text", "json", "yaml", "markdown", "html"} }

// check returns an error for flags that do not go together.
func (o *options) check() error {
	if !slices.Contains(formats(), o.format) {
		return fmt.Errorf("-o is %q, but must be one of %s", o.format, strings.Join(formats(), ", "))
	}
	if o.delete && len(o.files) == 0 {
		return errors.New("--delete needs -f: the manifests of what is to be deleted")
	}
	if o.base != "" && (len(o.files) == 0 || o.delete) {
		return errors.New("--base needs -f, and no --delete: it finds the objects that -f does not have any more")
	}
	if o.all && (len(o.files) > 0 || *o.env.Flags.Namespace != "") {
		return errors.New("-A is of all namespaces as they are: leave out -f and --namespace, or -A")
	}
	if o.runner != "" && !o.render {
		return errors.New("--function-runner needs --render: the functions of packages are not run without it")
	}
	return nil
}

// run makes the plan, and prints it.
func (o *options) run(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	plan, err := o.plan(ctx)
	if err != nil {
		return o.printFailure(err)
	}
	if err := o.print(plan); err != nil {
		return err
	}
	if failed := plan.Errors(); len(failed) > 0 {
		return errors.New(strings.Join(failed, "\nerror: "))
	}
	if plan.Changes() {
		return cli.ErrChanges
	}
	return nil
}

// gcPercent makes the garbage collector run less often than by default: a plan leaves much behind that was parsed once,
// and keeps little of it.
const gcPercent = 150

// plan makes the plan.
func (o *options) plan(ctx context.Context) (*plans.Plan, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	progress := newProgress(o.env.ErrOut)
	defer progress.end()
	progress.say("reading " + cmp.Or(o.from, "the cluster"))
	known, err := scheme.New()
	if err != nil {
		return nil, err
	}
	changes, err := o.read(ctx, known)
	if err != nil {
		return nil, err
	}
	render, err := o.renderer()
	if err != nil {
		return nil, err
	}
	w, namespace, err := o.world(ctx, known, render)
	if err != nil {
		return nil, err
	}
	about, doubts, err := o.look(ctx, w, changes, namespace)
	if err != nil {
		return nil, err
	}
	var before *memory.World
	if len(o.files) > 0 { // without -f nothing is outside
		before = w.Clone()
	}
	named, err := o.named(ctx, w, changes, namespace)
	if err != nil {
		return nil, err
	}
	answers, err := o.answers(ctx, changes, namespace)
	if err != nil {
		return nil, err
	}
	outside, err := o.outside(ctx, before, w, namespace)
	if err != nil {
		return nil, err
	}
	progress.say("expanding sets")
	plan, err := plans.Make(ctx, w, named.Sets, named.Variants, plans.Options{
		Version: version.Line(), Runtime: mutate.Builtin{}, Diffs: o.diffs || o.format == "html", Rendered: o.render,
		Progress: progress.tell, Write: o.writer(), Deleted: named.Owned, Outside: outside,
	})
	if err != nil {
		return nil, err
	}
	if len(o.files) > 0 && o.base == "" && len(plan.Sets)+len(plan.Variants) == 0 {
		if err := nothing(named); err != nil {
			return nil, err
		}
	}
	plan.Notes, plan.About = slices.Concat(doubts, named.Notes, answers.Notes), about
	plan.Refuse(answers.Refusals)
	return plan, nil
}

// renderer returns the function that renders the files of a saved draft.
func (o *options) renderer() (memory.Render, error) {
	if o.render {
		return newKpt(o.runner)
	}
	memo := predict.NewMemo()
	return func(_ context.Context, files map[string]string) (map[string]string, error) {
		return memo.Render(files)
	}, nil
}
