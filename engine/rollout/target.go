// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// target is a variant in a rollout, and what is known about it.
type target struct {
	*Variant
	wave *wave
	// spec is the spec that the target should have.
	spec *variant.Spec
	// leaving reports whether it is being deleted. It is made again once it is gone.
	leaving bool
	// suspended reports whether it is suspended. It keeps its spec, and its wave does not wait for it.
	suspended bool
	// updated reports whether it has the spec.
	updated bool
	// reached reports whether it has the spec and is what its wave waits for.
	reached bool
	// moving reports whether it is still on its way to the spec that it has now.
	moving bool
	// failure says why it has failed; nil if it has not.
	failure *v1alpha2.VariantFailure
}

// inspect sets what is known about a target.
func (t *target) inspect(r *rollout) {
	t.spec = t.resolved(r.Spec != nil)
	if t.Have == nil {
		return
	}
	t.leaving, t.suspended = !t.Have.DeletionTimestamp.IsZero(), t.Have.Spec.Suspend
	t.updated = !t.leaving && t.hasSpec()
	t.reached = t.updated && stands(t.Have, t.wave.until()) && t.Have.Status.Upstream.Name == t.Upstream.Name
	t.failure = t.failed(r)
	t.moving = !t.leaving && !t.suspended && t.failure == nil && !t.reached && (t.updated || !t.settled())
}

// resolved returns the spec that a target should have: the wanted one, with a numbered revision in a rollout, and with
// suspend as it is, because people decide about that.
func (t *target) resolved(inRollout bool) *variant.Spec {
	spec := *t.Want
	if inRollout {
		spec.Upstream = numbered(t.Want.Upstream, t.Upstream.Revision)
	}
	spec.Suspend = t.Have != nil && t.Have.Spec.Suspend
	return &spec
}

// numbered returns an upstream on a revision by its number.
func numbered(u *variant.Upstream, number int) *variant.Upstream {
	return &variant.Upstream{Repo: u.Repo, Package: u.Package, Revision: variant.RevisionNumber(number)}
}

// hasSpec reports whether a target has the spec that it should have, however the revision is written there.
func (t *target) hasSpec() bool {
	have, want := t.Have.Spec, *t.spec
	have.Upstream, want.Upstream = canonical(have.Upstream), canonical(want.Upstream)
	return equality.Semantic.DeepEqual(&have, &want)
}

// canonical returns an upstream with its numbered revision in canonical form; others stay as they are.
func canonical(u *variant.Upstream) *variant.Upstream {
	if u == nil || u.WorkspaceName != "" || floats(u) {
		return u
	}
	number, _ := u.Revision.Number()
	return numbered(u, number)
}

// stands reports whether a variant, in its current generation, is what a wave waits for. A draft with conflicts is not:
// it waits for a person, although the variant is ready.
func stands(pv *v1alpha1.PackageVariant, until v1alpha2.Until) bool {
	unpublished := slices.ContainsFunc(pv.Status.DownstreamTargets, func(d v1alpha1.DownstreamTarget) bool {
		return d.Lifecycle != string(revision.Published)
	})
	if unpublished && (until == v1alpha2.UntilPublished || isConflicted(pv)) {
		return false
	}
	return isReady(pv)
}

// isReady reports whether a variant is ready in its current generation; a draft is enough.
func isReady(pv *v1alpha1.PackageVariant) bool {
	s := &pv.Status
	return s.ObservedGeneration == pv.Generation && isTrue(pv, v1alpha1.ConditionReady) && s.Upstream != nil &&
		len(s.DownstreamTargets) > 0
}

// isConflicted reports whether a variant has conflicts that a person has not decided.
func isConflicted(pv *v1alpha1.PackageVariant) bool {
	return meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionConflicted)
}

// isTrue reports whether a condition is True for the variant's current generation.
func isTrue(pv *v1alpha1.PackageVariant, kind string) bool {
	c := meta.FindStatusCondition(pv.Status.Conditions, kind)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == pv.Generation
}

// readySince returns when the condition Ready of a target last changed.
func (t *target) readySince() time.Time {
	if c := meta.FindStatusCondition(t.Have.Status.Conditions, v1alpha1.ConditionReady); c != nil {
		return c.LastTransitionTime.Time
	}
	return time.Time{}
}

