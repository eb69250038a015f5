// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/page"
)

// printHTML writes the trees as a page, in the format that plans use too. It counts the variants by state.
func printHTML(w io.Writer, trees []*Node, now time.Time) error {
	p := &page.Page{Title: "Package variants"}
	var names []string
	for _, tree := range trees {
		names = append(names, tree.Name)
		p.Roots = append(p.Roots, tree.shown(now))
	}
	if len(names) > 0 {
		p.Title += " of " + strings.Join(names, ", ")
	}
	states := map[string]int{}
	countStates(trees, states)
	of := 0
	for _, state := range slices.Sorted(maps.Keys(states)) {
		p.Counts = append(p.Counts, page.Count{State: state, Tone: toneOf(state), N: states[state]})
		of += states[state]
	}
	slices.SortStableFunc(p.Counts, func(a, b page.Count) int {
		return cmp.Compare(slices.Index(order, a.Tone), slices.Index(order, b.Tone))
	})
	if of > 0 {
		p.Summary = fmt.Sprintf("%d package variants, as they were at %s.", of, now.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return page.Write(w, p)
}

// order is the order in which states are listed, by tone.
var order = []page.Tone{page.Bad, page.Change, page.Wait, page.Quiet, page.New, page.Good}

// countStates counts the variants of trees by their states.
func countStates(trees []*Node, states map[string]int) {
	for _, n := range trees {
		if n.Kind == naming.Variant.Name {
			states[n.State]++
		}
		countStates(n.Children, states)
	}
}

// shown returns the page's node for a node and all below it.
func (n *Node) shown(now time.Time) *page.Node {
	out := &page.Node{Kind: n.Kind, Name: n.Name, Detail: n.Revision, State: n.State, Tone: toneOf(n.State),
		Reason: n.Reason, Message: n.Message}
	if age := n.age(now); age != "-" {
		out.Age = age
	}
	for _, child := range n.Children {
		out.Children = append(out.Children, child.shown(now))
	}
	return out
}

// toneOf returns the tone of a state. States that are neither good nor in need of a person are in progress.
func toneOf(state string) page.Tone {
	switch state {
	case "Ready", "Published", "Complete", stateBranch:
		return page.Good
	case "Stalled", "NotFound", "Unpublished":
		return page.Bad
	case stateSuspended:
		return page.Quiet
	case "AwaitingApproval", "Proposed", "Soaking", statePending:
		return page.Wait
	}
	return page.Change
}
