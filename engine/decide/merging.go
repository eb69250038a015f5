// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
)

// OnConflict returns what to do with values that were changed both upstream and in the downstream package.
func OnConflict(in *Input) variant.OnConflict {
	if in.Spec.Upgrade == nil || in.Spec.Upgrade.OnConflict == "" {
		return variant.OnConflictKeepLocal
	}
	return in.Spec.Upgrade.OnConflict
}

// Merging returns the upstream revision whose changes to the upstream asked for have to be merged into a target. It
// returns nil if there is nothing to merge: the target is on that upstream, or stays as it is.
func Merging(in *Input, target *revision.Revision) *revision.Revision {
	if target.Lock == nil || target.Lifecycle == revision.Proposed || target.Lifecycle == revision.DeletionProposed ||
		OnUpstream(in, target) {
		return nil
	}
	return Base(in, target)
}

// Merged reports whether the named revision gets the result of a merge: there was one, it did not fail, and conflicts
// do not stop it.
func Merged(in *Input, name string) bool {
	m, merged := in.Merges[name]
	return merged && m.Err == nil && (len(m.Conflicts) == 0 || OnConflict(in) != variant.OnConflictStop)
}

// mergeFailed reports that the upstream's changes could not be merged.
func mergeFailed(in *Input, target *revision.Revision) *Decision {
	err := in.Merges[target.Name].Err
	if err == nil {
		return nil
	}
	return new(failed(target.Name, err))
}

// conflictsStop merges nothing, and asks for no upgrade, while there are conflicts and the variant wants to stop at
// them. What the variant sets in an open draft is kept in step.
func conflictsStop(in *Input, target *revision.Revision) *Decision {
	conflicts := in.Merges[target.Name].Conflicts
	if len(conflicts) == 0 || Merged(in, target.Name) {
		return nil
	}
	if d := draftNotMutated(in, target); d != nil {
		return d
	}
	return &Decision{Condition: *stalled(v1alpha1.ReasonConflicted,
		"%s is not brought to %s, because the package and the upstream changed the same values: %s; "+
			"change the package to the upstream's values, or set spec.upgrade.onConflict to TakeUpstream or KeepLocal",
		target.Name, in.Upstream.Name, some(conflicts))}
}

// Conflicted is the condition Conflicted, with the conflicts of a merge.
type Conflicted struct {
	Aspect
	// Conflicts are the conflicts of the draft with the merge.
	Conflicts []v1alpha1.Conflict
	// Pending is the upstream revision whose merge is not saved yet; "" if it is. Until then, the draft has the conflicts
	// Before.
	Pending string
	Before  []v1alpha1.Conflict
}

// All returns the conflicts to name in the status. While a merge is not saved, these are the ones that the draft has,
// and those that it gets with the merge.
func (c *Conflicted) All() []v1alpha1.Conflict {
	if c.Pending == "" {
		return c.Conflicts
	}
	all := slices.Clone(c.Before)
	for _, conflict := range c.Conflicts {
		if !slices.Contains(c.Before, conflict) {
			conflict.PendingMerge = c.Pending
			all = append(all, conflict)
		}
	}
	return all
}

// conflicted returns the condition for the merges into targets. An open draft keeps the conflicts of earlier merges.
func conflicted(in *Input, targets []revision.Revision) *Conflicted {
	known, merged := inDraft(in, targets)
	c := NoConflicts("the upstream and the downstream package changed nothing to different values")
	if slices.ContainsFunc(in.Conflicts, func(c v1alpha1.Conflict) bool { return isSettled(in, targets, &c) }) {
		c.Message, merged = "people have decided in the draft what both sides had changed", true
	}
	for i := range targets {
		m, ok := in.Merges[targets[i].Name]
		if merged = merged || ok && m.Err == nil; ok && !OnUpstream(in, &targets[i]) {
			c.Pending, c.Before = in.Upstream.Name, known
		}
		c.Conflicts = append(c.Conflicts, m.Conflicts...)
	}
	if !merged {
		return nil
	}
	c.Conflicts = Union(known, c.Conflicts)
	if len(c.Conflicts) == 0 {
		return c
	}
	c.True = true
	c.Reason = resolved(OnConflict(in), c.Conflicts)
	c.Message = fmt.Sprintf("with %s, both sides changed %s", in.Upstream.Name, some(c.Conflicts))
	return c
}

