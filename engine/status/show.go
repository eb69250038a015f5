// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/package-variants/package-variants/engine/page"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Formats are the formats in the order of the help.
var Formats = []string{"text", "json", "html"}

// Long says in the help of the commands what the words and the JSON mean.
const Long = `A package is stalled (only a person helps), conflicted (its draft has values that both sides changed),
unmet (something is to be injected into it, and is not), draft (its draft waits to be published), held (its wave is not
open), working, suspended, behind (its PackageVariant asks for an older revision than the newest), or newest.

The JSON has time; counts by state; sets with namespace, name, state, reason, message, since and waves, of which each
has name, state, since, message, targets, reached and failed; packages with namespace, variant, set, wave, repository,
package, state, published, upstream, newest, waits (for, reason, message, since, draft, branch), conflicts (as in the
status of a PackageVariant) and injection; and notes. A field that says nothing is left out.`

// CheckFormat returns an error for what is none of the formats.
func CheckFormat(format string) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("--output %q is none of %s", format, strings.Join(Formats, ", "))
	}
	return nil
}

// Print prints a status in a format. What people read is made visible in it, too.
func (s *Status) Print(w io.Writer, format string) error {
	if format == "json" {
		return visible.JSON(w, s)
	}
	if visible.All(s); format == "html" {
		return s.html(w)
	}
	return s.text(w)
}

// titles returns what packages are called, with the namespace if there are several.
func (s *Status) titles() []string {
	namespaces, titles := map[string]bool{}, make([]string, len(s.Packages))
	for i := range s.Packages {
		namespaces[s.Packages[i].Namespace] = true
	}
	for i := range s.Packages {
		p := &s.Packages[i]
		if titles[i] = cmp.Or(strings.Trim(p.Repository+"/"+p.Package, "/"), p.Variant); len(namespaces) > 1 {
			titles[i] = p.Namespace + "/" + titles[i]
		}
	}
	return titles
}

// Summary counts the packages in each state.
func (s *Status) Summary() string {
	var parts []string
	for _, state := range States {
		if n := s.Counts[state]; n > 0 {
			parts = append(parts, words.Number(n)+" "+string(state))
		}
	}
	return words.Count(len(s.Packages), "package") + ": " + cmp.Or(strings.Join(parts, ", "), "none")
}

