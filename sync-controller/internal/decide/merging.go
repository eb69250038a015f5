// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OnConflict returns what is to become of values that both the upstream and somebody in the downstream package changed.
func OnConflict(in *Input) variant.OnConflict {
	if in.Spec.Upgrade == nil || in.Spec.Upgrade.OnConflict == "" {
		return variant.OnConflictTakeUpstream
	}
	return in.Spec.Upgrade.OnConflict
}

// Merging returns the upstream revision from which the changes to the upstream asked for are to be merged into a
// target, and nil if nothing is to be merged: the target is on that upstream, or nothing is done about it.
func Merging(in *Input, target *revision.Revision) *revision.Revision {
	if target.Lock == nil || target.Lifecycle == revision.Proposed || target.Lifecycle == revision.DeletionProposed ||
		OnUpstream(in, target) {
		return nil
	}
	return Base(in, target)
}

// mergeFailed reports that the upstream's changes could not be merged.
func mergeFailed(in *Input, target *revision.Revision) *Decision {
	err := in.Merges[target.Name].Err
	if err == nil {
		return nil
	}
	d := failed(UpstreamChanged, target.Name, err)
	return &d
}

// conflictsStop merges nothing, and asks for no upgrade, while there are conflicts that the variant wants to be asked
// about. What it sets in an open draft is kept in step.
func conflictsStop(in *Input, target *revision.Revision) *Decision {
	conflicts := in.Merges[target.Name].Conflicts
	if OnConflict(in) != variant.OnConflictStop || len(conflicts) == 0 {
		return nil
	}
	if d := draftNotMutated(in, target); d != nil {
		return d
	}
	return &Decision{State: UpstreamChanged, Condition: *stalled(v1alpha1.ReasonConflicted,
		"%s is not brought to %s, because both changed the same: %s; change the package to the upstream's values, or set "+
			"spec.upgrade.onConflict to TakeUpstream or KeepLocal",
		target.Name, in.Upstream.Name, some(conflicts))}
}

// Conflicted is what there is to tell of the conflicts of a merge: the condition Conflicted, and the conflicts.
type Conflicted struct {
	Reason, Message string
	Conflicts       []v1alpha1.Conflict
}

// Set sets the condition Conflicted for a generation of the variant.
func (c *Conflicted) Set(conditions *[]metav1.Condition, generation int64) {
	status := metav1.ConditionFalse
	if len(c.Conflicts) > 0 {
		status = metav1.ConditionTrue
	}
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: v1alpha1.ConditionConflicted, Status: status, Reason: c.Reason, Message: c.Message,
		ObservedGeneration: generation,
	})
}

// conflicted returns what there is to tell of the merges into targets.
func conflicted(in *Input, targets []revision.Revision) *Conflicted {
	var merged bool
	c := &Conflicted{Reason: v1alpha1.ReasonNoConflicts}
	for i := range targets {
		m, ok := in.Merges[targets[i].Name]
		merged = merged || ok && m.Err == nil
		c.Conflicts = append(c.Conflicts, m.Conflicts...)
	}
	switch {
	case !merged:
		return nil
	case len(c.Conflicts) == 0:
		c.Message = "the upstream and the downstream package changed nothing to different values"
		return c
	}
	c.Reason = map[variant.OnConflict]string{
		variant.OnConflictTakeUpstream: v1alpha1.ReasonUpstreamTaken, variant.OnConflictKeepLocal: v1alpha1.ReasonLocalKept,
		variant.OnConflictStop: v1alpha1.ReasonMergeStopped,
	}[OnConflict(in)]
	c.Message = fmt.Sprintf("with %s, both sides changed %s", in.Upstream.Name, some(c.Conflicts))
	return c
}

// some names the first three conflicts, and says how many more there are.
func some(conflicts []v1alpha1.Conflict) string {
	const most = 3
	var names []string
	for i := range conflicts {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(names, "; "), len(conflicts)-i)
		}
		names = append(names, nameOf(&conflicts[i]))
	}
	return strings.Join(names, "; ")
}

// nameOf names a conflict by field, resource and file, with the values of both sides where they are known.
func nameOf(c *v1alpha1.Conflict) string {
	name := c.File
	if c.Resource != "" {
		name = c.Resource + " in " + name
	}
	if c.Field != "" {
		name = c.Field + " of " + name
	}
	return fmt.Sprintf("%s (here %q, upstream %q)", name, c.Local, c.Updated)
}
