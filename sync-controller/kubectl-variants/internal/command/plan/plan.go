// SPDX-License-Identifier: Apache-2.0

// Package plan is the command kubectl variants plan: it shows what the controller is going to do about manifests,
// before they are applied.
package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/predict"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
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

  # What becomes of the packages if a variant is deleted?
  kubectl variants plan -f variant.yaml --delete`

const long = `Show what the controller is going to do about PackageVariants and PackageVariantSets, before they are
applied.

The plan is made by the controller's own code, over what the cluster has, or a directory of files: for each variant
whether its package is created, upgraded, merged, edited, adopted, pruned, deleted, waits (and for what), or stays as it
is. Nothing is written to the cluster. Without -f, the plan is about all sets and variants of the namespace as they are.

It exits with 0 if nothing is to be done, with 1 if something is, and with more if there was an error, or if a set or a
variant fails.`

// options are the flags.
type options struct {
	env    *cli.Env
	files  []string
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
	for _, name := range []string{"filename", "from"} {
		flag := f.Lookup(name)
		flag.Value = pathValue{flag.Value}
	}
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

// noArgs tells who names manifests without -f.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("manifests are named by -f: write kubectl variants plan -f %s", strings.Join(args, " -f "))
}

// pathValue is the value of a flag that names a path. An empty one would be a plan of something else.
type pathValue struct{ pflag.Value }

// Set implements pflag.Value.
func (v pathValue) Set(path string) error {
	if path == "" {
		return errors.New("it must name a file or a directory: is it a variable that is not set?")
	}
	return v.Value.Set(path)
}

// manifests reads what -f names.
func (o *options) manifests(types *runtime.Scheme) ([]snapshot.Object, error) {
	var manifests []snapshot.Object
	for _, path := range o.files {
		var read *snapshot.Files
		var err error
		if path == "-" {
			read, err = snapshot.ReadManifests(types, "the standard input", o.env.In)
		} else {
			read, err = snapshot.ReadFiles(types, path, true)
		}
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, read.Objects...)
	}
	return manifests, nil
}

// formats are the formats, in the order in which they are told.
func formats() []string { return []string{"text", "json", "yaml", "markdown", "html"} }

func (o *options) run(ctx context.Context) error {
	if !slices.Contains(formats(), o.format) {
		return fmt.Errorf("-o is %q, but must be one of %s", o.format, strings.Join(formats(), ", "))
	}
	if o.delete && len(o.files) == 0 {
		return errors.New("--delete needs -f: the manifests of what is to be deleted")
	}
	if o.runner != "" && !o.render {
		return errors.New("--function-runner needs --render: the functions of packages are not run without it")
	}
	plan, err := o.plan(ctx)
	if err != nil {
		return err
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

// plan makes the plan.
func (o *options) plan(ctx context.Context) (*plans.Plan, error) {
	known, err := scheme.New()
	if err != nil {
		return nil, err
	}
	manifests, err := o.manifests(known)
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
	named, owned, err := o.named(ctx, w, manifests, namespace)
	if err != nil {
		return nil, err
	}
	progress := newProgress(o.env.ErrOut)
	defer progress.end()
	plan, err := plans.Make(ctx, w, named.Sets, named.Variants, plans.Options{
		Version: version.Line(), Runtime: mutate.Builtin{}, Diffs: o.diffs || o.format == "html", Rendered: o.render,
		Progress: progress.tell, Write: o.writer(), Deleted: owned,
	})
	if err != nil {
		return nil, err
	}
	plan.Notes = named.Notes
	return plan, nil
}

// world returns the world that the plan is made in, and the namespace of the plan.
func (o *options) world(ctx context.Context, known *runtime.Scheme, render snapshot.Render) (*snapshot.World, string,
	error) {
	if o.from != "" {
		w, err := world.FromFiles(known, o.from, render)
		if err != nil {
			return nil, "", err
		}
		namespace, err := world.NamespaceOf(ctx, w, *o.env.Flags.Namespace, o.from)
		return w, namespace, err
	}
	namespace, err := o.env.Namespace()
	if err != nil {
		return nil, "", err
	}
	cluster, err := o.env.Client()
	if err != nil {
		return nil, "", err
	}
	w, err := world.FromCluster(ctx, known, cluster, namespace, render)
	return w, namespace, err
}

// named lays the manifests over the world, and returns what the plan is about, and which variants go with a set.
func (o *options) named(ctx context.Context, w *snapshot.World, manifests []snapshot.Object, namespace string) (
	named world.Named, owned map[types.NamespacedName][]string, err error) {
	switch {
	case len(o.files) == 0:
		named, err = world.All(ctx, w, namespace)
	case o.delete:
		return deletion(ctx, w, manifests, namespace)
	default:
		named, err = world.Overlay(ctx, w, manifests, namespace)
	}
	return named, nil, err
}

// renderer returns what is made of the files of a draft that is saved.
func (o *options) renderer() (snapshot.Render, error) {
	if o.render {
		return newKpt(o.runner)
	}
	return func(_ context.Context, files map[string]string) (map[string]string, error) {
		return predict.Render(files)
	}, nil
}
