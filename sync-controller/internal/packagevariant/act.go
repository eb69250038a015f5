// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"maps"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	corev1 "k8s.io/api/core/v1"
)

// outcome is what became of one reconcile.
type outcome struct {
	verdict conditions.Verdict
	// targets are the downstream revisions that there are now.
	targets []revision.Revision
	// rendered is what Porch reported of those that were saved, by name.
	rendered map[string]porchapi.RenderStatus
	// again asks for another reconcile at once.
	again bool
	// silent says that there is nothing to report, and nothing to do before wait is over; never, if it is 0.
	silent bool
	wait   time.Duration
	err    error
}

// act does what was decided, by one call to Porch and, for a draft, one that saves its files.
func (r *Reconciler) act(ctx context.Context, s *snapshot) outcome {
	d := decide.Decide(&s.in)
	o := outcome{verdict: d.Verdict, rendered: map[string]porchapi.RenderStatus{}}
	var err error
	switch d.Action {
	case decide.None:
	case decide.Clone:
		err = r.create(ctx, s, &o, porch.Clone(s.in.Upstream.Name), "Cloned", "cloned "+s.in.Upstream.Name)
	case decide.Upgrade:
		err = r.create(ctx, s, &o, porch.Upgrade(d.Base.Name, s.in.Upstream.Name, d.Target.Name), "Upgraded",
			fmt.Sprintf("upgraded %s from %s to %s", d.Target.Name, d.Base.Name, s.in.Upstream.Name))
	case decide.Edit:
		err = r.create(ctx, s, &o, porch.Edit(d.Target.Name), "Edited", "edited "+d.Target.Name)
	case decide.Save:
		err = r.save(ctx, s, &o, d.Target)
		o.again = len(decide.Targets(&s.in)) > 1 && o.verdict.Reason != decide.ReasonPipelineConflict
	case decide.Own:
		err = r.own(ctx, s, d.Target)
		o.again = true
	case decide.Keep:
		err = r.porch.SetLifecycle(ctx, d.Target, porchapi.PackageRevisionLifecyclePublished)
		r.tell(s.pv, corev1.EventTypeNormal, "DeletionTakenBack", "took back the proposal to delete "+d.Target.Name, err)
		o.again = true
	}
	actions.WithLabelValues(string(d.Action), result(err)).Inc()
	o.targets = decide.Targets(&s.in)
	if err != nil {
		o.verdict, o.err, o.again = verdictOf(err), err, false
	}
	return o
}

// create makes a draft and lets the functions run over it.
func (r *Reconciler) create(ctx context.Context, s *snapshot, o *outcome, task porchapi.Task, reason, done string) error {
	workspace := revision.NextWorkspace(s.in.Revisions)
	draft, err := r.porch.Create(ctx, porch.Draft{
		Namespace: s.pv.Namespace, Package: s.downstream(), Workspace: workspace,
		Labels: s.in.Spec.Labels, Annotations: s.in.Spec.Annotations, Owner: s.in.Owner, Task: task,
	})
	r.memos.attempted(s.key(), s.downstream(), workspace) // even if it failed, the draft may be there, and lose its owner
	if err != nil {
		return err
	}
	r.tell(s.pv, corev1.EventTypeNormal, reason, fmt.Sprintf("%s into the draft %s", done, draft.Name), nil)
	s.in.Revisions, s.created = append(s.in.Revisions, draft), draft.Name
	content, err := r.porch.Content(ctx, draft.Namespace, draft.Name)
	if err != nil {
		return err
	}
	if err := r.apply(ctx, s, draft.Name, content); err != nil {
		return err
	}
	return r.save(ctx, s, o, &draft)
}

// maxSaves is how often a draft is saved in a row: a second time is needed where the package's pipeline makes a
// resource that is for the functions, such as an injection point.
const maxSaves = 2

// save saves what the functions made of a draft's files, and then holds them against what Porch's render made of it.
func (r *Reconciler) save(ctx context.Context, s *snapshot, o *outcome, draft *revision.Revision) error {
	for range maxSaves {
		e := s.contents[draft.Name]
		if len(e.outcome.Files) == 0 {
			break
		}
		saved, err := r.porch.Save(ctx, e.content, e.outcome.Files)
		if err != nil {
			return err
		}
		r.memos.superseded(s.key(), draft.Name, e.content.Commit)
		if draft.Name != s.created { // of which there is an Event
			r.tell(s.pv, corev1.EventTypeNormal, "Saved", fmt.Sprintf("changed %v of the draft %s", e.outcome.Changed(), draft.Name), nil)
		}
		o.rendered[draft.Name] = saved.RenderStatus
		s.setCommit(draft.Name, saved.Commit)
		if asSent(&e, saved.Files) {
			s.contents[draft.Name] = evaluated{content: saved}
			s.in.Mutations[draft.Name] = decide.Mutation{Unmet: e.outcome.Unmet}
			break
		}
		if err := r.apply(ctx, s, draft.Name, saved); err != nil {
			return err
		}
	}
	if left := s.in.Mutations[draft.Name].Changed; len(left) > 0 {
		o.verdict = decide.Conflict(draft.Name, left)
		return nil
	}
	o.verdict = decide.Decide(&s.in).Verdict
	return nil
}

// asSent reports whether the files are those that were sent.
func asSent(e *evaluated, files map[string]string) bool {
	sent := maps.Clone(e.content.Files)
	maps.Copy(sent, e.outcome.Files)
	return maps.Equal(sent, files)
}

// setCommit records that a revision has got a new commit.
func (s *snapshot) setCommit(name, commit string) {
	for i := range s.in.Revisions {
		if s.in.Revisions[i].Name == name {
			s.in.Revisions[i].Commit = commit
		}
	}
}

// own makes the variant the owner of a revision. Labels and annotations go on it if it is new to the variant.
func (r *Reconciler) own(ctx context.Context, s *snapshot, target *revision.Revision) error {
	labels, annotations := s.in.Spec.Labels, s.in.Spec.Annotations
	reason, message := "Adopted", "adopted the draft "+target.Name
	owned, _ := target.Of(s.in.Owner)
	switch {
	case owned:
		labels, annotations = nil, nil
		reason, message = "TakenBack", "took back "+target.Name+", which this variant owned before it was restored"
	case s.in.Known[target.Name]:
		reason, message = "TakenBack", "took back "+target.Name+", of which Porch had lost the owner"
	}
	err := r.porch.SetMeta(ctx, target, target.OwnedBy(s.in.Owner), labels, annotations)
	r.tell(s.pv, corev1.EventTypeNormal, reason, message, err)
	return err
}
