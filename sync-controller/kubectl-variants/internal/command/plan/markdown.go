// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
)

// maxComment is how long a comment of a pull request may be, less what the rest of it needs.
const maxComment = 60000

// maxTables is how long all before the diffs may be, maxNotes how long the notes among that, and maxNote one of them.
const maxTables, maxNotes, maxNote = 40000, 10000, 2000

// leftOut says what has no room.
const leftOut = "Left out here, as a comment has no room for it: %s. See `-o html` or `-o text`.\n"

// Markdown prints a plan for the comment of a pull request: the counts, conflicts, sets, what changes, and the diffs to
// unfold. Rows and diffs that make it too long for one are left out, which is said.
func Markdown(w io.Writer, plan *plans.Plan) error {
	m := &markdown{name: namer(plan)}
	fmt.Fprintf(m, "### %s\n\n", summary(plan))
	m.notes(notes(plan))
	m.conflicts(plan)
	m.sets(plan.Sets)
	m.variants(plan)
	left := 0
	for i := range plan.Variants {
		for j := range plan.Variants[i].Drafts {
			diff := diffOf(&plan.Variants[i], &plan.Variants[i].Drafts[j])
			if diff != "" && m.Len()+len(diff) > maxComment {
				left++
				continue
			}
			fmt.Fprint(m, diff)
		}
	}
	if left > 0 {
		fmt.Fprintf(m, leftOut, count(left, "diff"))
	}
	_, err := io.WriteString(w, strings.TrimRight(m.String(), "\n")+"\n")
	return err
}

// markdown is a plan on its way into a comment.
type markdown struct {
	strings.Builder
	// left is how many rows of a table have been left out.
	left int
	// name names an object.
	name func(namespace, name string) string
}

// escapes are what stands for the characters that mean something in Markdown. An @ is kept from naming a person, who
// would be told of the comment, by a comment of HTML, which nobody sees: an escaped one would still name.
var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "&", "&amp;", "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "~", `\~`, "@", "@<!-- -->")

// cell returns a text for a cell of a table.
func cell(s string) string { return escapes.Replace(oneLine(s)) }

// notes prints notes as far as there is room for them.
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

func (m *markdown) conflicts(plan *plans.Plan) {
	if plan.Conflicts == 0 {
		return
	}
	fmt.Fprint(m, "#### Conflicts\n\n| variant | where | here | upstream | in the draft |\n|---|---|---|---|---|\n")
	for i := range plan.Variants {
		v := &plan.Variants[i]
		for _, c := range v.Conflicts {
			m.row("| %s | %s | %s | %s | %s |\n", cell(m.name(v.Namespace, v.Name)), cell(placeOf(&c)), cell(c.Local),
				cell(c.Updated), cell(c.Taken))
		}
	}
	m.endTable("conflict")
}

// row writes a row of a table, if there is room for it.
func (m *markdown) row(format string, values ...any) { m.within(maxTables, format, values...) }

// within writes a text, if all up to it is no longer than that.
func (m *markdown) within(length int, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if m.Len()+len(text) > length {
		m.left++
		return
	}
	fmt.Fprint(m, text)
}

// endTable ends a table, and says how many of its rows are left out.
func (m *markdown) endTable(of string) {
	fmt.Fprint(m, "\n")
	m.endList(of)
}

// endList says how many of a list are left out.
func (m *markdown) endList(of string) {
	if m.left > 0 {
		fmt.Fprintf(m, leftOut+"\n", count(m.left, of))
	}
	m.left = 0
}

// sets prints sets as far as there is room for them.
func (m *markdown) sets(sets []plans.Set) {
	for i := range sets {
		one := &markdown{name: m.name}
		one.set(&sets[i])
		m.row("%s", one.String())
	}
	m.endList("set")
}

func (m *markdown) set(s *plans.Set) {
	fmt.Fprintf(m, "#### PackageVariantSet %s\n\n%s.", cell(m.name(s.Namespace, s.Name)), setSummary(s))
	switch failure := s.Failure(); {
	case failure != "":
		fmt.Fprintf(m, " **%s**: %s", plans.Fail, cell(failure))
	case s.Condition.Reason != "":
		fmt.Fprintf(m, " %s: %s", cell(s.Condition.Reason), cell(s.Condition.Message))
	}
	fmt.Fprint(m, "\n\n")
	if len(s.Waves) == 0 {
		return
	}
	fmt.Fprint(m, "| wave | state | targets | updated | reached | failed | |\n|---|---|---|---|---|---|---|\n")
	for _, w := range s.Waves {
		fmt.Fprintf(m, "| %s | %s | %d | %d | %d | %d | %s |\n", cell(w.Name), cell(w.State), w.Targets, w.Updated, w.Reached,
			w.Failed, cell(w.Message))
	}
	fmt.Fprint(m, "\n")
}

// variants prints the variants of which something becomes, and how many stay as they are.
func (m *markdown) variants(plan *plans.Plan) {
	if len(plan.Variants) == plan.Counts[plans.Unchanged] {
		fmt.Fprintf(m, "Nothing changes in %s.\n\n", count(len(plan.Variants), "variant"))
		return
	}
	fmt.Fprint(m, "| action | variant | package | upstream | files | then |\n|---|---|---|---|---|---|\n")
	for i := range plan.Variants {
		v := &plan.Variants[i]
		if v.Action == plans.Unchanged {
			continue
		}
		m.row("| **%s** | %s | %s | %s | %s | %s |\n", v.Action, cell(m.name(v.Namespace, v.Name)),
			cell(packageOf(v)), cell(upstreamOf(v)), filesOf(v), cell(thenOf(v)))
	}
	m.endTable("variant")
	if n := plan.Counts[plans.Unchanged]; n > 0 {
		fmt.Fprintf(m, "Unchanged: %s.\n\n", count(n, "variant"))
	}
}

// diffOf returns the diffs of a draft, to unfold; "" if there are none.
func diffOf(v *plans.Variant, d *plans.Draft) string {
	var all strings.Builder
	for _, f := range d.Files {
		all.WriteString(f.Diff)
	}
	if all.Len() == 0 {
		return ""
	}
	fence := "```"
	for strings.Contains(all.String(), fence) {
		fence += "`"
	}
	return fmt.Sprintf("<details><summary>%s: %s, compared with %s</summary>\n\n%sdiff\n%s%s\n\n</details>\n\n",
		html.EscapeString(v.Name), html.EscapeString(d.Name), html.EscapeString(d.Compared), fence, all.String(), fence)
}
