// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// evaluate reads the content of a revision, merges the upstream into it if that is needed, and runs the functions over
// the result.
func (r *Reconciler) evaluate(ctx context.Context, in *inspection, name string) error {
	e, err := r.readForFunctions(ctx, in, name)
	if interrupted, ok := errors.AsType[*interruptedError](err); ok {
		in.Mutations[name] = decide.Mutation{Missing: interrupted.missing,
			Overdue: r.Now().Sub(interrupted.since) >= r.RequestTimeout}
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

// readForFunctions reads the content of a revision, and returns it with the files that the functions run over. If the
// revision lacks files, the error is an interruptedError.
func (r *Reconciler) readForFunctions(ctx context.Context, in *inspection, name string) (e evaluated, err error) {
	if kept, ok := in.kept(name); ok {
		return evaluated{content: kept.content, files: kept.content.Files, asMade: kept.asMade, edits: kept.edits}, nil
	}
	if begun, ok := in.begun(name); ok {
		in.Merges[name] = *begun.merge
		return begun, nil
	}
	e.content, err = r.current(ctx, in.observation, name)
	e.files = e.content.Files
	target := in.target(name)
	if target != nil && errors.Is(err, packages.ErrNoFiles) {
		err = cmp.Or(in.interrupted(target, &e.content), err)
	}
	if err == nil {
		err = checkFiles(name, e.files)
	}
	if err != nil || target == nil {
		return e, err
	}
	return r.resume(ctx, in, target, e.content)
}

// try runs the functions over the files of a revision, and notes the result. A function that fails is a result, too.
func (r *Reconciler) try(ctx context.Context, in *inspection, name string, begun evaluated) error {
	e, err := r.runAgain(ctx, in, name, begun)
	failure, err := failureOf(err)
	if err != nil {
		return err
	}
	m := e.mutation()
	if in.progress.saves[in.purpose(name)] >= maxSaves { // its own pipeline changes it back
		m.Changed, m.Reverted = nil, m.Changed
	}
	switch {
	case failure != nil:
		m = decide.Mutation{Err: failure}
	case decide.Approving(&in.Input) && in.target(name) != nil:
		e.addApproval(&m)
	}
	m.AsMade, m.Edits, m.Settled = e.asMade, e.edits, in.settled(name, e.content.Files)
	m.RenderError = cmp.Or(m.RenderError, in.renderError(name))
	in.contents[name], in.Mutations[name] = e, m
	return nil
}

// runAgain runs the functions over the files of a revision, unless it is known that they change nothing in what was
// saved.
func (r *Reconciler) runAgain(ctx context.Context, in *inspection, name string, begun evaluated) (evaluated, error) {
	kept, ok := in.kept(name)
	if ok && kept.final && kept.generation == in.pv.Generation && maps.Equal(begun.files, kept.files) &&
		slices.Equal(kept.versions, r.versions(kept.references)) {
		return kept, nil
	}
	return r.runFunctions(ctx, in.observation, begun)
}

// failureOf returns the failure of a function, or the error if it is another one: a function that could not be run may
// succeed later.
func failureOf(err error) (*mutate.FunctionError, error) {
	failure, failed := errors.AsType[*mutate.FunctionError](err)
	if err != nil && (!failed || unavailable(err)) {
		return nil, err
	}
	return failure, nil
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

// merge merges the upstream asked for into the files of a target, and notes the conflicts. It returns nil if there is
// nothing to merge, or the merge fails. It also merges files that are not resources. A function does not get those as
// items, so the merge runs in this process, whichever runtime runs the other functions.
func (r *Reconciler) merge(ctx context.Context, in *inspection, target *revision.Revision,
	local map[string]string) (map[string]string, error) {
	base := decide.Merging(&in.Input, target)
	if base == nil {
		return nil, nil
	}
	merged, outcome, err := r.mergeChanges(ctx, decide.OnConflict(&in.Input), base, in.Upstream, in.lock(target), local)
	if err == nil {
		err = checkFiles(target.Name, merged)
	}
	if err != nil {
		return nil, err
	}
	if outcome.Err == nil { // the draft may be an upgrade that is not finished
		outcome.Conflicts = decide.Union(in.Merges[target.Name].Conflicts, outcome.Conflicts)
	}
	in.Merges[target.Name] = outcome
	return merged, nil
}

// mergeChanges merges the changes between two revisions of an upstream into files, by a policy, and puts the lock into
// their Kptfile. It returns no files if the merge failed, or if conflicts stop it.
func (r *Reconciler) mergeChanges(ctx context.Context, policy variant.OnConflict, from, to *revision.Revision,
	lock *revision.Lock, local map[string]string) (map[string]string, decide.Merge, error) {
	original, err := r.shared(ctx, from)
	if err != nil {
		return nil, decide.Merge{}, err
	}
	updated, err := r.shared(ctx, to)
	if err != nil {
		return nil, decide.Merge{}, err
	}
	if err := cmp.Or(updated.unusable, original.unusable, checkTaken(to.Name, updated.Files)); err != nil {
		return nil, decide.Merge{}, err
	}
	var merged map[string]string
	var conflicts []merging.Conflict
	canceled := r.compute(ctx, func() {
		merged, conflicts, err = merging.Merge(original.Files, updated.Files, local, merging.Options{
			OnConflict: merging.OnConflict(policy),
			Upstream: &merging.Upstream{Type: "git", Git: &merging.Git{Repo: lock.Repo, Directory: lock.Directory,
				Ref: lock.Ref}},
			UpstreamLock: &merging.UpstreamLock{Type: "git", Git: &merging.GitLock{
				Repo: lock.Repo, Directory: lock.Directory, Ref: lock.Ref, Commit: lock.Commit,
			}},
		})
	}, original.Files, updated.Files, local)
	if canceled != nil {
		return nil, decide.Merge{}, canceled
	}
	outcome := decide.Merge{}
	stopped := errors.Is(err, merging.ErrConflicts)
	for _, c := range conflicts {
		if stopped {
			c.Taken = ""
		}
		outcome.Conflicts = append(outcome.Conflicts, v1alpha1.Conflict{File: c.File, Resource: c.Resource, Field: c.Field,
			Original: c.Original, Local: c.Local, Updated: c.Updated, Taken: c.Taken})
	}
	if err != nil && !stopped {
		outcome.Err = fmt.Errorf("merge-upstream: %w", err)
	}
	return merged, outcome, nil
}

// lock returns the lock of a target once it is on the upstream asked for. The address of the git repository stays as
// Porch wrote it, if it is equivalent.
func (o *observation) lock(target *revision.Revision) *revision.Lock {
	repository := o.Repositories[o.Spec.Upstream.Repo]
	lock := revision.LockOn(o.Upstream, repository.Address, repository.Directory)
	if target.Lock.Of(repository.Address) {
		lock.Repo = target.Lock.Repo
	}
	return lock
}

// runFunctions runs the functions over the files that a content should have, and returns the result. From then on the
// objects that they inject are watched, too. These are read before the functions run: an API that does
// not answer would keep other large work waiting.
func (r *Reconciler) runFunctions(ctx context.Context, o *observation, e evaluated) (evaluated, error) {
	request := mutate.Request{Name: o.pv.Name, Namespace: o.pv.Namespace, Spec: o.Spec}
	if len(o.Spec.Injectors) > 0 {
		var candidates []injection.Candidate
		err := r.compute(ctx, func() {
			candidates = mutate.Candidates(e.files, o.Spec.Injectors)
		}, e.files)
		if err == nil {
			err = r.inject(ctx, o, &e, &request, candidates)
		}
		if err != nil {
			return e, err
		}
	}
	var err error
	canceled := r.Large.DoCalling(ctx, mutate.Size(e.files), func(ctx context.Context) {
		e.outcome, err = mutate.Apply(ctx, r.Functions, e.files, request)
	})
	return e, cmp.Or(canceled, err)
}

// inject reads the objects to inject, watches them, and adds them to a request.
func (r *Reconciler) inject(ctx context.Context, o *observation, e *evaluated, request *mutate.Request,
	candidates []injection.Candidate) error {
	for _, c := range candidates {
		reference := objects.Reference{
			Kind: objects.Kind{APIVersion: c.APIVersion, Kind: c.Kind, Namespace: o.pv.Namespace}, Name: c.Name,
		}
		e.references = append(e.references, reference)
	}
	if err := r.Injected.Add(ctx, o.key(), e.references); err != nil {
		return err
	}
	e.versions = r.versions(e.references)
	for i, reference := range e.references {
		object, err := r.Injected.Read(ctx, reference)
		if err != nil && !objects.Lasting(err) {
			return err
		}
		if err != nil {
			request.Unreadable = append(request.Unreadable, injection.Unreadable{
				APIVersion: candidates[i].APIVersion, Kind: candidates[i].Kind, Name: candidates[i].Name, Message: err.Error(),
			})
		} else if object != nil {
			request.Objects = append(request.Objects, object)
		}
	}
	return nil
}

// compute does work over packages, by their files. If it is large, it waits for other large work.
func (r *Reconciler) compute(ctx context.Context, work func(), packages ...map[string]string) error {
	return r.Large.Do(ctx, mutate.Size(packages...), work)
}
