// SPDX-License-Identifier: Apache-2.0

// Package page writes the page that shows a fleet as a tree: one file, which makes no network requests. Commands pass
// the content as values; all of it is text, never markup.
package page

import (
	"crypto/sha256"
	_ "embed" // of what the page is made of
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/package-variants/package-variants/engine/visible"
)

// Tone is the kind of a state, for its colour; a word names the state itself.
type Tone string

// The tones.
const (
	// Good is done, or as intended.
	Good Tone = "good"
	// New is about to be created.
	New Tone = "new"
	// Change is changed, or in progress.
	Change Tone = "change"
	// Wait waits for a person or for something else.
	Wait Tone = "wait"
	// Bad fails, goes away, or needs a person.
	Bad Tone = "bad"
	// Quiet needs no attention.
	Quiet Tone = "quiet"
)

// Page is the content of a page.
type Page struct {
	// Title is at the top, Summary sums it all up in a sentence, About says what it is about and when it was made; Notes
	// are further remarks.
	Title, Summary, About string
	Notes                 []string
	// First are the objects that need attention first, grouped by what happens to them. They are nodes of Roots.
	First []Group
	// Counts are how many targets are in each state, in display order. The search can show the targets of one state.
	Counts []Count
	// Grid has the fleet at a glance, a row for each wave.
	Grid []*Row
	// Differences are the distinct changes of packages, conflicts first.
	Differences []*Difference
	Roots       []*Node
}

// Row is a row of the grid. Its cells are nodes of Roots.
type Row struct {
	Name, State string
	Tone        Tone
	Cells       []*Node
}

// Difference is what is different in one or more packages, or a conflict that they have.
type Difference struct {
	Conflict bool
	// Where says where it is, Values what the names in its lines stand for. A line that begins with "- " goes, one that
	// begins with "+ " comes.
	Where         string
	Lines, Values []string
	// Nodes are those that have it. They are nodes of Roots.
	Nodes []*Node

	// ID and Title identify the change on the page. Write sets them.
	ID, Title string
}

// Count is how many targets are in a state.
type Count struct {
	State string
	Tone  Tone
	N     int
}

// Group has the nodes to which the same happens.
type Group struct {
	State string
	Tone  Tone
	Nodes []*Node
}

// Node is an object of the tree.
type Node struct {
	// Kind and Name identify the object; Detail is shown beside the name.
	Kind, Name, Detail string
	// State is a word, Reason details it. Message is a sentence.
	State           string
	Tone            Tone
	Reason, Message string
	// Done and Of are how many targets of a wave are done, of how many; they are hidden if Of is 0.
	Done, Of int
	// Steps are what happens to it, in order.
	Steps    []string
	Drafts   []Draft
	Children []*Node

	// ID identifies the node on the page, Differences are those that it has, and Conflicts how many of them are. Write
	// sets them.
	ID          string
	Differences []*Difference
	Conflicts   int
}

// Draft is a package revision whose files change.
type Draft struct {
	// Lifecycle may be empty.
	Name, Lifecycle string
	// Compared is what the files are compared with, Total how many files there are.
	Compared string
	Total    int
	Files    []File
}

// File is a file that changes.
type File struct {
	// Change is added, removed or changed.
	Path, Change string
}

//go:embed page.html
var markup string

//go:embed page.css
var style string

//go:embed page.js
var script string

var parsed = template.Must(template.New("page").Funcs(template.FuncMap{
	"class": class, "tone": tone, "change": changeOf,
}).Parse(markup))

// Write writes a page, with the control characters of all texts made visible. The same page gives the same output.
func Write(w io.Writer, p *Page) error {
	visible.All(p)
	data := struct {
		*Page
		Style     template.CSS
		Script    template.JS
		StyleSum  string
		ScriptSum string
		Bars      any
	}{
		Page: p, Bars: bars(p.Counts), StyleSum: sum(style), ScriptSum: sum(script),
		Style: template.CSS(style), Script: template.JS(script), //nolint:gosec // they are the page's own
	}
	number(p.Roots, new(int))
	p.titleDifferences()
	if err := parsed.Execute(w, data); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	return nil
}

// sum returns the hash by which a browser accepts the page's own style or script, and no other.
func sum(text string) string {
	all := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(all[:])
}

// number gives each node its ID.
func number(nodes []*Node, count *int) {
	for _, n := range nodes {
		*count++
		n.ID = fmt.Sprintf("n%d", *count)
		number(n.Children, count)
	}
}

// titleDifferences gives each difference its ID and its title, and tells its nodes.
func (p *Page) titleDifferences() {
	counts := map[bool]int{}
	for _, c := range p.Differences {
		counts[c.Conflict]++
		kind := "change"
		if c.Conflict {
			kind = "conflict"
		}
		c.ID, c.Title = fmt.Sprintf("%s%d", kind, counts[c.Conflict]), fmt.Sprintf("%s %d", kind, counts[c.Conflict])
		for _, n := range c.Nodes {
			if n.Differences = append(n.Differences, c); c.Conflict {
				n.Conflicts++
			}
		}
	}
}

// Conflicts are the differences that are conflicts.
func (p *Page) Conflicts() []*Difference { return p.only(true) }

// Changes are the differences that are no conflicts.
func (p *Page) Changes() []*Difference { return p.only(false) }

func (p *Page) only(conflicts bool) (some []*Difference) {
	for _, c := range p.Differences {
		if c.Conflict == conflicts {
			some = append(some, c)
		}
	}
	return some
}

// Names are the names of all nodes, for the search.
func (c *Difference) Names() string {
	var names []string
	for _, n := range c.Nodes {
		names = append(names, n.Name, n.Detail)
	}
	return strings.Join(names, " ")
}

// States are the states of the nodes, each between blanks.
func (c *Difference) States() string {
	states := " "
	for _, n := range c.Nodes {
		if !strings.Contains(states, " "+n.State+" ") {
			states += n.State + " "
		}
	}
	return states
}
