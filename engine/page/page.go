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
	Roots  []*Node
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
	Steps     []string
	Drafts    []Draft
	Conflicts []Conflict
	Children  []*Node

	// ID identifies the node on the page. Write sets it.
	ID string
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
	// Diff is a unified diff; empty where there is none.
	Diff string

	// First is the node that shows an equal diff of this file before, and Others are those that have it, too. Write sets
	// them.
	First  *Node
	Others []*Node
}

// Conflict is a value that the upstream and the package both changed.
type Conflict struct {
	Where, Original, Local, Updated string
	// Taken is the side that is in the draft, as v1alpha1.Conflict has it.
	Taken string
}

//go:embed page.html
var markup string

//go:embed page.css
var style string

//go:embed page.js
var script string

var parsed = template.Must(template.New("page").Funcs(template.FuncMap{
	"lines": lines, "tally": tally, "percent": percent, "tone": tone, "change": changeOf,
	"winner": Winner,
}).Parse(markup))

// Write writes a page, with the control characters of all texts made visible. The same page gives the same output.
func Write(w io.Writer, p *Page) error {
	visible.All(p)
	data := struct {
		*Page
		Style            template.CSS
		Script           template.JS
		StyleSum         string
		ScriptSum        string
		Conflicted, Bars any
	}{
		Page: p, Bars: bars(p.Counts), StyleSum: sum(style), ScriptSum: sum(script),
		Style: template.CSS(style), Script: template.JS(script), //nolint:gosec // they are the page's own
	}
	number(p.Roots, new(int))
	data.Conflicted = conflicts(p.Roots)
	alike(p.Roots, map[[2]string]*File{}, map[*File]*Node{})
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

// conflicted is a conflict with the nodes that have it.
type conflicted struct {
	Conflict
	Nodes []*Node
}

// Names are the names of all nodes, for the search.
func (c *conflicted) Names() string {
	var names []string
	for _, n := range c.Nodes {
		names = append(names, n.Name, n.Detail)
	}
	return strings.Join(names, " ")
}

// States are the states of the nodes, each between blanks.
func (c *conflicted) States() string {
	states := " "
	for _, n := range c.Nodes {
		if !strings.Contains(states, " "+n.State+" ") {
			states += n.State + " "
		}
	}
	return states
}

// conflicts returns the conflicts of nodes and of all below them, equal ones once, in the order of the tree.
func conflicts(nodes []*Node) []*conflicted {
	var out []*conflicted
	met := map[Conflict]*conflicted{}
	var walk func([]*Node)
	walk = func(nodes []*Node) {
		for _, n := range nodes {
			for _, c := range n.Conflicts {
				if met[c] == nil {
					met[c] = &conflicted{Conflict: c}
					out = append(out, met[c])
				}
				met[c].Nodes = append(met[c].Nodes, n)
			}
			walk(n.Children)
		}
	}
	walk(nodes)
	return out
}

// alike finds the equal diffs of a file in nodes and in all below them: the first is shown, and names the others. first
// has the files that are shown, by path and diff, and of has their nodes.
func alike(nodes []*Node, first map[[2]string]*File, of map[*File]*Node) {
	for _, n := range nodes {
		for i := range n.Drafts {
			for j := range n.Drafts[i].Files {
				f := &n.Drafts[i].Files[j]
				switch same := first[[2]string{f.Path, f.Diff}]; {
				case f.Diff == "":
				case same == nil:
					first[[2]string{f.Path, f.Diff}], of[f] = f, n
				default:
					f.First, same.Others = of[same], append(same.Others, n)
				}
			}
		}
		alike(n.Children, first, of)
	}
}
