// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// inspection is an observation brought up to date, with what the functions make of the package.
type inspection struct {
	*observation
	// contents are the contents that were read, by the name of the revision, and what the functions make of them.
	contents map[string]evaluated
}

// evaluated is the content of a revision and what the functions make of it.
type evaluated struct {
	content porch.Content
	outcome mutate.Outcome
	// references are the objects that injectors name for the injection points in the content, versions their versions
	// before they were read.
	references []objects.Reference
	versions   []string
}

// errOutdated ends a reconcile that was begun on an older spec: the newer one is in the work queue.
var errOutdated = errors.New("the spec has changed meanwhile")

// inspect reads the package as it is now, and runs the functions over it. It reads nothing while a guard holds. Nil says
// that there is nothing to do after all.
func (r *Reconciler) inspect(ctx context.Context, seen *observation) (*inspection, error) {
	in := &inspection{observation: seen, contents: map[string]evaluated{}}
	if !seen.Deleting && decide.Guard(&seen.Input) != nil {
		return in, nil
	}
	if !seen.untouched() {
		fresh, err := r.refresh(ctx, seen)
		if err != nil {
			return nil, err
		}
		in.observation = fresh
	}
	if _, settled := r.settled(in.observation); settled {
		return nil, nil // the cache was behind
	}
	for _, name := range decide.Inspections(&in.Input) {
		if err := r.evaluate(ctx, in, name); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// untouched reports whether nothing is known of the downstream package, and nothing was ever tried. If a cache that is
// behind says so, Porch refuses to make the first workspace a second time.
func (o *observation) untouched() bool {
	status := &o.pv.Status
	return !o.Deleting && len(o.Elsewhere) == 0 && len(status.DownstreamTargets) == 0 && len(status.OwnedRevisions) == 0 &&
		status.RequestedDraft == nil && !slices.ContainsFunc(o.Revisions, func(r revision.Revision) bool { return !r.Main() })
}

// refresh observes the variant and its downstream package as they are now. A revision that the status names must be gone
// for certain: Porch leaves out of its lists what it fails to read.
func (r *Reconciler) refresh(ctx context.Context, seen *observation) (*observation, error) {
	var pv v1alpha1.PackageVariant
	if err := r.live.Get(ctx, seen.key(), &pv); err != nil {
		return nil, err
	}
	fresh, err := r.observe(ctx, &pv)
	if err != nil {
		return nil, err
	}
	if pv.UID != seen.pv.UID || !slices.Equal(seen.places(), fresh.places()) {
		return nil, errOutdated
	}
	if d := pv.Spec.Downstream; d == nil || !fresh.Repositories[d.Repo].Ready {
		return fresh, nil
	}
	downstream := revision.DownstreamOf(&pv.Spec)
	fresh.fresh = true
	if fresh.Revisions, err = r.porch.Revisions(ctx, pv.Namespace, downstream); err != nil {
		return nil, err
	}
	for _, name := range pv.Status.OwnedRevisions {
		if slices.ContainsFunc(slices.Concat(fresh.Revisions, fresh.Elsewhere), func(r revision.Revision) bool { return r.Name == name }) {
			continue
		}
		found, err := r.porch.Revision(ctx, pv.Namespace, name)
		switch {
		case err == nil && found.Package == downstream:
			fresh.Revisions = append(fresh.Revisions, found)
		case err == nil:
			fresh.Elsewhere = append(fresh.Elsewhere, found)
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	slices.SortFunc(fresh.Revisions, revision.ByName)
	return fresh, r.observeBases(ctx, fresh)
}

// evaluate reads the content of a revision and runs the functions over it. That a function fails is an outcome.
func (r *Reconciler) evaluate(ctx context.Context, in *inspection, name string) error {
	content, err := r.content(ctx, in.observation, name)
	if err != nil {
		return err
	}
	e, err := r.mutate(ctx, in.observation, content)
	failure, failed := errors.AsType[*mutate.FunctionError](err)
	if err != nil && (!failed || unavailable(err)) {
		return err
	}
	in.contents[name], in.Mutations[name] = e, mutation(e.outcome)
	if failed {
		in.Mutations[name] = decide.Mutation{Err: failure}
	}
	return nil
}

// unavailable reports whether no function could be run.
func unavailable(err error) bool {
	_, is := errors.AsType[*mutate.UnavailableError](err)
	return is
}

// mutation returns what decisions ask of an outcome.
func mutation(outcome mutate.Outcome) decide.Mutation {
	m := decide.Mutation{Changed: outcome.Changed()}
	for _, p := range outcome.Points {
		m.Points = append(m.Points, decide.Point(p))
	}
	return m
}

// content returns the content of a target, or of the upstream as it would be cloned. The upstream's is read once for all
// variants that ask for it.
func (r *Reconciler) content(ctx context.Context, o *observation, name string) (porch.Content, error) {
	upstream := o.Upstream
	if name != upstream.Name {
		return r.porch.Content(ctx, o.pv.Namespace, name)
	}
	content, err := r.upstream.Get(upstream.Namespace+"/"+name+"/"+upstream.Commit, func() (porch.Content, error) {
		return r.porch.Content(ctx, upstream.Namespace, name)
	})
	if err == nil && o.Repositories[o.Spec.Downstream.Repo].Deployment {
		content.Files = withPackageContext(content.Files)
	}
	return content, err
}

// withPackageContext returns the files of a package with a package context, which Porch adds to a clone in a deployment
// Repository that has none.
func withPackageContext(files map[string]string) map[string]string {
	const file = "package-context.yaml"
	for p, text := range files {
		if path.Base(p) != "Kptfile" && ofRoot(files, p) && packagecontext.Relevant(p, text) {
			return files
		}
	}
	files = maps.Clone(files)
	files[file] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n" +
		"  annotations:\n    config.kubernetes.io/local-config: \"true\"\ndata:\n  name: example\n"
	return files
}

// ofRoot reports whether a file is of the root package, not of a subpackage.
func ofRoot(files map[string]string, p string) bool {
	for directory := path.Dir(p); directory != "."; directory = path.Dir(directory) {
		if _, isPackage := files[directory+"/Kptfile"]; isPackage {
			return false
		}
	}
	return true
}

// mutate runs the functions over a content, and watches from now on the objects that they inject, too.
func (r *Reconciler) mutate(ctx context.Context, o *observation, content porch.Content) (evaluated, error) {
	e := evaluated{content: content}
	var err error
	e.outcome, err = mutate.Apply(ctx, r.runtime, content.Files, mutate.Request{
		Name: o.pv.Name, Namespace: o.pv.Namespace, Spec: o.Spec,
		Objects: func(ctx context.Context, candidates []injection.Candidate) ([]map[string]any, []injection.Unreadable, error) {
			for _, c := range candidates {
				kind := objects.Kind{APIVersion: c.APIVersion, Kind: c.Kind, Namespace: o.pv.Namespace}
				e.references = append(e.references, objects.Reference{Kind: kind, Name: c.Name})
			}
			if err := r.watches.Add(ctx, o.key(), e.references); err != nil {
				return nil, nil, err
			}
			e.versions = r.versions(e.references)
			return r.injected(ctx, e.references, candidates)
		},
	})
	return e, err
}

// injected returns those of the references' objects that exist, and those that cannot be read.
func (r *Reconciler) injected(ctx context.Context, references []objects.Reference, candidates []injection.Candidate) (found []map[string]any, unreadable []injection.Unreadable, err error) {
	for i, reference := range references {
		object, err := r.objects.Read(ctx, reference)
		if err != nil {
			unreadable = append(unreadable, injection.Unreadable{
				APIVersion: candidates[i].APIVersion, Kind: candidates[i].Kind, Name: candidates[i].Name, Message: err.Error(),
			})
		} else if object != nil {
			found = append(found, object)
		}
	}
	return found, unreadable, nil
}
