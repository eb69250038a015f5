// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/kptfile"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/recent"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// inspection is an observation brought up to date, with what the functions make of the package.
type inspection struct {
	*observation
	// contents are the contents that were read, by the name of the revision, and what the functions make of them.
	contents map[string]evaluated
}

// evaluated is the content of a revision and what is made of it.
type evaluated struct {
	content porch.Content
	// files are the files that the functions ran over: those of the content, with the upstream merged into them where it
	// is to be.
	files   map[string]string
	outcome mutate.Outcome
	// untouched reports whether the content is what Porch made, of a draft that was asked for and not seen complete.
	untouched bool
	// references are the objects that injectors name for the injection points in the content, versions their versions
	// before they were read.
	references []objects.Reference
	versions   []string
}

// wanted returns the files that the content is to have.
func (e *evaluated) wanted() map[string]string {
	wanted := maps.Clone(e.files)
	maps.Copy(wanted, e.outcome.Files)
	return wanted
}

// changed returns the paths of the files that are to change, in order.
func (e *evaluated) changed() []string {
	wanted := e.wanted()
	var paths []string
	for path, text := range wanted {
		if before, there := e.content.Files[path]; !there || before != text {
			paths = append(paths, path)
		}
	}
	for path := range e.content.Files {
		if _, stays := wanted[path]; !stays {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// errOutdated ends a reconcile that was begun on an older spec, or on a variant that is gone by now: the event of that
// is in the work queue.
var errOutdated = errors.New("the spec has changed meanwhile")

// inspect reads the package as it is now, and runs the functions over it. It reads nothing while a guard holds. Nil
// says that there is nothing to do after all. The API and Porch are asked what there is only before something is
// written, or where the caches are behind or cannot be right: a variant that is only to report costs no more than its
// contents.
func (r *Reconciler) inspect(ctx context.Context, seen *observation, behind bool) (*inspection, error) {
	if !seen.Deleting && decide.Guard(&seen.Input) != nil {
		return &inspection{observation: seen, contents: map[string]evaluated{}}, nil
	}
	in, err := r.look(ctx, seen)
	if seen.untouched() && !behind {
		return in, err
	}
	var steps []decide.Step
	if err == nil && !behind {
		steps = decide.Decide(&in.Input).Steps
		if len(steps) == 0 && !seen.doubtful() {
			return in, nil
		}
	}
	fresh, failed := r.refresh(ctx, seen, steps)
	if failed != nil {
		return nil, failed
	}
	if _, settled := r.settled(fresh); settled {
		return nil, nil // the cache was behind
	}
	if err != nil || fresh.pv.ResourceVersion != seen.pv.ResourceVersion || fresh.hash() != seen.hash() {
		return r.look(ctx, fresh)
	}
	fresh.Mutations, fresh.Merges, fresh.MayApprove, fresh.Saved = seen.Mutations, seen.Merges, seen.MayApprove, seen.Saved
	in.observation = fresh
	return in, nil
}

// look reads the contents that a decision over an observation needs, and runs the functions over them.
func (r *Reconciler) look(ctx context.Context, seen *observation) (*inspection, error) {
	in := &inspection{observation: seen, contents: map[string]evaluated{}}
	if err := r.recall(ctx, seen); err != nil {
		return nil, err
	}
	for _, name := range decide.Inspections(&in.Input) {
		if err := r.evaluate(ctx, in, name); err != nil {
			return nil, err
		}
	}
	return in, r.mayApprove(ctx, in)
}

// mayApprove asks the cluster whether the controller may approve package revisions, where that is wanted. Without the
// right a draft would be proposed, and could then be neither published nor changed.
func (r *Reconciler) mayApprove(ctx context.Context, in *inspection) (err error) {
	if !decide.Approving(&in.Input) && in.Saved.Proposed == "" || in.Deleting {
		return nil
	}
	in.MayApprove, err = r.allowed.Get(in.pv.Namespace, func() (bool, error) {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: in.pv.Namespace, Verb: "patch",
				Group: porchapi.SchemeGroupVersion.Group, Resource: "packagerevisions", Subresource: "approval"},
		}}
		err := r.client.Create(ctx, review)
		return review.Status.Allowed, err
	})
	return err
}

