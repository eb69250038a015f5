// SPDX-License-Identifier: Apache-2.0

// Package plan is the command kubectl variants plan: it shows what the controller would do about manifests before they
// are applied.
package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/plans/show"
	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// example is shown by --help.
const example = `  # What would the controller do if this set were applied to the cluster?
  kubectl variants plan -f set.yaml

  # The same, with what is different in the files, each change once
  kubectl variants plan -f set.yaml --files

  # Print the plan as a comment for a pull request, or as a web page
  kubectl variants plan -f fleet/ --files -o markdown
  kubectl variants plan -f fleet/ --files -o html > plan.html

  # Include deletions: a pull request deletes what a worktree of main has and fleet/ does not
  kubectl variants plan -f fleet/ --base ../main/fleet/

  # What happens to the packages if this variant is deleted?
  kubectl variants plan -f variant.yaml --delete`

const long = `Show what the controller will do about PackageVariants and PackageVariantSets before you apply them.

The plan runs the controller's own code over the state of a cluster, and writes nothing to it. Without a cluster, over
packages in git, variants plan does the same. For each variant it shows whether the package is created, upgraded,
merged, edited, adopted, published, pruned or deleted, whether it stays as it is, or what the variant waits for. Other
sets and variants of the namespace that change, because of -f or anyway, follow under a heading of their own. Without
-f, the plan covers all sets and variants of the namespace as they are.

Exit code: 0 if there is nothing to do, 1 if there is something to do, 2 if there was an error, or if a set or a variant
fails, for example by becoming Stalled. One that was Stalled before and stays so is no failure.`

// options are the flags.
type options struct {
	env     *cli.Env
	files   []string
	all     bool
	base    string
	changes bool
	names   bool
	format  string
	render  bool
	delete  bool
	write   string
	// account is the controller's ServiceAccount, as NAMESPACE/NAME.
	account string
}

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	o := &options{env: env}
	c := &cobra.Command{
		Use: "plan [-f FILE|DIRECTORY]...", Short: "Show what the controller will do about manifests", Long: long,
		Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil,
		"file or directory with manifests of sets and variants, and of objects that they select or inject; - reads "+
			"standard input")
	f.StringVar(&o.base, "base", "",
		"directory with what -f had before: an object that it has and -f no longer has is planned as deleted")
	for name, what := range map[string]string{"filename": "a file or a directory", "base": "a directory"} {
		flag := f.Lookup(name)
		flag.Value = namingValue{flag.Value, what}
	}
	f.BoolVarP(&o.all, "all-namespaces", "A", false,
		"plan the sets and variants of all namespaces; cannot be combined with -f")
	f.BoolVar(&o.changes, "files", false, "show the distinct changes of the packages' files")
	f.BoolVar(&o.names, "names", false, "name all packages in text, and not only the first that say the same")
	f.StringVarP(&o.format, "output", "o", "text", "format: "+strings.Join(show.Formats, ", "))
	f.BoolVar(&o.render, "render", false,
		"run the pipelines of the packages with the installed kpt, as Porch does when it saves a draft")
	f.StringVar(&o.write, "write-to", "",
		"new or empty directory to write the planned packages to, each in a subdirectory with the name of its draft")
	f.StringVar(&o.account, "controller-account", "",
		"ServiceAccount of the controller (NAMESPACE/NAME), whose rights the plan checks; by default that of the usual "+
			"installation")
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

// check returns an error for flags that do not go together.
func (o *options) check() error {
	if err := show.CheckFormat(o.format); err != nil {
		return err
	}
	if o.delete && len(o.files) == 0 {
		return errors.New("--delete needs -f: the manifests of what is to be deleted")
	}
	if o.base != "" && (len(o.files) == 0 || o.delete) {
		return errors.New("--base needs -f, and no --delete: it finds the objects that -f does not have any more")
	}
	if o.all && (len(o.files) > 0 || o.env.Flags.Namespace() != "") {
		return errors.New("-A is of all namespaces as they are: leave out -f and --namespace, or -A")
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
		about := o.about()
		return errors.Join(err, show.Failure(o.env.Out, o.format, &about, err))
	}
	streams := o.env.Streams()
	changes, err := streams.PrintPlan(plan, o.format, o.names)
	if changes {
		err = cli.ErrChanges
	}
	return err
}

// gcPercent makes the garbage collector run less often than by default: a plan leaves much behind that was parsed once,
// and keeps little of it.
const gcPercent = 150

// plan makes the plan.
func (o *options) plan(ctx context.Context) (*plans.Plan, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	known, err := scheme.New()
	if err != nil {
		return nil, err
	}
	changes, err := o.read(known)
	if err != nil {
		return nil, err
	}
	render, err := o.renderer()
	if err != nil {
		return nil, err
	}
	w, namespace, err := o.world(ctx, render)
	if err != nil {
		return nil, err
	}
	may, err := o.rights()
	if err != nil {
		return nil, err
	}
	named, err := o.named(ctx, w, changes, namespace)
	if err != nil {
		return nil, err
	}
	answers, err := o.answers(ctx, changes, namespace)
	if err != nil {
		return nil, err
	}
	packages := &output{directory: o.write}
	plan, err := plans.Make(ctx, plans.Of(w.World), named.Keys, plans.Options{
		Version: version.Line(), Runtime: mutate.Builtin{}, Files: o.changes || o.format == "html", Rendered: o.render,
		Write: packages.adder(), Deleted: named.Owned, Others: o.others(w, namespace),
		Denied: may.Denied, MayApprove: func(ctx context.Context, namespace string) (bool, error) {
			return may.May(ctx, porch.ApprovalAttributes(namespace))
		},
	})
	if err != nil {
		return nil, err
	}
	plan.Notes = slices.Concat(plan.Notes, unused(plan, named), named.Notes, answers.Notes, may.Notes())
	plan.About = o.about()
	plan.About.Namespace = namespace
	plan.Refuse(answers.Refusals)
	return plan, packages.write()
}

// about returns what a plan is made of.
func (o *options) about() plans.About {
	return plans.About{Over: "the cluster " + o.env.ClusterName(), Namespace: o.env.Flags.Namespace(),
		AllNamespaces: o.all, Time: o.env.Now(), Named: len(o.files) > 0}
}

// renderer returns the function that renders the files of a saved draft.
func (o *options) renderer() (world.Render, error) {
	if o.render {
		return newKpt()
	}
	memo := kpt.NewMemo()
	return func(_ context.Context, files map[string]string) (map[string]string, error) {
		return memo.Render(files)
	}, nil
}
