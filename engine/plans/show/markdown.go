// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/package-variants/package-variants/engine/page"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/functions/krm"
)

// maxComment is the most characters that a pull request comment may have, less a reserve for the rest of it.
const maxComment = 60000

// maxTables limits all text before the diffs, maxNotes the notes in it, and maxNote one note.
const maxTables, maxNotes, maxNote = 40000, 10000, 2000

// leftOut says what did not fit.
const leftOut = "Left out here, as a comment has no room for it: %s. See `-o html` or `-o text`.\n"

// Markdown prints a plan as a pull request comment: the counts, what needs attention first, conflicts, sets, other
// changes, and the diffs to unfold. It leaves out rows and diffs that do not fit, and says so.
func Markdown(w io.Writer, plan *plans.Plan) error {
	m := &markdown{name: namer(plan)}
	fmt.Fprintf(m, "### %s\n\n", summary(plan))
	if about := aboutOf(&plan.About); about != "" {
		fmt.Fprintf(m, "%s\n\n", cell(about))
	}
	g := sorted(plan)
	m.variants("Look at these first", g.first, doingFirst)
	m.conflicts(plan)
	m.notes(notes(plan))
	m.sets(setsOf(false, plan))
	m.variants("What else changes, and what waits", g.others, doing)
	m.sets(setsOf(true, plan))
	m.variants("What changes, "+outside, g.unnamed, doing)
	m.unchanged(plan)
	m.diffs(plan)
	_, err := io.WriteString(w, strings.TrimRight(m.String(), "\n")+"\n")
	return err
}

// noPlan prints a comment that says why there is no plan. Otherwise the comment of an earlier plan would stay.
func noPlan(w io.Writer, about *plans.About, err error) error {
	visible.All(about)
	why := krm.Visible(err.Error())
	fence := fenceFor(why)
	_, err = fmt.Fprintf(w, "### There is no plan: it failed\n\n%s\n\n%stext\n%s\n%s\n", cell(aboutOf(about)), fence,
		strings.ToValidUTF8(why[:min(len(why), maxTables)], ""), fence)
	return err
}

// markdown is a plan on its way into a comment.
type markdown struct {
	strings.Builder
	// left counts the rows of a table that were left out.
	left int
	// name names an object.
	name func(namespace, name string) string
}

// escapes replaces the characters that mean something in Markdown. An invisible HTML comment after an @ prevents a
// mention, which would notify a person; an escaped @ would still be a mention.
var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "&", "&amp;", "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "~", `\~`, "@", "@<!-- -->")

// cell returns a text as a table cell.
func cell(s string) string { return escapes.Replace(oneLine(s)) }

// notes prints as many notes as fit.
func (m *markdown) notes(notes []string) {
	room := m.Len() + maxNotes
	for _, note := range notes {
		if len(note) > maxNote {
			note = strings.ToValidUTF8(note[:maxNote], "") + "... (cut)"
		}
		m.within(room, "> %s\n\n", cell(note))
	}
	m.endList("note")
}

// conflicts prints the conflicts, each once with the variants that have it.
func (m *markdown) conflicts(plan *plans.Plan) {
	if plan.Conflicts == 0 {
		return
	}
	fmt.Fprint(m, "#### Conflicts\n\n| where | original | here | upstream | who wins | variants |\n",
		"|---|---|---|---|---|---|\n")
	for _, g := range conflictsOf(plan) {
		names := make([]string, len(g.variants))
		for i, v := range g.variants {
			names[i] = m.name(v.Namespace, v.Name)
		}
		m.row("| %s | %s | %s | %s | %s | %s |\n", cell(g.Place()), cell(g.Original), cell(g.Local), cell(g.Updated),
			cell(page.Winner(g.Taken)), cell(list(names)))
	}
	m.endTable("conflict")
}

// row writes a row of a table if it fits.
func (m *markdown) row(format string, values ...any) { m.within(maxTables, format, values...) }

// within writes a text if the comment then stays within a length.
func (m *markdown) within(length int, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if m.Len()+len(text) > length {
		m.left++
		return
	}
	fmt.Fprint(m, text)
}