// refresh observes the variant and its downstream package as they are now, before the steps are done. A revision that
// the status names must be gone for certain: Porch leaves out of its lists what it fails to read. The variant need not
// be read where the first step is to write its status, which is refused if the variant has changed.
func (r *Reconciler) refresh(ctx context.Context, seen *observation, steps []decide.Step) (*observation, error) {
	pv := *seen.pv
	if !announces(seen.pv, steps) {
		pv = v1alpha1.PackageVariant{}
		if err := r.live.Get(ctx, seen.key(), &pv); apierrors.IsNotFound(err) {
			return nil, errOutdated
		} else if err != nil {
			return nil, err
		}
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
	if err := r.addUnlisted(ctx, fresh); err != nil {
		return nil, err
	}
	slices.SortFunc(fresh.Revisions, revision.ByName)
	return fresh, r.observeBases(ctx, fresh)
}

// evaluate reads the content of a revision, merges the upstream into it where it is to be, and runs the functions over
// what results.
func (r *Reconciler) evaluate(ctx context.Context, in *inspection, name string) error {
	content, err := r.content(ctx, in.observation, name)
	if errors.Is(err, porch.ErrNoFiles) && r.unwritten(ctx, in, in.target(name)) {
		in.Mutations[name] = decide.Mutation{Empty: true}
		return nil
	}
	if err != nil {
		return err
	}
	files, untouched := content.Files, false
	if target := in.target(name); target != nil {
		if files, untouched, err = r.resume(ctx, in, target, content); err != nil {
			return err
		}
		merged, err := r.merge(ctx, in, target, files)
		if err != nil {
			return err
		}
		if target.Published() && merged != nil { // Porch upgrades it
			in.contents[name] = evaluated{content: content, files: merged}
			return nil
		}
		if merged != nil {
			files = merged
		}
	}
	return r.try(ctx, in, name, evaluated{content: content, files: files, untouched: untouched})
}

// try runs the functions over the files of a revision, and notes what they make of them. That one fails is an outcome.
func (r *Reconciler) try(ctx context.Context, in *inspection, name string, begun evaluated) error {
	e, err := r.mutate(ctx, in.observation, begun)
	failure, failed := errors.AsType[*mutate.FunctionError](err)
	if err != nil && (!failed || unavailable(err)) {
		return err
	}
	m := e.mutation()
	switch {
	case failed:
		m = decide.Mutation{Err: failure, Untouched: e.untouched}
	case decide.Approving(&in.Input) && in.target(name) != nil:
		e.addApproval(&m)
	}
	m.RenderError = cmp.Or(m.RenderError, in.renderError(name))
	in.contents[name], in.Mutations[name] = e, m
	return nil
}

// renderError returns why the pipeline of a target failed when it was saved last, as far as the status says.
func (o *observation) renderError(name string) string {
	for _, target := range o.pv.Status.DownstreamTargets {
		if target.Name == name && target.RenderStatus != nil {
			return target.RenderStatus.Err
		}
	}
	return ""
}

// target returns the downstream revision of a name, or nil.
func (o *observation) target(name string) *revision.Revision {
	for i := range o.Revisions {
		if o.Revisions[i].Name == name {
			return &o.Revisions[i]
		}
	}
	return nil
}

// unavailable reports whether no function could be run.
func unavailable(err error) bool {
	_, is := errors.AsType[*mutate.UnavailableError](err)
	return is
}

// mutation returns what decisions ask of what was evaluated.
func (e *evaluated) mutation() decide.Mutation {
	m := decide.Mutation{Changed: e.changed(), RenderError: e.content.RenderStatus.Err}
	for _, p := range e.outcome.Points {
		m.Points = append(m.Points, decide.Point(p))
	}
	return m
}

// addApproval adds what approvals ask of what was evaluated. That parses the Kptfile, and is not done for the others.
func (e *evaluated) addApproval(m *decide.Mutation) {
	m.Content = kptfile.Digest(e.content.Files)
	var err error
	if m.Gates, err = kptfile.UnmetGates(e.content.Files); err != nil {
		m.Gates = []string{err.Error()}
	}
}

// content returns the content of a target, or of the upstream as it would be cloned. The upstream's is read once for
// all variants that ask for it.
func (r *Reconciler) content(ctx context.Context, o *observation, name string) (porch.Content, error) {
	if name != o.Upstream.Name {
		return r.porch.Content(ctx, o.pv.Namespace, name)
	}
	content, err := r.shared(ctx, o.Upstream)
	if err == nil && o.Repositories[o.Spec.Downstream.Repo].Deployment {
		content.Files = withPackageContext(content.Files)
	}
	return content, err
}

// shared returns the content of a published revision, which is read once for all variants that ask for it.
func (r *Reconciler) shared(ctx context.Context, rev *revision.Revision) (porch.Content, error) {
	content, err := r.upstream.Get(rev.Namespace+"/"+rev.Name+"/"+rev.Commit, func() (porch.Content, error) {
		return r.porch.Content(ctx, rev.Namespace, rev.Name)
	})
	if errors.Is(err, recent.ErrSlow) {
		err = fmt.Errorf("cannot read the content of %s: %w", rev.Name, err)
	}
	return content, err
}