// settled reports whether a target that is not updated is what its wave waits for with the spec that it has.
func (t *target) settled() bool {
	u := t.Have.Spec.Upstream
	if u == nil || !stands(t.Have, t.wave.until()) {
		return false
	}
	number, _ := u.Revision.Number()
	return u.WorkspaceName != "" || number < 1 || number == t.Have.Status.Upstream.Revision
}

// failed returns why a target has failed, or nil.
func (t *target) failed(r *rollout) *v1alpha2.VariantFailure {
	if t.leaving || t.suspended {
		return nil
	}
	if f := t.needsPerson(); f != nil {
		return f
	}
	return t.overdue(r)
}

// needsPerson returns the failure of a target that is stalled with the spec that it has.
func (t *target) needsPerson() *v1alpha2.VariantFailure {
	if !isTrue(t.Have, v1alpha1.ConditionStalled) {
		return nil
	}
	c := meta.FindStatusCondition(t.Have.Status.Conditions, v1alpha1.ConditionStalled)
	return &v1alpha2.VariantFailure{Variant: t.Name, Reason: c.Reason, Since: c.LastTransitionTime}
}

// overdue returns the failure of a target that took longer than the deadline. In a wave that is complete, only a target
// that was overdue before still is: any other has reached what its wave waited for, and has changed since.
func (t *target) overdue(r *rollout) *v1alpha2.VariantFailure {
	deadline, isSet := t.deadline(r)
	if !isSet || r.Now.Before(deadline) || t.wave.wasComplete() && !r.wasOverdue(t.Name) {
		return nil
	}
	return &v1alpha2.VariantFailure{Variant: t.Name, Reason: v1alpha2.ReasonProgressDeadlineExceeded,
		Since: metav1.NewTime(stamp(deadline))}
}

// wasOverdue reports whether the status of the set says that a variant has missed its deadline.
func (r *rollout) wasOverdue(name string) bool {
	return slices.ContainsFunc(r.Failures, func(f v1alpha2.VariantFailure) bool {
		return f.Variant == name && f.Reason == v1alpha2.ReasonProgressDeadlineExceeded
	})
}

// deadline returns when a target must be what its wave waits for: counted from when its spec was written, or from when
// its wave opened, if that was later. It reports whether there is a deadline: a target that is not updated or has
// reached it has none, nor does one in a wave that was not opened.
func (t *target) deadline(r *rollout) (deadline time.Time, isSet bool) {
	limit, w := r.spec.ProgressDeadline, t.wave.before
	if limit == nil || limit.Duration <= 0 || !t.updated || t.reached || w == nil || w.OpenedAt == nil {
		return deadline, false
	}
	from := w.OpenedAt.Time
	// A time that cannot be parsed, or is in the future, was not written here: the wave's time counts.
	at, err := time.Parse(time.RFC3339, t.Have.Annotations[v1alpha2.OpenedAtAnnotation])
	if err == nil && at.After(from) && !at.After(r.stamp) {
		from = at
	}
	return from.Add(limit.Duration), true
}

// pending reports whether a target still has to be updated, and can be.
func (t *target) pending() bool { return !t.updated && !t.suspended && !t.leaving }

// done reports whether a wave no longer waits for a target.
func (t *target) done() bool { return t.reached || t.suspended || t.updated && t.failure != nil }

// inFlight reports whether a target is on its way to the spec that it should have.
func (t *target) inFlight() bool { return t.updated && t.moving }

// pin returns a spec that fixes a floating upstream on the revision that the target is made from; nil if the upstream
// does not float, or the target is not known to follow it.
func (t *target) pin() *variant.Spec {
	if t.Have == nil || t.leaving || !floats(t.Have.Spec.Upstream) {
		return nil
	}
	s := &t.Have.Status
	if s.ObservedGeneration != t.Have.Generation || s.Upstream == nil || s.Upstream.Revision < 1 {
		return nil
	}
	spec := t.Have.Spec
	spec.Upstream = numbered(spec.Upstream, s.Upstream.Revision)
	return &spec
}

// floats reports whether an upstream may stand for another revision later: a tag, latest, or a branch.
func floats(u *variant.Upstream) bool {
	if u == nil || u.WorkspaceName != "" {
		return false
	}
	number, isFixed := u.Revision.Number()
	return !isFixed || number < 1
}
