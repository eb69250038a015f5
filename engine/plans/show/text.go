// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/visible"
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
	colour bool
	// name names an object.
	name func(namespace, name string) string
}

// Text prints a plan for people: sets with their waves, then variants, conflicts, diffs, and the counts.
func Text(w io.Writer, plan *plans.Plan, colour bool) error {
	t := &text{colour: colour, name: namer(plan)}
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
	for i := range plan.Variants {
		t.conflicts(&plan.Variants[i])
	}
	for i := range plan.Variants {
		t.diffs(&plan.Variants[i])
	}
	fmt.Fprintln(t, summary(plan))
	for _, note := range notes(plan) {
		fmt.Fprintln(t, "Note: "+cell(note))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (t *text) paint(colour, s string) string {
	if !t.colour || colour == "" {
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
		return "would write " + count(len(s.Held), "variant") + ", and is held"
	}
	out := fmt.Sprintf("creates %d, updates %d and deletes %s", len(s.Created), len(s.Updated),
		count(len(s.Deleted), "variant"))
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

// variants prints the table of variants.
func (t *text) variants(variants []*plans.Variant) {
	var rows strings.Builder
	table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ACTION\tVARIANT\tPACKAGE\tDRAFT\tUPSTREAM\tFILES\tTHEN")
	for _, v := range variants {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", doing(v), cell(t.name(v.Namespace, v.Name)), cell(packageOf(v)),
			cell(draftOf(v)), cell(upstreamOf(v)), cell(filesOf(v)), cell(thenOf(v)))
	}
	_ = table.Flush() // it writes to memory
	for i, line := range strings.Split(strings.TrimSuffix(rows.String(), "\n"), "\n") {
		if 0 < i && i <= len(variants) { // the table is painted when its columns are known
			line = t.paint(colours[lead(variants[i-1])], line)
		}
		fmt.Fprintln(t, strings.TrimRight(line, " "))
	}
	fmt.Fprintln(t)
}

func (t *text) conflicts(v *plans.Variant) {
	if len(v.Conflicts) == 0 {
		return
	}
	fmt.Fprintln(t, t.paint(red, fmt.Sprintf("Conflicts of %s:", cell(t.name(v.Namespace, v.Name)))))
	for _, c := range v.Conflicts {
		fmt.Fprintf(t, "  %s\n", cell(c.Place()+": "+c.Sides()))
	}
	fmt.Fprintln(t)
}

// diffs prints the diffs of a variant's drafts.
func (t *text) diffs(v *plans.Variant) {
	for i := range v.Drafts {
		d := &v.Drafts[i]
		for _, f := range d.Files {
			if f.Diff == "" {
				continue
			}
			fmt.Fprintln(t, cell(fmt.Sprintf("%s, compared with %s: %s is %s", d.Name, d.Compared, f.Path, f.Change)))
			for line := range strings.Lines(f.Diff) {
				fmt.Fprintln(t, t.paint(colourOf(line), strings.TrimRight(line, "\n")))
			}
			fmt.Fprintln(t)
		}
	}
}

// colourOf returns the colour of a line of a diff.
func colourOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return blue
	}
	return ""
}

// cell returns a text as one line and one cell of a table; "-" if there is none.
func cell(s string) string { return cmp.Or(visible.Line(s), "-") }
