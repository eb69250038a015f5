// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/engine/words"
)

// The colours of a terminal.
const (
	red, green, yellow, blue, plain = "\033[31m", "\033[32m", "\033[33m", "\033[34m", "\033[0m"
)

// colours are those of the actions; one that is not listed has none.
var colours = map[plans.Action]string{
	plans.Fail: red, plans.Delete: red, plans.Prune: red, plans.Create: green, plans.Upgrade: yellow,
	plans.Merge: yellow, plans.Edit: yellow, plans.Adopt: yellow, plans.Keep: yellow, plans.Publish: green,
	plans.Stalled: yellow, plans.Wait: blue,
}

// text prints a plan to a terminal.
type text struct {
	strings.Builder
	Options
	// name names an object.
	name func(namespace, name string) string
}

// Text prints a plan for people: sets with their waves, then variants, distinct changes, and the counts.
func Text(w io.Writer, plan *plans.Plan, o Options) error {
	t := &text{Options: o, name: namer(plan)}
	t.part(setsOf(false, plan), variantsOf(false, plan))
	if sets, variants := setsOf(true, plan), variantsOf(true, plan); len(sets)+len(variants) > 0 {
		fmt.Fprint(t, "What changes, "+outside+":\n\n")
		t.part(sets, variants)
	}
	switch {
	case len(plan.Variants) > 0:
	case plan.About.Named:
		fmt.Fprint(t, "No variant is affected.\n\n")
	default:
		fmt.Fprint(t, "There are no variants.\n\n")
	}
	if len(plan.Changes) > 0 {
		_ = Changes(t, plan.Changes, o) // it writes to memory
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t, summary(plan))
	for _, note := range notes(plan) {
		fmt.Fprintln(t, "Note: "+cell(note))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (t *text) paint(colour, s string) string {
	if !t.Colour || colour == "" {
		return s
	}
	return colour + s + plain
}

// set prints what happens to a set.
func (t *text) set(s *plans.Set) {
	fmt.Fprintf(t, "PackageVariantSet %s: %s\n", cell(t.name(s.Namespace, s.Name)), setSummary(s))
	switch failure := s.Failure(); {
	case failure != "":
		fmt.Fprintln(t, t.paint(red, "  fail: "+cell(failure)))
	case s.Condition.Reason != "":
		fmt.Fprintln(t, "  "+cell(s.Stalled.Says(s.Condition)))
	}
	if len(s.Waves) > 0 {
		var rows strings.Builder
		table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  WAVE\tSTATE\tTARGETS\tUPDATED\tREACHED\tFAILED\tMESSAGE")
		for _, w := range s.Waves {
			fmt.Fprintf(table, "  %s\t%s\t%d\t%d\t%d\t%d\t%s\n", cell(w.Name), cell(w.State), w.Targets, w.Updated, w.Reached,
				w.Failed, visible.Line(w.Message))
		}
		_ = table.Flush() // it writes to memory
		for row := range strings.Lines(rows.String()) {
			fmt.Fprintln(t, strings.TrimRight(row, " \n"))
		}
	}
	fmt.Fprintln(t)
}

// setSummary says which variants of a set are written.
func setSummary(s *plans.Set) string {
	if len(s.Held) > 0 {
		return "would write " + words.Count(len(s.Held), "variant") + ", and is held"
	}
	out := fmt.Sprintf("creates %d, updates %d and deletes %s", len(s.Created), len(s.Updated),
		words.Count(len(s.Deleted), "variant"))
	if len(s.HeldBack) > 0 {
		out += fmt.Sprintf("; holds back %d", len(s.HeldBack))
	}
	return out
}

// part prints sets and variants.
func (t *text) part(sets []*plans.Set, variants []*plans.Variant) {
	for _, s := range sets {
		t.set(s)
	}
	if len(variants) > 0 {
		t.variants(variants)
	}
}

// variants prints the table of variants. Of many that say the same, it has the first.
func (t *text) variants(variants []*plans.Variant) {
	var rows strings.Builder
	table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ACTION\tVARIANT\tPACKAGE\tDRAFT\tUPSTREAM\tFILES\tTHEN")
	shown, left := shorter(variants, t.Names)
	for _, v := range shown {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", doing(v), cell(t.name(v.Namespace, v.Name)), cell(packageOf(v)),
			cell(draftOf(v)), cell(upstreamOf(v)), cell(filesOf(v)), cell(thenOf(v)))
	}
	_ = table.Flush() // it writes to memory
	for i, line := range strings.Split(strings.TrimSuffix(rows.String(), "\n"), "\n") {
		if 0 < i && i <= len(shown) { // the table is painted when its columns are known
			line = t.paint(colours[lead(shown[i-1])], line)
		}
		fmt.Fprintln(t, strings.TrimRight(line, " "))
	}
	for _, more := range left {
		fmt.Fprintln(t, visible.Line(more)+" (--names)")
	}
	fmt.Fprintln(t)
}

// Changes prints distinct changes, conflicts first; nothing if there are none.
func Changes(w io.Writer, all []*changes.Change, o Options) error {
	t := &text{Options: o}
	if len(all) > 0 {
		for _, line := range changes.Text(all, o.Names) {
			fmt.Fprintln(t, t.paint(colourOf(line), line))
		}
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// colourOf returns the colour of a line of the changes.
func colourOf(line string) string {
	switch {
	case strings.HasPrefix(line, "  + "):
		return green
	case strings.HasPrefix(line, "  - "), strings.HasPrefix(line, "CONFLICT"):
		return red
	}
	return ""
}

// cell returns a text as one line and one cell of a table; "-" if there is none.
func cell(s string) string { return cmp.Or(visible.Line(s), "-") }
