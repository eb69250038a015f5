// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"io"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/page"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/words"
)

// tones are the tones of the actions.
var tones = map[plans.Action]page.Tone{
	plans.Fail: page.Bad, plans.Delete: page.Bad, plans.Prune: page.Bad, plans.Create: page.New,
	plans.Upgrade: page.Change, plans.Merge: page.Change, plans.Edit: page.Change, plans.Adopt: page.Change,
	plans.Keep: page.Change, plans.Publish: page.New, plans.Stalled: page.Bad, plans.Wait: page.Wait,
	plans.Unchanged: page.Quiet,
}

// title is the title of the page.
const title = "What is going to happen"

// HTML prints a plan as a page in one file: first what needs attention, then conflicts and changes, then the fleet as a
// tree by set, wave and target.
func HTML(w io.Writer, plan *plans.Plan) error {
	p := &page.Page{Title: title, Summary: summary(plan), About: aboutOf(&plan.About, asIs), Notes: notes(plan)}
	states := statesOf(plan)
	for _, a := range plans.Actions {
		if n := states[a]; n > 0 {
			p.Counts = append(p.Counts, page.Count{State: string(a), Tone: tones[a], N: n})
		}
	}
	t := tree{name: namer(plan), sets: map[[2]string]*page.Node{}, waves: map[[3]string]*page.Node{},
		nodes: map[*plans.Variant]*page.Node{}}
	for _, other := range []bool{false, true} {
		for _, s := range setsOf(other, plan) {
			t.addSet(s)
		}
	}
	for i := range plan.Variants {
		t.addVariant(&plan.Variants[i])
	}
	p.Roots, p.First, p.Differences = t.roots, t.first(plan), t.differences(plan)
	return page.Write(w, p)
}

// differences returns the distinct changes with the nodes that have them.
func (t *tree) differences(plan *plans.Plan) (out []*page.Difference) {
	of := map[string]*page.Node{}
	for i := range plan.Variants {
		v := &plan.Variants[i]
		of[t.name(v.Namespace, cmp.Or(packageOf(v), v.Name))] = t.nodes[v]
	}
	for _, c := range plan.Changes {
		one := &page.Difference{Conflict: c.Conflict, Lines: c.Lines, Values: c.Told(),
			Where: words.Count(len(c.Packages), "package") + ", " + c.InFiles()}
		for _, name := range c.Packages {
			if n := of[name]; n != nil {
				one.Nodes = append(one.Nodes, n)
			}
		}
		out = append(out, one)
	}
	return out
}

// statesOf counts the nodes of each state, of which the page's search finds those that it names.
func statesOf(plan *plans.Plan) map[plans.Action]int {
	out := map[plans.Action]int{}
	for i := range plan.Sets {
		switch s := &plan.Sets[i]; {
		case s.Failure() != "":
			out[plans.Fail]++
		case s.Stalled == plans.Still:
			out[plans.Stalled]++
		}
	}
	for i := range plan.Variants {
		out[plan.Variants[i].Action]++
	}
	return out
}

// first returns what needs attention, grouped by what happens to it.
func (t *tree) first(plan *plans.Plan) []page.Group {
	var out []page.Group
	for _, v := range sorted(plan).first {
		if n := len(out); n == 0 || out[n-1].State != doingFirst(v) {
			out = append(out, page.Group{State: doingFirst(v), Tone: tones[lead(v)]})
		}
		last := &out[len(out)-1]
		last.Nodes = append(last.Nodes, t.nodes[v])
	}
	return out
}

// tree is the fleet by set, wave and target.
type tree struct {
	roots []*page.Node
	sets  map[[2]string]*page.Node
	waves map[[3]string]*page.Node
	alone *page.Node
	nodes map[*plans.Variant]*page.Node
	// name names an object.
	name func(namespace, name string) string
}

// addSet adds a set with its waves, in the order in which they are rolled out.
func (t *tree) addSet(s *plans.Set) {
	n := &page.Node{Kind: naming.Set.Name, Name: t.name(s.Namespace, s.Name), Tone: conditionTone(s.Condition.Type),
		State: then(s.Condition.Reason), Message: setSummary(s) + "."}
	if s.Other {
		n.Detail = outside
	}
	if s.Condition.Message != "" {
		n.Message += " " + s.Condition.Message
	}
	switch failure := s.Failure(); {
	case failure != "":
		n.State, n.Tone, n.Message = string(plans.Fail), page.Bad, failure
	case s.Stalled == plans.Still:
		n.State, n.Message = string(plans.Stalled), setSummary(s)+". "+s.Stalled.Says(s.Condition)
	}
	t.roots, t.sets[[2]string{s.Namespace, s.Name}] = append(t.roots, n), n
	for i := range s.Waves {
		w := &s.Waves[i]
		child := &page.Node{Kind: "wave", Name: w.Name, State: then(w.State), Tone: page.WaveTone(w.State), Done: w.Reached,
			Of: w.Targets, Message: w.Message}
		n.Children, t.waves[[3]string{s.Namespace, s.Name, w.Name}] = append(n.Children, child), child
	}
}

// addVariant adds a variant to its wave, or to its set, or to the variants without a set.
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
	t.nodes[v] = t.variantNode(v)
	parent.Children = append(parent.Children, t.nodes[v])
}

// variantNode returns the page's node for a variant.
func (t *tree) variantNode(v *plans.Variant) *page.Node {
	name := t.name(v.Namespace, v.Name)
	n := &page.Node{Kind: naming.Variant.Name, Name: cmp.Or(packageOf(v), name), State: string(v.Action),
		Tone: tones[v.Action], Reason: strings.Replace(upstreamOf(v), "->", "→", 1), Message: endOf(v), Steps: v.Texts()}
	if n.Name != name {
		n.Detail = name
	}
	if v.Other {
		n.Detail = strings.TrimSpace(n.Detail + " " + outside)
	}
	switch n.Message {
	case strings.Join(n.Steps, ", "), v1alpha1.ReasonUpToDate + lifecycles(v):
		n.Message = "" // the steps and the drafts say it
	}
	for i := range v.Drafts {
		d := &v.Drafts[i]
		draft := page.Draft{Name: d.Name, Lifecycle: d.Lifecycle, Compared: d.Compared, Total: d.Total}
		for _, f := range d.Files {
			draft.Files = append(draft.Files, page.File{Path: f.Path, Change: f.Change})
		}
		n.Drafts = append(n.Drafts, draft)
	}
	return n
}

// then marks a state as the final one.
func then(state string) string {
	if state == "" {
		return ""
	}
	return "then " + state
}

// conditionTone returns the tone for a set's condition.
func conditionTone(kind string) page.Tone {
	switch kind {
	case v1alpha1.ConditionReady:
		return page.Good
	case v1alpha1.ConditionStalled:
		return page.Bad
	}
	return page.Wait
}
