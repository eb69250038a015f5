// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// inspect reads what a decision over an observation needs, which it leaves as it is, and brings its own copy up to
// date. If a content is not found, the cache may not know yet that a draft was deleted: the drafts that are not found
// by their name either are left out, and the others inspected again.
func (r *Reconciler) inspect(ctx context.Context, seen *observation) (*inspection, error) {
	for {
		in, err := r.inspectKnown(ctx, seen)
		if !errors.Is(err, packages.ErrAbsent) {
			return in, err
		}
		left := r.withoutGone(ctx, seen)
		if left == seen {
			return in, err
		}
		seen = left
	}
}

// inspectKnown reads the contents that a decision over an observation needs, and runs the functions over them. It reads
// nothing while a guard holds.
func (r *Reconciler) inspectKnown(ctx context.Context, seen *observation) (*inspection, error) {
	in := &inspection{observation: seen.copy(), contents: map[string]evaluated{}}
	if !seen.Deleting && decide.Guard(&seen.Input) != nil {
		return in, nil
	}
	for _, name := range decide.Inspections(&in.Input) {
		if err := in.noteUnusable(name, r.evaluate(ctx, in, name)); err != nil {
			return nil, err
		}
	}
	// The targets are up to date now, even if the cache was behind.
	for _, read := range []func(context.Context, *inspection) error{r.confirmProposal, r.observePushed, r.mayApprove} {
		if err := read(ctx, in); err != nil {
			return nil, err
		}
	}
	in.Saved = in.savedUnchanged()
	return in, nil
}

// observePushed reads what is on the branch of a package that is proposed and of which no revision is published: people
// may have pushed it, or Porch, which does so before it reports that the proposed revision is published.
func (r *Reconciler) observePushed(ctx context.Context, in *inspection) error {
	branch := decide.ForeignBranch(&in.Input)
	if branch == nil || !decide.Approving(&in.Input) || !slices.ContainsFunc(decide.Targets(&in.Input),
		func(r revision.Revision) bool { return r.Lifecycle == revision.Proposed }) {
		return nil
	}
	content, err := r.Packages.Read(ctx, branch.Namespace, branch.Name)
	if err == nil {
		in.Pushed = kpt.Digest(content.Files)
	}
	return err
}

// mayApprove asks the cluster whether the controller may approve package revisions, if the variant needs that. Without
// the right a draft would be proposed, and could then be neither published nor changed.
func (r *Reconciler) mayApprove(ctx context.Context, in *inspection) (err error) {
	if !decide.Approving(&in.Input) && in.Saved.Proposed == "" || in.Deleting {
		return nil
	}
	in.MayApprove, err = r.MayApprove(ctx, in.pv.Namespace)
	return err
}

// confirmProposal finds out whether a proposal that the status announces is the controller's. While the cache has a
// draft, or Porch has lost sight of it, the proposal may still show up.
func (r *Reconciler) confirmProposal(ctx context.Context, in *inspection) error {
	announced := in.Saved.Proposing
	target := in.target(in.Saved.Name)
	if announced == "" || target == nil || target.Lifecycle == revision.Draft {
		return nil
	}
	if target.Lifecycle == revision.Proposed {
		content, err := r.Packages.Read(ctx, target.Namespace, target.Name)
		if err != nil {
			return err // the announcement is needed again if the revision is gone
		}
		if kpt.Meaning(content.Files) == announced {
			in.Saved.Proposed = target.Version
		}
	}
	in.Saved.Proposing = ""
	saved := in.Saved
	in.progress.saved = &saved
	return nil
}

// noteUnusable notes that a revision cannot be worked on because of its content, or of what would be merged into it. It
// returns every other error.
func (in *inspection) noteUnusable(name string, err error) error {
	if !lasting(err) {
		return err
	}
	in.Unusable[name] = conditionOf(err)
	return nil
}
