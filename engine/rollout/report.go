// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rolloutResult is the phase of a rollout and the condition of its set; without a type, there is no condition.
type rolloutResult struct {
	phase     v1alpha2.RolloutPhase
	condition v1alpha1.Condition
}

// phaseRules are tried in this order; the first one that returns a phase wins.
var phaseRules = []func(*rollout) *rolloutResult{
	isComplete, tooManyFailed, isSuspended, isPaused, needsApproval, isProgressing,
}

// noNumber is the condition of a set whose rollout has upstreams that can change without another revision: drafts and
// branches.
func noNumber(names []string) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonUpstreamNotPublished, "a rollout needs a published revision with a number, "+
		"and "+words.Some(names, ", ")+" has none: publish it, or name a number, latest or a tag in the upstream's revision")
}

// isComplete returns no condition for a rollout that is complete: its set is like any other.
func isComplete(r *rollout) *rolloutResult {
	if r.current != nil {
		return nil
	}
	return &rolloutResult{phase: v1alpha2.RolloutComplete}
}

// tooManyFailed stops a rollout if more targets have failed than it allows. It continues once they are repaired.
func tooManyFailed(r *rollout) *rolloutResult {
	if !r.stopped() {
		return nil
	}
	limit := "maxFailures is 0"
	if most := r.spec.MaxFailures; most != nil {
		limit = fmt.Sprintf("maxFailures, %s, allows %d of %d", most, v1alpha2.Scaled(most, r.opened), r.opened)
	}
	back := ""
	if done := r.completed(); done != nil && *done != r.wanted {
		back = "; or name another upstream, such as " + done.Name + ", the last completed revision"
	}
	return &rolloutResult{v1alpha2.RolloutStopped, v1alpha1.Stalled(v1alpha2.ReasonRolloutStopped, fmt.Sprintf(
		"stopped at %s: with %s, %d failed: %s; %s: repair them, and the rollout continues%s; "+
			"or raise spec.rollout.maxFailures",
		r.place(), r.wanted.Name, r.failed, words.Some(r.failedTexts(), ", "), limit, back))}
}

// failedTexts names the targets that have failed in the waves that were opened.
func (r *rollout) failedTexts() []string {
	var failed []string
	for i := range r.targets {
		if t := &r.targets[i]; t.updated && t.failure != nil && t.wave.now.OpenedAt != nil {
			failed = append(failed, t.Name+" ("+t.failure.Reason+")")
		}
	}
	return failed
}

// isSuspended holds the rollout of a set that is suspended.
func isSuspended(r *rollout) *rolloutResult {
	if !r.Suspended {
		return nil
	}
	return r.paused("set spec.suspend to false to continue")
}

// isPaused holds a rollout that is paused.
func isPaused(r *rollout) *rolloutResult {
	if !r.spec.Paused {
		return nil
	}
	return r.paused("set spec.rollout.paused to false to continue")
}

func (r *rollout) paused(remedy string) *rolloutResult {
	return &rolloutResult{v1alpha2.RolloutPaused, v1alpha1.Reconciling(v1alpha2.ReasonRolloutPaused,
		"paused at "+r.place()+": "+r.current.now.Message+"; "+remedy)}
}

// needsApproval waits for a person.
func needsApproval(r *rollout) *rolloutResult {
	w := r.current
	if w.now.State != v1alpha2.WaveAwaitingApproval {
		return nil
	}
	message := fmt.Sprintf("%s is to be approved: %s; look at its packages, and approve it by the annotation "+
		"%s=%s@%s of this PackageVariantSet", r.place(), r.reachedText(w), v1alpha2.ApproveWaveAnnotation, w.Name,
		r.wanted.Name)
	if r.Approvals != "" {
		message += fmt.Sprintf("; its present value %.100q is for another wave or revision", r.Approvals)
	}
	return &rolloutResult{v1alpha2.RolloutAwaitingApproval,
		v1alpha1.Reconciling(v1alpha2.ReasonRolloutAwaitingApproval, message)}
}

// isProgressing applies to every other rollout.
func isProgressing(r *rollout) *rolloutResult {
	return &rolloutResult{v1alpha2.RolloutProgressing,
		v1alpha1.Reconciling(v1alpha2.ReasonRolloutProgressing, r.place()+": "+r.current.now.Message)}
}

// place names the current wave.
func (r *rollout) place() string {
	return fmt.Sprintf("wave %s (%d of %d)", r.current.Name, slices.Index(r.waves, r.current)+1, len(r.waves))
}

// status returns the status to write, and the condition of the set.
func (r *rollout) status() (v1alpha2.RolloutStatus, *v1alpha1.Condition) {
	var s *rolloutResult
	for _, rule := range phaseRules {
		if s = rule(r); s != nil {
			break
		}
	}
	status := v1alpha2.RolloutStatus{
		Phase: s.phase, Revision: r.wanted, PreviousRevision: r.previous(), CompletedRevision: r.completed(),
		StartedAt: &metav1.Time{Time: r.stamp},
	}
	if r.before != nil {
		status.StartedAt = r.before.StartedAt
	}
	if s.phase == v1alpha2.RolloutComplete {
		status.CompletedRevision = &r.wanted
	}
	if r.current != nil {
		status.Wave = r.current.Name
	}
	for _, w := range r.waves {
		w.now.Reached = int32(w.count(func(t *target) bool { return t.reached }))
		w.now.Failed = int32(w.failed())
		w.now.Suspended = int32(w.count(func(t *target) bool { return t.suspended }))
		status.Waves = append(status.Waves, w.now)
	}
	if s.condition.Type == "" {
		return status, nil
	}
	return status, &s.condition
}

// previous returns the revision that was rolled out before the wanted one; nil if there is none.
func (r *rollout) previous() *v1alpha2.RolloutRevision {
	switch {
	case r.before != nil:
		return r.before.PreviousRevision
	case r.Status != nil:
		return &r.Status.Revision
	}
	return nil
}

// completed returns the last revision that was completed; nil if there is none.
func (r *rollout) completed() *v1alpha2.RolloutRevision {
	if r.Status == nil {
		return nil
	}
	return r.Status.CompletedRevision
}