// text prints sets with their waves, and a line for each package.
func (s *Status) text(w io.Writer) error {
	var out strings.Builder
	titles := s.titles()
	for i := range s.Sets {
		s.setText(&out, &s.Sets[i])
	}
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	if len(s.Packages) > 0 {
		fmt.Fprintln(table, "PACKAGE\tSET\tWAVE\tSTATE\tPUBLISHED\tFROM\tNEWEST\tWAITS FOR\tSINCE\tDRAFT")
	}
	for i := range s.Packages {
		p := &s.Packages[i]
		wait := p.wait()
		fmt.Fprintln(table, strings.Join([]string{cell(titles[i]), cell(p.Set), cell(p.Wave), cell(string(p.State)),
			cell(p.Published), cell(p.Upstream), cell(p.Newest), cell(wait.what()), cell(age(wait.Since, s.Time.Time)),
			cell(cmp.Or(wait.Branch, wait.Draft))}, "\t"))
	}
	_ = table.Flush() // it writes to memory
	for i := range s.Packages {
		for _, line := range s.Packages[i].more() {
			fmt.Fprintln(&out, visible.Line(titles[i]+": "+line))
		}
	}
	fmt.Fprintln(&out, s.Summary())
	for _, note := range s.Notes {
		fmt.Fprintln(&out, "Note: "+visible.Line(note))
	}
	for line := range strings.Lines(out.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// setText prints where a set stands.
func (s *Status) setText(out *strings.Builder, set *Set) {
	fmt.Fprintln(out, visible.Line(fmt.Sprintf("PackageVariantSet %s: %s", set.Name, set.stand())))
	if len(set.Waves) > 0 {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  WAVE\tSTATE\tREACHED\tSINCE\tMESSAGE")
		for _, w := range set.Waves {
			fmt.Fprintf(table, "  %s\t%s\t%d of %d\t%s\t%s\n", cell(w.Name), cell(w.State), w.Reached, w.Targets,
				age(&w.Since, s.Time.Time), visible.Line(w.Message))
		}
		_ = table.Flush() // it writes to memory
	}
	fmt.Fprintln(out)
}

// stand says where a set stands.
func (s *Set) stand() string {
	out := cmp.Or(s.Reason, s.State)
	if s.Message != "" {
		out += ": " + s.Message
	}
	return out
}

// wait returns what a package waits for; nothing if it does not.
func (p *Package) wait() Wait {
	if p.Waits == nil {
		return Wait{}
	}
	return *p.Waits
}

// what says for whom or what something waits, and why.
func (w *Wait) what() string {
	if w.For == "" || w.Reason == "" {
		return w.For
	}
	return w.For + " (" + w.Reason + ")"
}

// more returns what a person has to know of a package beside its line.
func (p *Package) more() (lines []string) {
	for i := range p.Conflicts {
		lines = append(lines, "conflict: "+p.Conflicts[i].Place()+": "+p.Conflicts[i].Sides())
	}
	if p.Injection != "" {
		lines = append(lines, p.Injection)
	}
	if w := p.Waits; w != nil && w.Message != "" && (p.State == Stalled || p.State == Working || p.State == Suspended) {
		lines = append(lines, w.Message)
	}
	return lines
}

// cell returns a text as a cell of a table; "-" if there is none.
func cell(text string) string { return cmp.Or(visible.Line(text), "-") }

// age returns how long something is so; "" if that is not known.
func age(since *metav1.Time, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(now.Sub(since.Time), 0))
}

// tones are the tones of the states.
var tones = map[State]page.Tone{Stalled: page.Bad, Conflicted: page.Bad, Unmet: page.Bad, Draft: page.Wait,
	Held: page.Quiet, Working: page.Change, Suspended: page.Quiet, Behind: page.Change, Newest: page.Good}

// html prints the page of the fleet: a grid of waves and packages, and a tree with all that is known of each.
func (s *Status) html(w io.Writer) error {
	p := &page.Page{Title: "Where the fleet stands", Summary: s.Summary(), Notes: s.Notes,
		About: "As of " + s.Time.UTC().Format("2006-01-02 15:04 UTC") + "."}
	for _, state := range States {
		if n := s.Counts[state]; n > 0 {
			p.Counts = append(p.Counts, page.Count{State: string(state), Tone: tones[state], N: n})
		}
	}
	t := tree{page: p, nodes: map[[3]string]*page.Node{}, rows: map[*page.Node]*page.Row{}}
	for i := range s.Sets {
		t.addSet(&s.Sets[i])
	}
	for i, title := range s.titles() {
		t.add(title, &s.Packages[i], s.Time.Time)
	}
	return page.Write(w, p)
}

// tree is the fleet by set, wave and package.
type tree struct {
	page *page.Page
	// nodes are those of sets and waves, rows what stands of them in the grid.
	nodes map[[3]string]*page.Node
	rows  map[*page.Node]*page.Row
	alone *page.Node
}

// addSet adds a set with its waves.
func (t *tree) addSet(set *Set) {
	tone := map[string]page.Tone{"Ready": page.Good, "Stalled": page.Bad}[set.State]
	n := &page.Node{Kind: "PackageVariantSet", Name: set.Name, State: cmp.Or(set.Reason, set.State),
		Tone: cmp.Or(tone, page.Wait), Message: set.Message}
	t.page.Roots, t.nodes[[3]string{set.Namespace, set.Name}] = append(t.page.Roots, n), n
	for i := range set.Waves {
		w := &set.Waves[i]
		child := &page.Node{Kind: "wave", Name: w.Name, State: w.State, Tone: page.WaveTone(w.State), Done: w.Reached,
			Of: w.Targets, Message: w.Message}
		n.Children, t.nodes[[3]string{set.Namespace, set.Name, w.Name}] = append(n.Children, child), child
		t.row(child, set.Name+", "+w.Name)
	}
}

// row returns the row of the grid for a set, a wave, or what is in none.
func (t *tree) row(of *page.Node, name string) *page.Row {
	if t.rows[of] == nil {
		t.rows[of] = &page.Row{Name: name, State: of.State, Tone: of.Tone}
		t.page.Grid = append(t.page.Grid, t.rows[of])
	}
	return t.rows[of]
}

// add adds a package to its wave, or to its set, or to those without a set.
func (t *tree) add(title string, p *Package, now time.Time) {
	parent, row := t.nodes[[3]string{p.Namespace, p.Set, p.Wave}], p.Set+", "+p.Wave
	if parent == nil || p.Wave == "" {
		parent, row = t.nodes[[3]string{p.Namespace, p.Set}], p.Set
	}
	if parent == nil {
		if t.alone == nil {
			t.alone = &page.Node{Name: "without a set"}
			t.page.Roots = append(t.page.Roots, t.alone)
		}
		parent, row = t.alone, t.alone.Name
	}
	wait := p.wait()
	n := &page.Node{Kind: "PackageVariant", Name: title, Detail: p.Variant, State: string(p.State),
		Tone: tones[p.State], Reason: p.versions(), Steps: p.more()}
	if wait.For != "" {
		n.Message = "waits for " + wait.what()
		if since := age(wait.Since, now); since != "" {
			n.Message += " for " + since
		}
		if branch := cmp.Or(wait.Branch, wait.Draft); branch != "" {
			n.Message += ": " + branch
		}
	}
	parent.Children = append(parent.Children, n)
	in := t.row(parent, row)
	in.Cells = append(in.Cells, n)
}

// versions says what is published of a package, and what its blueprint has.
func (p *Package) versions() string {
	out := cmp.Or(p.Published, "not published")
	if p.Upstream != "" {
		out += " on " + p.Upstream
	}
	if p.Newest != "" && p.Newest != p.Upstream {
		out += ", newest " + p.Newest
	}
	return out
}
