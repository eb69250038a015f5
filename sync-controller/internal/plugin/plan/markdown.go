// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"io"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/forecast"
)

// maxComment is how long a comment of a pull request may be, less what the rest of it needs.
const maxComment = 60000

// maxTables is how long all before the diffs may be.
const maxTables = 40000

// leftOut says what has no room.
const leftOut = "Left out here, as a comment has no room for it: %s. See `-o html` or `-o text`.\n"

// Markdown prints a plan for the comment of a pull request: the counts, conflicts, sets, what changes, and the diffs to
// unfold. Rows and diffs that make it too long for one are left out, which is said.
func Markdown(w io.Writer, plan *forecast.Plan) error {
	m := &markdown{}
	fmt.Fprintf(m, "### %s\n\n", summary(plan))
	for _, note := range notes(plan) {
		fmt.Fprintf(m, "> %s\n\n", cell(note))
	}
	m.conflicts(plan)
	for i := range plan.Sets {
		m.set(&plan.Sets[i])
	}
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
}

// cell returns a text for a cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(s)
}

func (m *markdown) conflicts(plan *forecast.Plan) {
	if plan.Conflicts == 0 {
		return
	}
	fmt.Fprint(m, "#### Conflicts\n\n| variant | where | here | upstream |\n|---|---|---|---|\n")
	for i := range plan.Variants {
		v := &plan.Variants[i]
		for _, c := range v.Conflicts {
			m.row("| %s | %s | %s | %s |\n", cell(v.Name), cell(placeOf(&c)), cell(c.Local), cell(c.Updated))
		}
	}
	m.endTable("conflict")
}

// row writes a row of a table, if there is room for it.
func (m *markdown) row(format string, values ...any) {
	row := fmt.Sprintf(format, values...)
	if m.Len()+len(row) > maxTables {
		m.left++
		return
	}
	fmt.Fprint(m, row)
}

// endTable ends a table, and says how many of its rows are left out.
func (m *markdown) endTable(of string) {
	if m.left > 0 {
		fmt.Fprintf(m, "\n"+leftOut, count(m.left, of))
	}
	m.left = 0
	fmt.Fprint(m, "\n")
}

func (m *markdown) set(s *forecast.Set) {
	fmt.Fprintf(m, "#### PackageVariantSet %s\n\n%s.", cell(s.Name), setSummary(s))
	switch failure := s.Failure(); {
	case failure != "":
		fmt.Fprintf(m, " **%s**: %s", forecast.Fail, cell(failure))
	case s.Condition.Reason != "":
		fmt.Fprintf(m, " %s: %s", cell(s.Condition.Reason), cell(s.Condition.Message))
	}
	fmt.Fprint(m, "\n\n")
	if len(s.Waves) == 0 {
		return
	}
	fmt.Fprint(m, "| wave | state | targets | updated | reached | failed | |\n|---|---|---|---|---|---|---|\n")
	for _, w := range s.Waves {
		fmt.Fprintf(m, "| %s | %s | %d | %d | %d | %d | %s |\n", cell(w.Name), w.State, w.Targets, w.Updated, w.Reached,
			w.Failed, cell(w.Message))
	}
	fmt.Fprint(m, "\n")
}

// variants prints the variants of which something becomes, and how many stay as they are.
func (m *markdown) variants(plan *forecast.Plan) {
	if len(plan.Variants) == plan.Counts[forecast.Unchanged] {
		fmt.Fprintf(m, "Nothing changes in %s.\n\n", count(len(plan.Variants), "variant"))
		return
	}
	fmt.Fprint(m, "| action | variant | package | upstream | files | then |\n|---|---|---|---|---|---|\n")
	for i := range plan.Variants {
		v := &plan.Variants[i]
		if v.Action == forecast.Unchanged {
			continue
		}
		m.row("| **%s** | %s | %s | %s | %s | %s |\n", v.Action, cell(v.Name), cell(packageOf(v)),
			cell(upstreamOf(v)), filesOf(v), cell(thenOf(v)))
	}
	m.endTable("variant")
	if n := plan.Counts[forecast.Unchanged]; n > 0 {
		fmt.Fprintf(m, "Unchanged: %s.\n\n", count(n, "variant"))
	}
}

// diffOf returns the diffs of a draft, to unfold; "" if there are none.
func diffOf(v *forecast.Variant, d *forecast.Draft) string {
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
	return fmt.Sprintf("<details><summary>%s: %s, compared with %s</summary>\n\n%sdiff\n%s%s\n\n</details>\n\n", v.Name,
		d.Name, d.Compared, fence, all.String(), fence)
}