// isSettled reports whether people have settled a conflict of a draft.
func isSettled(in *Input, targets []revision.Revision, c *v1alpha1.Conflict) bool {
	return slices.ContainsFunc(targets, func(r revision.Revision) bool {
		return slices.Contains(in.Mutations[r.Name].Settled, *c)
	})
}

// inDraft returns the conflicts that the open draft has, and reports whether the status names a merge that was pending:
// the draft has the conflicts of that one if it is on the upstream that was merged.
func inDraft(in *Input, targets []revision.Revision) (conflicts []v1alpha1.Conflict, pending bool) {
	var merged []v1alpha1.Conflict
	if in.Conflicted != "" && !slices.ContainsFunc(in.Revisions, func(r revision.Revision) bool {
		return r.Name == in.Conflicted
	}) {
		return nil, false
	}
	for _, c := range in.Conflicts {
		upstream := c.PendingMerge
		c.PendingMerge = ""
		switch {
		case !slices.ContainsFunc(targets, func(r revision.Revision) bool { return r.Open() }):
		case isSettled(in, targets, &c):
		case upstream == "":
			conflicts = append(conflicts, c)
		case c.Taken == "": // it stopped the merge: a draft on that upstream was brought to it without a conflict
		case slices.ContainsFunc(targets, func(r revision.Revision) bool { return isOn(in, &r, upstream) }):
			merged = append(merged, c)
		}
		pending = pending || upstream != ""
	}
	return Union(conflicts, merged), pending
}

// isOn reports whether a target was derived from the upstream revision with a name, or brought to it.
func isOn(in *Input, target *revision.Revision, upstream string) bool {
	if OnUpstream(in, target) {
		return in.Upstream.Name == upstream
	}
	base := Base(in, target)
	return base != nil && base.Name == upstream
}

// resolved returns the reason that says how a policy resolved conflicts. A file or resource that one side removed, and
// the other changed, may be resolved in favor of the other side: if all are, the reason says so.
func resolved(policy variant.OnConflict, conflicts []v1alpha1.Conflict) string {
	stopped := slices.ContainsFunc(conflicts, func(c v1alpha1.Conflict) bool { return c.Taken == "" })
	all := func(side string) bool {
		return !slices.ContainsFunc(conflicts, func(c v1alpha1.Conflict) bool { return c.Taken != side })
	}
	switch {
	case policy == variant.OnConflictStop && stopped:
		return v1alpha1.ReasonMergeStopped
	case all(v1alpha1.TakenLocal), policy == variant.OnConflictKeepLocal && !all(v1alpha1.TakenUpstream):
		return v1alpha1.ReasonLocalKept
	default:
		return v1alpha1.ReasonUpstreamTaken
	}
}

// NoConflicts returns the condition for a merge without conflicts.
func NoConflicts(message string) *Conflicted {
	return &Conflicted{Aspect: Aspect{Type: v1alpha1.ConditionConflicted, Reason: v1alpha1.ReasonNoConflicts,
		Message: message}}
}

// Union returns the conflicts of merges into one draft. A later one replaces an earlier one in the same place.
func Union(earlier, later []v1alpha1.Conflict) []v1alpha1.Conflict {
	all := slices.DeleteFunc(slices.Clone(earlier), func(e v1alpha1.Conflict) bool {
		return slices.ContainsFunc(later, func(l v1alpha1.Conflict) bool { return samePlace(e, l) })
	})
	return append(all, later...)
}

// samePlace reports whether two conflicts are about one value.
func samePlace(a, b v1alpha1.Conflict) bool {
	return a.File == b.File && a.Resource == b.Resource && a.Field == b.Field
}

// some names the first three conflicts, and says how many more there are.
func some(conflicts []v1alpha1.Conflict) string {
	names := make([]string, len(conflicts))
	for i := range conflicts {
		names[i] = nameOf(&conflicts[i])
	}
	return words.Some(names, "; ")
}

// nameOf names a conflict by field, resource and file, with the values of both sides where they are known.
func nameOf(c *v1alpha1.Conflict) string {
	return fmt.Sprintf("%s (%s)", c.Place(), c.Sides())
}
