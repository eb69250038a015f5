// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/package-variants/package-variants/engine/visible"
	"k8s.io/apimachinery/pkg/util/duration"
)

// longest is how many characters of a message a line shows; -o wide shows all.
const longest = 90

// Printer writes trees. Ages are relative to now.
type Printer func(w io.Writer, trees []*Node, now time.Time) error

// Printers are the formats by their names.
var Printers = map[string]Printer{
	"text": shown(func(w io.Writer, trees []*Node, now time.Time) error { return printText(w, trees, now, longest) }),
	"wide": shown(func(w io.Writer, trees []*Node, now time.Time) error { return printText(w, trees, now, 0) }),
	"json": printJSON, // for programs
	"dot":  shown(printDot),
}

// shown returns a printer for people.
func shown(p Printer) Printer {
	return func(w io.Writer, trees []*Node, now time.Time) error {
		visible.All(&trees)
		return p(w, trees, now)
	}
}

func printJSON(w io.Writer, trees []*Node, _ time.Time) error {
	return visible.JSON(w, trees)
}

var header = []string{"OBJECT", "REVISION", "STATE", "REASON", "AGE", "MESSAGE"}

// printText writes a table whose first column is the tree. Messages are cut after that many characters, unless cut is
// 0.
func printText(w io.Writer, trees []*Node, now time.Time, cut int) error {
	rows := [][]string{header}
	for _, tree := range trees {
		rows = append(rows, tree.rows(now, "", "", cut)...)
	}
	widths := make([]int, len(header))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+3))
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the rows for a node and all nodes below it. first stands before its own name, rest before those below.
func (n *Node) rows(now time.Time, first, rest string, cut int) [][]string {
	rows := [][]string{{first + n.Kind + " " + visible.Line(n.Name), orDash(n.Revision), visible.Line(n.State),
		orDash(n.Reason), n.age(now), shortened(n.Message, cut)}}
	for i, child := range n.Children {
		if i == len(n.Children)-1 {
			rows = append(rows, child.rows(now, rest+"└─ ", rest+"   ", cut)...)
		} else {
			rows = append(rows, child.rows(now, rest+"├─ ", rest+"│  ", cut)...)
		}
	}
	return rows
}

// orDash returns a text on one line; "-" if there is none.
func orDash(text string) string { return cmp.Or(visible.Line(text), "-") }

// age returns how long the node has been in its state.
func (n *Node) age(now time.Time) string {
	if n.Since.IsZero() {
		return "-"
	}
	return duration.HumanDuration(max(now.Sub(n.Since.Time), 0))
}

func shortened(text string, cut int) string {
	text = visible.Line(text)
	if runes := []rune(text); cut > 0 && len(runes) > cut {
		return string(runes[:cut-3]) + "..."
	}
	return text
}

// colour returns the colour of a state in the graph: green for what is well, red for what needs a person, grey for what
// is suspended, blue for what waits, and otherwise amber for what is under way.
func colour(state string) string {
	switch state {
	case "Ready", "Published", "Complete", stateBranch:
		return "#2e7d32"
	case "Stalled", "NotFound", "Unpublished":
		return "#c62828"
	case stateSuspended:
		return "#616161"
	case "AwaitingApproval", "Proposed", "Soaking", statePending:
		return "#1565c0"
	}
	return "#b26a00"
}

// printDot writes the trees as a directed graph for Graphviz.
func printDot(w io.Writer, trees []*Node, now time.Time) error {
	var out strings.Builder
	out.WriteString("digraph variants {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n")
	count := 0
	for _, tree := range trees {
		tree.dot(&out, now, &count)
	}
	out.WriteString("}\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// dot writes a node and all below it, and returns its identifier.
func (n *Node) dot(out *strings.Builder, now time.Time, count *int) string {
	id := fmt.Sprintf("n%d", *count)
	*count++
	name, state := n.Name+" "+n.Revision, n.State
	if n.Reason != "" {
		state += ", " + n.Reason
	}
	if age := n.age(now); age != "-" {
		state += ", " + age
	}
	fmt.Fprintf(out, "  %s [label=%s, color=%q, tooltip=%s];\n", id, dotText(n.Kind, name, state), colour(n.State),
		dotText(strings.Split(n.Message, "\n")...))
	for _, child := range n.Children {
		fmt.Fprintf(out, "  %s -> %s;\n", id, child.dot(out, now, count))
	}
	return id
}

// dotText quotes lines of text as Graphviz reads them: it resolves the entities of HTML in them, too
// (https://graphviz.org/docs/attr-types/escString and https://graphviz.org/doc/char.html).
func dotText(lines ...string) string {
	for i, line := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(visible.Line(line))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