// endTable ends a table, and says how many rows were left out.
func (m *markdown) endTable(of string) {
	fmt.Fprint(m, "\n")
	m.endList(of)
}

// endList says how many items of a list were left out.
func (m *markdown) endList(of string) {
	if m.left > 0 {
		fmt.Fprintf(m, leftOut+"\n", count(m.left, of))
	}
	m.left = 0
}

// sets prints as many sets as fit.
func (m *markdown) sets(sets []*plans.Set) {
	for _, s := range sets {
		one := &markdown{name: m.name}
		one.set(s)
		m.row("%s", one.String())
	}
	m.endList("set")
}

func (m *markdown) set(s *plans.Set) {
	of := ""
	if s.Other {
		of = ", " + outside
	}
	fmt.Fprintf(m, "#### PackageVariantSet %s%s\n\n%s.", cell(m.name(s.Namespace, s.Name)), of, setSummary(s))
	switch failure := s.Failure(); {
	case failure != "":
		fmt.Fprint(m, fmt.Sprintf(" **%s**: ", plans.Fail), cell(failure))
	case s.Condition.Reason != "":
		lead := " Then "
		if s.Stalled != "" { // as it is already, or breaks by this
			lead = " "
		}
		fmt.Fprint(m, lead, cell(s.Stalled.Says(s.Condition)))
	}
	fmt.Fprint(m, "\n\n")
	if len(s.Waves) == 0 {
		return
	}
	fmt.Fprint(m, "| wave | then | targets | updated | reached | failed | |\n|---|---|---|---|---|---|---|\n")
	for _, w := range s.Waves {
		fmt.Fprintf(m, "| %s | %s | %d | %d | %d | %d | %s |\n", cell(w.Name), cell(w.State), w.Targets, w.Updated, w.Reached,
			w.Failed, cell(w.Message))
	}
	fmt.Fprint(m, "\n")
}

// variants prints a table of variants under a heading, if there are any. say returns what happens to a variant.
func (m *markdown) variants(heading string, variants []*plans.Variant, say func(*plans.Variant) string) {
	if len(variants) == 0 {
		return
	}
	fmt.Fprint(m, "#### ", heading, "\n\n| action | variant | package | upstream | files | then |\n",
		"|---|---|---|---|---|---|\n")
	for _, v := range variants {
		m.row("| **%s** | %s | %s | %s | %s | %s |\n", say(v), cell(m.name(v.Namespace, v.Name)),
			cell(packageOf(v)), cell(upstreamOf(v)), filesOf(v), cell(thenOf(v)))
	}
	m.endTable("variant")
}

// unchanged says how many variants stay as they are.
func (m *markdown) unchanged(plan *plans.Plan) {
	switch n := plan.Counts[plans.Unchanged]; {
	case n == len(plan.Variants):
		fmt.Fprintf(m, "Nothing changes in %s.\n\n", count(n, "variant"))
	case n > 0:
		fmt.Fprintf(m, "Unchanged: %s.\n\n", count(n, "variant"))
	}
}

// diffs prints the diffs to unfold, each once with the drafts that have it.
func (m *markdown) diffs(plan *plans.Plan) {
	for _, g := range diffsOf(plan) {
		m.within(maxComment, "%s", g.markdown())
	}
	m.endList("diff")
}

// markdown returns diffs to unfold.
func (g *diffGroup) markdown() string {
	var paths []string
	var all strings.Builder
	for _, f := range g.files {
		paths = append(paths, f.path)
		all.WriteString(f.diff)
	}
	of := fmt.Sprintf("%s, compared with %s", g.drafts[0].Name, g.drafts[0].Compared)
	if len(g.drafts) > 1 {
		of = fmt.Sprintf("the same in %s: %s", count(len(g.drafts), "package"), list(namesOf(g.drafts)))
	}
	fence := fenceFor(all.String())
	return fmt.Sprintf("<details><summary>%s (%s)</summary>\n\n%sdiff\n%s%s\n\n</details>\n\n",
		html.EscapeString(strings.Join(paths, ", ")), html.EscapeString(of), fence, all.String(), fence)
}

// fenceFor returns what begins and ends a block with a text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
