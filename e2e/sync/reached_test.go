// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// Whatever a test waits for ends here. A test also waits for states that a plan says nothing about, because they pass:
// the plan is kept for what the test waits for next.

// reached compares everything with the plan if the test has seen a variant in the state in which it is in the end, which
// is what is returns.
func (w *world) reached(name string, is func(*plannedVariant) bool) {
	w.t.Helper()
	if w.planned != nil && slices.ContainsFunc(w.planned.Variants,
		func(v plannedVariant) bool { return v.Name == name && is(&v) }) {
		w.cameTrue()
	}
}

// reachedSet is reached for a set, whose condition Ready has a reason.
func (w *world) reachedSet(name, reason string) {
	w.t.Helper()
	if w.planned != nil && slices.ContainsFunc(w.planned.Sets,
		func(s plannedSet) bool { return s.Name == name && s.Condition.Reason == reason }) {
		w.cameTrue()
	}
}

// reachedRevision is reached for the variant that is to bring a package revision to a lifecycle.
func (w *world) reachedRevision(name string, lifecycle porchapi.PackageRevisionLifecycle) {
	w.t.Helper()
	if w.planned == nil {
		return
	}
	for _, v := range w.planned.Variants {
		if v.brings(name, lifecycle) {
			w.reached(v.Name, func(*plannedVariant) bool { return true })
			return
		}
	}
}

// brings reports whether a package revision has a lifecycle in the end, because of the variant.
func (v *plannedVariant) brings(name string, lifecycle porchapi.PackageRevisionLifecycle) bool {
	for _, d := range v.Drafts {
		if d.Name == name {
			return d.Lifecycle == string(lifecycle)
		}
	}
	for _, s := range v.Steps {
		if s.Revision == name && (lifecycle == isDeletion && s.Do == "ProposeDeletion" ||
			lifecycle == isPublished && s.Do == "Approve") {
			return true
		}
	}
	return false
}

// isUnmet reports whether a condition is False in the end, for that reason.
func (v *plannedVariant) isUnmet(typ, reason string) bool {
	return slices.ContainsFunc(v.Unmet, func(c plannedCondition) bool { return c.Type == typ && c.Reason == reason })
}

// isApproved reports whether the condition Approved has a reason in the end.
func (v *plannedVariant) isApproved(reason string) bool {
	if reason != "Published" {
		return v.isUnmet("Approved", reason)
	}
	return v.Condition.Type == "Ready" && !slices.ContainsFunc(v.Unmet,
		func(c plannedCondition) bool { return c.Type == "Approved" })
}
