// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// plan turns the records into a plan.
func (p *planner) plan(ctx context.Context) (*Plan, error) {
	plan := &Plan{Variants: []Variant{}, Notes: p.notes}
	for _, s := range sorted(p.setRecords) {
		set := s.describe()
		plan.Sets = append(plan.Sets, set)
		for _, w := range set.Waves {
			if w.Targets == 0 && w.Name != v1alpha2.RestWave {
				plan.Notes = append(plan.Notes, EmptyWave(set.Name, w.Name))
			}
		}
	}
	namespaces := map[string]bool{}
	for key := range p.records {
		namespaces[key.Namespace] = true
	}
	for key := range p.setRecords {
		namespaces[key.Namespace] = true
	}
	p.spread = len(namespaces) > 1
	for _, r := range sorted(p.records) {
		v, err := p.describe(ctx, r)
		if err != nil {
			return nil, err
		}
		plan.Variants = append(plan.Variants, *v)
	}
	plan.Changes = p.finder.Distinct()
	plan.Count()
	return plan, nil
}

// EmptyWave says that a wave of a set selects nothing, as one does whose selector has a wrong name.
func EmptyWave(set, wave string) string {
	return fmt.Sprintf("the wave %s of the PackageVariantSet %s selects no target: correct its selector, or give targets "+
		"the labels", wave, set)
}

// describe returns what happens to a set.
func (s *setRecord) describe() Set {
	out := Set{Namespace: s.key.Namespace, Name: s.key.Name, Requests: slices.Sorted(slices.Values(s.requests)),
		Other: s.other}
	if s.err != nil {
		out.Error = s.err.Error()
	}
	if s.after != nil {
		out.Condition = withoutUID(conditionOf(s.after.Status.Conditions), s.after)
		out.Stalled = stallOf(s.before, s.after.Status.Conditions)
	}
	for _, look := range s.looks {
		if look.Held {
			out.Held = slices.Concat(look.Created, look.Updated, look.Deleted)
			continue
		}
		out.Created = append(out.Created, look.Created...)
		out.Updated = append(out.Updated, look.Updated...)
		out.Deleted = append(out.Deleted, look.Deleted...)
	}
	for _, names := range []*[]string{&out.Created, &out.Updated, &out.Deleted, &out.Held} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	if s.after == nil || s.after.Status.Rollout == nil {
		return out
	}
	if s.last != nil {
		out.HeldBack = slices.Sorted(slices.Values(s.last.HeldBack))
	}
	for _, w := range s.after.Status.Rollout.Waves { // a set that cannot be expanded keeps them
		out.Waves = append(out.Waves, Wave{Name: w.Name, State: string(w.State), Message: w.Message,
			Targets: int(w.Targets), Updated: int(w.Updated), Reached: int(w.Reached), Failed: int(w.Failed),
			Suspended: int(w.Suspended)})
	}
	return out
}

// describe returns what happens to a variant.
func (p *planner) describe(ctx context.Context, r *record) (*Variant, error) {
	v := &Variant{Namespace: r.key.Namespace, Name: r.key.Name, Set: r.set, Wave: r.wave,
		Action: Unchanged, Requests: r.requests, Other: r.other}
	if r.after != nil {
		if d := r.after.Spec.Downstream; d != nil {
			v.Repo, v.Package = d.Repo, d.Package
		}
		v.Condition, v.Unmet = conditionOf(r.after.Status.Conditions), Unmet(r.after.Status.Conditions)
		v.Stalled = r.stall()
	}
	for _, look := range r.looks {
		v.Steps = append(v.Steps, stepsOf(look)...)
		if c := look.Decision.Conflicted; c != nil {
			v.Conflicts = c.Conflicts
		}
	}
	v.Action, v.Error = r.action(v.Stalled), r.failure()
	switch {
	case r.err != nil:
		v.Action, v.Error = Fail, r.err.Error()
	case r.isDeleted() && r.waits == "":
		v.Action = Delete
		v.Steps = []Step{{Do: "Delete", Text: "the variant goes at once, as it has no finalizer"}}
	case r.waits != "" && v.Action == Unchanged || r.after == nil && r.waits != "":
		v.Action = Wait
		v.Condition = Condition{Type: v1alpha1.ConditionReconciling, Reason: WaveNotOpen, Message: r.waits}
		v.Stalled = ""
	case r.gone:
		v.Condition, v.Unmet, v.Stalled = Condition{}, nil, ""
	}
	v.Upstream = r.upstream()
	if err := p.addDrafts(ctx, r, v); err != nil {
		return nil, err
	}
	r.keepRenderFailed(v)
	return v, nil
}

// stall says whether the plan breaks a variant that exists in the end.
func (r *record) stall() Stall {
	var before []metav1.Condition
	if r.before != nil {
		before = r.before.Status.Conditions
	}
	return stallOf(before, r.after.Status.Conditions)
}

