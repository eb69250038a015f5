// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// holds are tried in this order if there are steps; the first that returns a condition stops them.
var holds = []func(*Input, *Decision) *v1alpha1.Condition{
	suspended, beingDeleted, dependencyNotReady, dependentsExist,
}

// hold returns a decision without the steps that must not be done now. A variant that is ready stays ready: only the
// follow-ups are held.
func hold(in *Input, d Decision) Decision {
	d.Suspended = suspension(in, &d)
	for _, h := range holds {
		condition := h(in, &d)
		if condition == nil || len(d.Steps) == 0 {
			continue
		}
		if d.Condition.Type != v1alpha1.ConditionReady {
			d.Condition, d.Err = *condition, nil
		}
		if d.Approved != nil && d.Approved.Reason == v1alpha1.ReasonApprovalPending {
			d.Approved.Reason, d.Approved.Message = condition.Reason, condition.Message
		}
		d.Steps, d.Held = nil, true
		if len(in.Merges) > 0 { // nothing is merged, so the draft has no side of these conflicts
			d.Conflicted = nil
		}
		return d
	}
	return d
}

// suspended holds everything while spec.suspend asks for it.
func suspended(in *Input, d *Decision) *v1alpha1.Condition {
	if !in.Spec.Suspend {
		return nil
	}
	return stalled(v1alpha1.ReasonSuspended, "suspended: %s; set spec.suspend to false to continue",
		v1alpha1.Because(in.SuspendReason, would(d)))
}

// beingDeleted holds everything while a step would write to a revision that is being deleted, or to a Repository that
// is: a home may lose the tag of a published revision that is written then.
func beingDeleted(in *Input, d *Decision) *v1alpha1.Condition {
	wait := func(what, name string) *v1alpha1.Condition {
		return new(pending("nothing is written to the %s %s, which is being deleted, until it is gone", what, name))
	}
	for i := range d.Steps {
		s, repository := &d.Steps[i], ""
		switch {
		case s.Revision != nil && s.Revision.Deleting:
			return wait("package revision", s.Revision.Name)
		case s.Revision != nil:
			repository = s.Revision.Package.Repo
		case s.Draft != nil:
			repository = s.Draft.Package.Repo
		}
		if in.Repositories[repository].Deleting {
			return wait("Repository", repository)
		}
	}
	return nil
}

// suspension returns the condition Suspended: why the variant is suspended, and what would be done.
func suspension(in *Input, d *Decision) *Aspect {
	a := &Aspect{Type: v1alpha1.ConditionSuspended}
	if in.Spec.Suspend {
		a.True, a.Reason = true, v1alpha1.ReasonSuspended
		a.Message = v1alpha1.Because(in.SuspendReason, would(d))
	}
	return a
}

// would says what the steps of a decision would do.
func would(d *Decision) string {
	var what []string
	for i := range d.Steps {
		if text := d.Steps[i].Describe(); text != "" {
			what = append(what, text)
		}
	}
	if len(what) == 0 {
		return "there is nothing to do"
	}
	return "would " + strings.Join(what, ", ")
}

// Describe says what a step does; "" for what people need not know.
func (s *Step) Describe() string {
	switch s.Action {
	case AddFinalizer, KeepPackages:
		return ""
	case Create:
		task := s.Draft.Task
		switch task.Type {
		case revision.Clone:
			return fmt.Sprintf("clone %s into %s", task.Source, s.Draft.Package)
		case revision.Upgrade:
			return fmt.Sprintf("upgrade %s from %s to %s", task.Local, task.Base, task.Source)
		default:
			return "edit " + task.Source
		}
	case RemoveFinalizer:
		return "let the variant go"
	}
	return verbs[s.Action] + " " + s.Revision.Name
}

// verbs are what actions do to a revision.
var verbs = map[Action]string{
	Mutate: "change", Adopt: "adopt", TakeBack: "take back", Keep: "take back the proposal to delete",
	Discard: "delete the incomplete draft", Delete: "delete", ProposeDeletion: "propose the deletion of",
	Orphan: "orphan", Propose: "propose", Approve: "approve", Withdraw: "take back the proposal of",
}
