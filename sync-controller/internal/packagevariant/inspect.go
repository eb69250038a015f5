// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"cmp"
	"context"
	"errors"

	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/kptfile"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// inspection is an observation brought up to date, with the results of the functions.
type inspection struct {
	*observation
	// contents are the contents that were read, with the results of the functions, by the name of the revision.
	contents map[string]evaluated
}

// inspect reads the contents that a decision over an observation needs, and runs the functions over them. It reads
// nothing while a guard holds.
func (r *Reconciler) inspect(ctx context.Context, seen *observation) (*inspection, error) {
	in := &inspection{observation: seen, contents: map[string]evaluated{}}
	if !seen.Deleting && decide.Guard(&seen.Input) != nil {
		return in, nil
	}
	for _, read := range []func(context.Context, *observation) error{r.identify, r.confirmProposal} {
		if err := read(ctx, seen); err != nil {
			return nil, err
		}
	}
	for _, name := range decide.Inspections(&in.Input) {
		if err := in.noteUnusable(name, r.evaluate(ctx, in, name)); err != nil {
			return nil, err
		}
	}
	return in, r.mayApprove(ctx, in)
}

// mayApprove asks the cluster whether the controller may approve package revisions, if the variant needs that. Without
// the right a draft would be proposed, and could then be neither published nor changed.
func (r *Reconciler) mayApprove(ctx context.Context, in *inspection) (err error) {
	if !decide.Approving(&in.Input) && in.Saved.Proposed == "" || in.Deleting {
		return nil
	}
	in.MayApprove, err = r.allowed.Get(in.pv.Namespace, func() (bool, error) {
		return access.May(ctx, r.client, porch.ApprovalAttributes(in.pv.Namespace))
	})
	return err
}

// evaluate reads the content of a revision, merges the upstream into it if that is needed, and runs the functions over
// the result.
func (r *Reconciler) evaluate(ctx context.Context, in *inspection, name string) error {
	e, err := r.whole(ctx, in, name)
	if errors.Is(err, errUnwritten) {
		in.Mutations[name] = decide.Mutation{Empty: true}
		return nil
	}
	if err != nil {
		return err
	}
	if target := in.target(name); target != nil {
		merged, err := r.merge(ctx, in, target, e.files)
		switch {
		case err != nil:
			return err
		case merged == nil:
		case target.Published(): // Porch upgrades it
			in.contents[name] = evaluated{content: e.content, files: merged}
			return nil
		default:
			e.files = merged
		}
	}
	return r.try(ctx, in, name, e)
}

// whole reads the content of a revision, and restores the files that it would have if no work on it had been
// interrupted. If the revision has to be made again, the error is errUnwritten.
func (r *Reconciler) whole(ctx context.Context, in *inspection, name string) (e evaluated, err error) {
	target := in.target(name)
	e.content, err = r.current(ctx, in.observation, name)
	e.files, e.unfinished = e.content.Files, in.isUnfinished(target, &e.content)
	if errors.Is(err, porch.ErrNoFiles) {
		switch {
		case e.unfinished:
			err = nil
		case r.unwritten(ctx, in, target):
			err = errUnwritten
		}
	}
	if err == nil {
		err = checkFiles(name, e.files)
	}
	if err != nil || target == nil {
		return e, unread(name, err)
	}
	e.files, e.untouched, err = r.resume(ctx, in, target, e.content)
	if err == nil && e.unfinished {
		e.files, err = r.restore(ctx, in, target, e.files)
	}
	return e, err
}

// try runs the functions over the files of a revision, and notes the result. A function that fails is a result, too.
func (r *Reconciler) try(ctx context.Context, in *inspection, name string, begun evaluated) error {
	e, err := r.runFunctions(ctx, in.observation, begun)
	failure, failed := errors.AsType[*mutate.FunctionError](err)
	if err != nil && (!failed || unavailable(err)) {
		return err
	}
	m := e.mutation()
	switch {
	case failed:
		m = decide.Mutation{Err: failure}
	case decide.Approving(&in.Input) && in.target(name) != nil:
		e.addApproval(&m)
	case in.target(name) != nil && decide.CameBack(&in.Input, in.target(name)) != nil:
		m.Content = kptfile.Digest(e.content.Files)
	}
	m.Untouched = e.untouched
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

// confirmProposal finds out whether a proposal that the status announces is the controller's. While the cache has a
// draft, or Porch has lost sight of it, the proposal may still show up: Porch does not send an event for a change
// during which it was stopped.
func (r *Reconciler) confirmProposal(ctx context.Context, o *observation) error {
	announced := o.Saved.Proposing
	target := o.target(o.Saved.Name)
	if announced == "" || target == nil || target.Lifecycle == revision.Draft {
		return nil
	}
	o.Saved.Proposing = ""
	if target.Lifecycle != revision.Proposed {
		return nil
	}
	content, err := r.porch.Content(ctx, target.Namespace, target.Name)
	if err == nil && kptfile.Meaning(content.Files) == announced {
		o.Saved.Proposed = target.Version
	}
	return err
}

// identify finds out whether the upstream, and the one before it, are still the revisions that the status knows, if
// their versions do not give their commits: a revision that was deleted and published again under its old name is
// another one. It reads only revisions with a new version, once for all variants.
func (r *Reconciler) identify(ctx context.Context, o *observation) error {
	if o.Upstream == nil || o.Upstream.KeptInGit || o.Deleting {
		return nil
	}
	status, known := o.pv.Status.Upstream, decide.Known(&o.Input, o.pv.Status.Upstream)
	if known != nil && known.Name == o.Upstream.Name && known.Version == status.Version {
		o.content = status.Content
		return nil
	}
	content, err := r.shared(ctx, o.Upstream)
	if err != nil {
		return err
	}
	o.content = content.digest
	if known == nil || status.Version == "" {
		decide.Identify(&o.Input, o.Upstream.Name, content.commit, "")
		return nil
	}
	if known.Name != o.Upstream.Name {
		decide.Identify(&o.Input, o.Upstream.Name, content.commit, "")
	}
	if known.Version == status.Version {
		return nil
	}
	if content, err = r.shared(ctx, known); err != nil {
		return err
	}
	replaced, commit := status.Replaced, cmp.Or(status.Commit, content.commit)
	if content.digest != status.Content {
		replaced, commit = o.lockedCommit(known), content.commit
	}
	decide.Identify(&o.Input, known.Name, commit, replaced)
	return nil
}

// lockedCommit returns the commit of the targets' locks on a revision; "" if there is none.
func (o *observation) lockedCommit(rev *revision.Revision) string {
	for _, target := range decide.Targets(&o.Input) {
		if target.Lock != nil && target.Lock.Commit != "" && target.Lock.Names(rev) {
			return target.Lock.Commit
		}
	}
	return ""
}

// noteUnusable notes that a revision cannot be worked on because of its content, or of what would be merged into it. It
// returns every other error.
func (in *inspection) noteUnusable(name string, err error) error {
	unusable, is := errors.AsType[*unusableError](err)
	if !is {
		return err
	}
	in.Unusable[name] = conditionOf(unusable)
	return nil
}
