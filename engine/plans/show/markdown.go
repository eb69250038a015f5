// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/words"
)

// maxComment is the most characters that a pull request comment may have, less a reserve for the rest of it.
const maxComment = 60000

// maxTables limits all text before the changes, maxNotes the notes in it, and maxNote one note; maxChanges limits all
// with the changes, and leaves room for what says how many are left out.
const maxTables, maxNotes, maxNote, maxChanges = 40000, 10000, 2000, maxComment - 200

// leftOut says what did not fit.
const leftOut = "Left out here, as a comment has no room for it: %s. See `-o html` or `-o text`.\n"

// Markdown prints a plan as a pull request comment: the counts, what needs attention first, conflicts, sets, what else
// is done, and the distinct changes to unfold. It leaves out rows and changes that do not fit, and says so. Names,
// values and messages are code, as packages, manifests and servers decide what is in them.
func Markdown(w io.Writer, plan *plans.Plan) error {
	m := &comment{name: namer(plan)}
	fmt.Fprintf(m, "### %s\n\n", summary(plan))
	if about := aboutOf(&plan.About, markdown.Code); about != "" {
		fmt.Fprintf(m, "%s\n\n", about)
	}
	g := sorted(plan)
	m.variants("Look at these first", g.first, doingFirst)
	m.changes(plan, true)
	m.notes(notes(plan))
	m.sets(setsOf(false, plan))
	m.variants("What else changes, and what waits", g.others, doing)
	m.sets(setsOf(true, plan))
	m.variants("What changes, "+outside, g.unnamed, doing)
	m.unchanged(plan)
	m.changes(plan, false)
	_, err := io.WriteString(w, strings.TrimRight(m.String(), "\n")+"\n")
	return err
}

// noPlan prints a comment that says why there is no plan. Otherwise the comment of an earlier plan would stay.
func noPlan(w io.Writer, about *plans.About, err error) error {
	_, err = fmt.Fprintf(w, "### There is no plan: it failed\n\n%s\n\n%s", aboutOf(about, markdown.Code),
		markdown.Block("text", markdown.Cut(err.Error(), maxTables)))
	return err
}

// comment is a plan on its way into a comment.
type comment struct {
	strings.Builder
	// left counts the rows of a table that were left out.
	left int
	// name names an object.
	name func(namespace, name string) string
}

// notes prints as many notes as fit.
func (m *comment) notes(notes []string) {
	room := m.Len() + maxNotes
	for _, note := range notes {
		m.within(room, "> %s\n\n", markdown.Code(markdown.Cut(note, maxNote)))
	}
	m.endList("note")
}

// changes prints the distinct changes that are conflicts, or the others.
func (m *comment) changes(plan *plans.Plan, conflicts bool) {
	what, room := "change", maxChanges
	if conflicts {
		what, room = "conflict", maxTables
	}
	if conflicts && plan.Conflicts > 0 {
		fmt.Fprint(m, "#### Conflicts\n\n")
	}
	for i, text := range changes.Markdown(plan.Changes) {
		if plan.Changes[i].Conflict == conflicts {
			m.within(room, "%s", text)
		}
	}
	m.endList(what)
}

// row writes a row of a table if it fits.
func (m *comment) row(format string, values ...any) { m.within(maxTables, format, values...) }

// within writes a text if the comment then stays within a length.
func (m *comment) within(length int, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if m.Len()+len(text) > length {
		m.left++
		return
	}
	fmt.Fprint(m, text)
}

// endTable ends a table, and says how many rows were left out.
func (m *comment) endTable(of string) {
	fmt.Fprint(m, "\n")
	m.endList(of)
}

// endList says how many items of a list were left out.
func (m *comment) endList(of string) {
	if m.left > 0 {
		fmt.Fprintf(m, leftOut+"\n", words.Count(m.left, of))
	}
	m.left = 0
}

// sets prints as many sets as fit.
func (m *comment) sets(sets []*plans.Set) {
	for _, s := range sets {
		one := &comment{name: m.name}
		one.set(s)
		m.row("%s", one.String())
	}
	m.endList("set")
}

func (m *comment) set(s *plans.Set) {
	of := ""
	if s.Other {
		of = ", " + outside
	}
	fmt.Fprintf(m, "#### PackageVariantSet %s%s\n\n%s.", markdown.Code(m.name(s.Namespace, s.Name)), of, setSummary(s))
	switch failure := s.Failure(); {
	case failure != "":
		fmt.Fprint(m, fmt.Sprintf(" **%s**: ", plans.Fail), markdown.Code(failure))
	case s.Condition.Reason != "":
		lead := " Then "
		if s.Stalled != "" { // as it is already, or breaks by this
			lead = " "
		}
		fmt.Fprint(m, lead, markdown.Code(s.Stalled.Says(s.Condition)))
	}
	fmt.Fprint(m, "\n\n")
	if len(s.Waves) == 0 {
		return
	}
	fmt.Fprint(m, "| wave | then | targets | updated | reached | failed | |\n|---|---|---|---|---|---|---|\n")
	for _, w := range s.Waves {
		fmt.Fprintf(m, "| %s | %s | %d | %d | %d | %d | %s |\n", markdown.Code(w.Name), markdown.Code(w.State), w.Targets,
			w.Updated, w.Reached, w.Failed, markdown.Code(w.Message))
	}
	fmt.Fprint(m, "\n")
}

// variants prints a table of variants under a heading, if there are any. say returns what happens to a variant.
func (m *comment) variants(heading string, variants []*plans.Variant, say func(*plans.Variant) string) {
	if len(variants) == 0 {
		return
	}
	fmt.Fprint(m, "#### ", heading, "\n\n| action | variant | package | upstream | files | then |\n",
		"|---|---|---|---|---|---|\n")
	some, left := shorter(variants, false)
	for _, v := range some {
		m.row("| **%s** | %s | %s | %s | %s | %s |\n", say(v), markdown.Code(m.name(v.Namespace, v.Name)),
			markdown.Code(packageOf(v)), markdown.Code(upstreamOf(v)), filesOf(v), markdown.Code(thenOf(v)))
	}
	for _, more := range left {
		m.row("| | %s | | | | |\n", markdown.Code(more))
	}
	m.endTable("variant")
}

// unchanged says how many variants stay as they are.
func (m *comment) unchanged(plan *plans.Plan) {
	switch n := plan.Counts[plans.Unchanged]; {
	case n == len(plan.Variants):
		fmt.Fprintf(m, "Nothing changes in %s.\n\n", words.Count(n, "variant"))
	case n > 0:
		fmt.Fprintf(m, "Unchanged: %s.\n\n", words.Count(n, "variant"))
	}
}
