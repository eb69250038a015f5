// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"io"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/page"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
)

// tones are the kinds of the actions.
var tones = map[plans.Action]page.Tone{
	plans.Fail: page.Bad, plans.Delete: page.Bad, plans.Prune: page.Bad, plans.Create: page.New,
	plans.Upgrade: page.Change, plans.Merge: page.Change, plans.Edit: page.Change, plans.Adopt: page.Change,
	plans.Publish: page.New, plans.Wait: page.Wait, plans.Unchanged: page.Quiet,
}

// HTML prints a plan as a page of one file: what conflicts first, then the fleet as a tree by set, wave and target.
func HTML(w io.Writer, plan *plans.Plan) error {
	p := &page.Page{Title: "What the controller is going to do", Summary: summary(plan), Notes: notes(plan)}
	for _, a := range plans.Actions {
		if n := plan.Counts[a]; n > 0 {
			p.Counts = append(p.Counts, page.Count{State: string(a), Tone: tones[a], N: n})
		}
	}
	t := tree{name: namer(plan), sets: map[[2]string]*page.Node{}, waves: map[[3]string]*page.Node{}}
	for i := range plan.Sets {
		t.addSet(&plan.Sets[i])
	}
	for i := range plan.Variants {
		t.addVariant(&plan.Variants[i])
	}
	p.Roots = t.roots
	return page.Write(w, p)
}

// tree is the fleet by set, wave and target.
type tree struct {
	roots []*page.Node
	sets  map[[2]string]*page.Node
	waves map[[3]string]*page.Node
	alone *page.Node
	// name names an object.
	name func(namespace, name string) string
}

// addSet adds a set with its waves, in the order in which they are rolled out.
func (t *tree) addSet(s *plans.Set) {
	n := &page.Node{Kind: live.Set.Name, Name: t.name(s.Namespace, s.Name), Tone: conditionTone(s.Condition.Type),
		State: s.Condition.Reason, Message: setSummary(s) + "."}
	if s.Condition.Message != "" {
		n.Message += " " + s.Condition.Message
	}
	if failure := s.Failure(); failure != "" {
		n.State, n.Tone, n.Message = string(plans.Fail), page.Bad, failure
	}
	t.roots, t.sets[[2]string{s.Namespace, s.Name}] = append(t.roots, n), n
	for i := range s.Waves {
		w := &s.Waves[i]
		child := &page.Node{Kind: "wave", Name: w.Name, State: w.State, Tone: page.WaveTone(w.State), Done: w.Reached,
			Of: w.Targets, Message: w.Message}
		n.Children, t.waves[[3]string{s.Namespace, s.Name, w.Name}] = append(n.Children, child), child
	}
}

// addVariant adds a variant to its wave, or to its set, or to those without one.
func (t *tree) addVariant(v *plans.Variant) {
	parent := t.sets[[2]string{v.Namespace, v.Set}]
	if w := t.waves[[3]string{v.Namespace, v.Set, v.Wave}]; w != nil {
		parent = w
	}
	if parent == nil {
		if t.alone == nil {
			t.alone = &page.Node{Name: "without a set"}
			if len(t.sets) > 0 {
				t.alone.Name = "without a set of this plan"
			}
			t.roots = append(t.roots, t.alone)
		}
		parent = t.alone
	}
	parent.Children = append(parent.Children, variantNode(v, t.name(v.Namespace, v.Name)))
}

// variantNode returns what the page has of a variant.
func variantNode(v *plans.Variant, name string) *page.Node {
	n := &page.Node{Kind: live.Variant.Name, Name: cmp.Or(packageOf(v), name), State: string(v.Action),
		Tone: tones[v.Action], Reason: strings.Replace(upstreamOf(v), "->", "→", 1), Message: thenOf(v), Steps: stepsOf(v)}
	if n.Name != name {
		n.Detail = name
	}
	if said := strings.Join(n.Steps, ", "); len(n.Steps) > 0 && n.Message == said {
		n.Message = "" // the steps say it
	}
	for i := range v.Drafts {
		d := &v.Drafts[i]
		draft := page.Draft{Name: d.Name, Compared: d.Compared, Total: d.Total}
		for _, f := range d.Files {
			draft.Files = append(draft.Files, page.File{Path: f.Path, Change: f.Change, Diff: f.Diff})
		}
		n.Drafts = append(n.Drafts, draft)
	}
	for i := range v.Conflicts {
		c := &v.Conflicts[i]
		n.Conflicts = append(n.Conflicts, page.Conflict{Where: placeOf(c), Original: c.Original, Local: c.Local,
			Updated: c.Updated, Taken: c.Taken})
	}
	return n
}

// conditionTone returns the tone of what the controller says of a set.
func conditionTone(kind string) page.Tone {
	switch kind {
	case v1alpha1.ConditionReady:
		return page.Good
	case v1alpha1.ConditionStalled:
		return page.Bad
	}
	return page.Wait
}