// action sums up the steps in one word. Steps of a failed look do not count, nor does a failure that a later look is
// without.
func (r *record) action(stall Stall) Action {
	has := map[Action]bool{Fail: stall == Breaks || r.failure() != ""}
	for _, look := range r.looks {
		if look.Err != nil {
			continue
		}
		for i := range look.Decision.Steps {
			if a := actionOf(&look.Decision.Steps[i], look); a != "" {
				has[a] = true
			}
		}
	}
	for _, a := range Actions {
		if a == Prune { // before what replaces it only where nothing does
			continue
		}
		if has[a] {
			return a
		}
	}
	switch {
	case has[Prune]:
		return Prune
	case stall == Still:
		return Stalled
	case r.after != nil && conditionOf(r.after.Status.Conditions).Type != v1alpha1.ConditionReady:
		return Wait
	}
	return Unchanged
}

// actionOf returns the action of a step; "" if the step is part of another.
func actionOf(s *decide.Step, look *reconcile.Look) Action {
	switch {
	case !slices.Contains(deletions, s.Action):
	case look.Input.Deleting:
		return Delete
	default:
		return Prune
	}
	switch s.Action {
	case decide.Create:
		return map[revision.TaskType]Action{revision.Clone: Create, revision.Upgrade: Upgrade,
			revision.Edit: Edit}[s.Draft.Task.Type]
	case decide.Mutate:
		switch {
		case decide.Requested(look.Input, s.Revision): // it is part of making the draft
			return ""
		case decide.Merged(look.Input, s.Revision.Name):
			return Merge
		}
		return Edit
	case decide.Adopt, decide.TakeBack:
		return Adopt
	case decide.Keep:
		return Keep
	case decide.RemoveFinalizer:
		return Delete
	case decide.Propose, decide.Approve, decide.Withdraw:
		return Publish
	}
	return ""
}

// stepsOf returns the steps of a look in words, each with its revision. That what was made is saved is part of making
// it.
func stepsOf(look *reconcile.Look) []Step {
	var out []Step
	for i := range look.Decision.Steps {
		s := &look.Decision.Steps[i]
		step := Step{Do: string(s.Action), Text: s.Describe(), Revision: revisionOf(s, look)}
		if s.Action == decide.Mutate && decide.Requested(look.Input, s.Revision) {
			step.Text = ""
		}
		out = append(out, step)
	}
	return out
}

// revisionOf returns the name of the revision of a step; "" if it has none, or if its draft was not made.
func revisionOf(s *decide.Step, look *reconcile.Look) string {
	switch {
	case s.Revision != nil:
		return s.Revision.Name
	case s.Draft != nil && look.Err == nil:
		return s.Draft.Name()
	}
	return ""
}

// upstream returns the upstream that the package moves to; nil if it stays on its own.
func (r *record) upstream() *Upstream {
	var u Upstream
	if r.before != nil && r.before.Status.Upstream != nil {
		u.From = r.before.Status.Upstream.Name
	}
	for _, look := range r.looks {
		for i := range look.Decision.Steps {
			s := &look.Decision.Steps[i]
			switch a := actionOf(s, look); {
			case a == Create:
				u.From, u.To = "", s.Draft.Task.Source
			case a == Upgrade:
				u.From, u.To = s.Draft.Task.Base, s.Draft.Task.Source
			case a == Merge && look.Input.Upstream != nil:
				if base := decide.Base(look.Input, s.Revision); base != nil {
					u.From = base.Name
				}
				u.To = look.Input.Upstream.Name
			}
		}
	}
	if u.To == "" {
		return nil
	}
	return &u
}

// addDrafts adds the revisions that were made or changed, and what is different in their files.
func (p *planner) addDrafts(ctx context.Context, r *record, v *Variant) error {
	seen := map[string]bool{}
	var drafts []*draft
	for _, look := range r.looks {
		for i := range look.Decision.Steps {
			s := &look.Decision.Steps[i]
			name, compared := revisionOf(s, look), ""
			switch s.Action {
			case decide.Create:
				compared = cmp.Or(s.Draft.Task.From(), "a clone of "+s.Draft.Task.Source)
			case decide.Mutate:
				compared = name + " as it is"
			default:
				continue
			}
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			base := name
			if s.Action == decide.Create && s.Draft.Task.Type == revision.Upgrade {
				base = s.Draft.Task.Local
			}
			d, err := p.draft(ctx, r.key.Namespace, name, base)
			if err != nil {
				v.Action, v.Error = Fail, cmp.Or(v.Error, err.Error())
				continue
			}
			if d == nil {
				continue // it was removed again
			}
			d.Compared = compared
			if p.Write != nil {
				if err := p.Write(types.NamespacedName{Namespace: r.key.Namespace, Name: name}, d.files); err != nil {
					return err
				}
			}
			v.Drafts, drafts = append(v.Drafts, d.Draft), append(drafts, d)
			if !p.Rendered {
				v.Unforeseen = append(v.Unforeseen, kpt.Pipelines(d.files)...)
			}
		}
	}
	slices.Sort(v.Unforeseen)
	v.Unforeseen = slices.Compact(v.Unforeseen)
	return p.find(ctx, r, v, drafts)
}
