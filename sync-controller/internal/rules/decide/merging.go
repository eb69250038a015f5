// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/words"
)

// OnConflict returns what to do with values that were changed both upstream and in the downstream package.
func OnConflict(in *Input) variant.OnConflict {
	if in.Spec.Upgrade == nil || in.Spec.Upgrade.OnConflict == "" {
		return variant.OnConflictTakeUpstream
	}
	return in.Spec.Upgrade.OnConflict
}

// Merging returns the upstream revision whose changes to the upstream asked for have to be merged into a target. It
// returns nil if there is nothing to merge: the target is on that upstream, or stays as it is. If the upstream has
// replaced the revision that the target was made from, which is gone, it returns the upstream itself.
func Merging(in *Input, target *revision.Revision) *revision.Revision {
	if target.Lock == nil || target.Lifecycle == revision.Proposed || target.Lifecycle == revision.DeletionProposed ||
		OnUpstream(in, target) {
		return nil
	}
	if replaced(in, target) {
		return in.Upstream
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
	Conflicts []v1alpha1.Conflict
	// Ending are conflicts that end with the merge. They stay in the status until it is saved.
	Ending []v1alpha1.Conflict
}

// All returns the conflicts that stand in the status: those that end, which stay until the save, and the others.
func (c *Conflicted) All() []v1alpha1.Conflict { return slices.Concat(c.Ending, c.Conflicts) }

// conflicted returns the condition for the merges into targets. The conflicts of earlier merges into an open draft are
// reported as long as it is open, unless they have ended.
func conflicted(in *Input, targets []revision.Revision) *Conflicted {
	var open, saved bool
	merged, earlier := in.Checked, in.Conflicts
	c := NoConflicts("the upstream and the downstream package changed nothing to different values")
	for i := range targets {
		m, ok := in.Merges[targets[i].Name]
		merged = merged || ok && m.Err == nil
		open = open || targets[i].Open()
		saved = saved || ok && OnUpstream(in, &targets[i])
		c.Conflicts = append(c.Conflicts, m.Conflicts...)
		if m.Err == nil && m.Earlier != nil {
			earlier = m.Earlier
		}
	}
	if !merged {
		return nil
	}
	if open {
		all := Union(earlier, c.Conflicts)
		c.Conflicts = Standing(all)
		if !saved {
			c.Ending = without(all, c.Conflicts)
		}
	}
	if len(c.Conflicts) == 0 {
		return c
	}
	c.True = true
	c.Reason = resolved(OnConflict(in), c.Conflicts)
	c.Message = fmt.Sprintf("with %s, both sides changed %s", in.Upstream.Name, some(c.Conflicts))
	return c
}

// Standing returns the conflicts that have not ended. A conflict ends when the upstream has the value that the package
// had, or takes back its change while the package keeps its own. If the draft has the upstream's value instead, it
// still lacks what people wrote. Values that are not shown, or not as a whole, may differ.
func Standing(conflicts []v1alpha1.Conflict) (out []v1alpha1.Conflict) {
	for _, c := range conflicts {
		takenBack := c.Taken == v1alpha1.TakenLocal && c.Updated == cmp.Or(c.Original, merging.Removed)
		if !merging.Known(c.Updated) || c.Updated != c.Local && !takenBack {
			out = append(out, c)
		}
	}
	return out
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

// Union returns the conflicts of merges into one draft, those of the latest one last. A conflict of several merges
// keeps the original value of the first one.
func Union(earlier, later []v1alpha1.Conflict) []v1alpha1.Conflict {
	all := without(earlier, later)
	for _, l := range later {
		first := slices.IndexFunc(earlier, func(c v1alpha1.Conflict) bool { return samePlace(c, l) })
		if first >= 0 && l.Taken != "" {
			l.Original = earlier[first].Original
		}
		all = append(all, l)
	}
	return all
}

// Inherit gives conflicts of a merge into a draft the package's values of earlier conflicts, where the draft has the
// upstream's value that an earlier merge took. People did not write that value, but the merge cannot tell if the
// upstream that had it is gone. A draft that only the controller has edited has no other values there.
func Inherit(earlier, later []v1alpha1.Conflict, edited bool) {
	for i := range later {
		l := &later[i]
		for _, e := range earlier {
			taken := samePlace(e, *l) && e.Taken == v1alpha1.TakenUpstream && (!edited || e.Updated == l.Local)
			if ends := e.Local == l.Updated; taken && (!ends || l.Taken == v1alpha1.TakenUpstream) {
				l.Local, l.Taken = e.Local, e.Taken
			}
		}
	}
}

// without returns the conflicts in other places than those of others.
func without(conflicts, others []v1alpha1.Conflict) (out []v1alpha1.Conflict) {
	for _, c := range conflicts {
		if !slices.ContainsFunc(others, func(o v1alpha1.Conflict) bool { return samePlace(c, o) }) {
			out = append(out, c)
		}
	}
	return out
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
