// SPDX-License-Identifier: Apache-2.0

package changes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/krm"
)

// How many names of packages, of files and values of a name are told.
const (
	mostNames  = 2
	mostFiles  = 3
	mostValues = 5
	// mostInComment is how many names a comment has, and mostText how many bytes of lines.
	mostInComment, mostText = 40, 3000
)

// Packages returns how many packages have any of some changes.
func Packages(all []*Change) int {
	names := map[string]bool{}
	for _, c := range all {
		for _, name := range c.Packages {
			names[name] = true
		}
	}
	return len(names)
}

// Summary counts changes and conflicts, and the packages that have them.
func Summary(all []*Change) string {
	conflicts := 0
	for _, c := range all {
		if c.Conflict {
			conflicts++
		}
	}
	out := words.Count(Packages(all), "package") + ", " + words.Count(len(all)-conflicts, "change")
	if conflicts > 0 {
		out += ", " + words.Count(conflicts, "conflict")
	}
	return out
}

// Text returns the lines that tell changes on a terminal: what they are, who has them, and their lines, which begin
// with two blanks; nothing in them is hidden. names asks for the names of all packages.
func Text(all []*Change, names bool) []string {
	most, of := mostNames, Packages(all)
	if names {
		most = of
	}
	out := []string{Summary(all), ""}
	for i, title := range titles(all) {
		c := all[i]
		out = append(out, title+"  "+visible.Line(c.who(of, most)))
		for _, line := range c.Lines {
			out = append(out, "  "+krm.Visible(strings.ReplaceAll(line, "\n", " ")))
		}
		for _, line := range c.Told() {
			out = append(out, "  "+visible.Line(line))
		}
	}
	return out
}

// titles returns what changes are called: those that are no conflicts have numbers.
func titles(all []*Change) (titles []string) {
	n := 0
	for _, c := range all {
		if c.Conflict {
			titles = append(titles, "CONFLICT")
			continue
		}
		n++
		titles = append(titles, fmt.Sprintf("CHANGE %d", n))
	}
	return titles
}

// who says which packages have a change, and in which files.
func (c *Change) who(of, most int) string {
	out := words.Number(len(c.Packages)) + ": " + words.First(c.Packages, most, ", ")
	if len(c.Packages) == of && of > most {
		out = "all " + words.Number(of)
	} else if len(c.Packages) > most {
		out += " (--names)"
	}
	if !c.Conflict {
		out += ", in " + c.InFiles()
	}
	return out
}

// InFiles names the files of a change, or counts them.
func (c *Change) InFiles() string {
	n := len(c.Files)
	switch {
	case n == 1:
		return c.Files[0]
	case n <= mostFiles:
		return words.Count(n, "file") + " (" + strings.Join(c.Files, ", ") + ")"
	}
	return fmt.Sprintf("%s (%s ... %s)", words.Count(n, "file"), strings.Join(c.Files[:mostFiles-1], ", "), c.Files[n-1])
}

// Told returns what the names in the lines of a change stand for: the values that most packages have, or one if each
// has another.
func (c *Change) Told() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		values := slices.SortedFunc(maps.Keys(c.Values[name]), func(a, b string) int {
			return cmp.Or(c.Values[name][b]-c.Values[name][a], strings.Compare(a, b))
		})
		if len(values) > mostValues && c.Values[name][values[0]] == 1 {
			lines = append(lines, fmt.Sprintf("‹%s›: %s, such as %s", name, words.Count(len(values), "value"), values[0]))
			continue
		}
		var told []string
		for _, value := range values[:min(len(values), mostValues)] {
			told = append(told, value+" "+words.Number(c.Values[name][value]))
		}
		if more := len(values) - mostValues; more > 0 {
			told = append(told, "and "+words.Count(more, "other value"))
		}
		lines = append(lines, "‹"+name+"›: "+strings.Join(told, ", "))
	}
	return lines
}

// Markdown returns what tells each of some changes in a comment, conflicts at once and others to unfold. How long one
// is, is bounded.
func Markdown(all []*Change) (out []string) {
	of := Packages(all)
	for i, title := range titles(all) {
		c := all[i]
		title = title[:1] + strings.ToLower(title[1:])
		packages := markdown.Element(words.First(c.Packages, mostInComment, ", "))
		if len(c.Packages) == of && of > mostNames {
			packages = "all " + words.Number(of) + " packages"
		}
		text := markdown.Block("diff", markdown.Cut(strings.Join(slices.Concat(c.Lines, c.Told()), "\n"), mostText))
		if c.Conflict {
			out = append(out, fmt.Sprintf("%s of %s:\n\n%s\n", title, packages, text))
			continue
		}
		out = append(out, fmt.Sprintf("<details><summary>%s of %s, in %s</summary>\n\n%s\n</details>\n\n",
			title, packages, markdown.Element(c.InFiles()), text))
	}
	return out
}
