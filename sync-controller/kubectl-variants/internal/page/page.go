// SPDX-License-Identifier: Apache-2.0

// Package page writes the page that shows a fleet as a tree: one file, which asks no network for anything. What a
// command has to show it gives as values; all of it is text, never markup.
package page

import (
	"crypto/sha256"
	_ "embed" // of what the page is made of
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/visible"
)

// Tone is what kind of state a state is, for its colour: the word says which one.
type Tone string

// The tones.
const (
	// Good is done, or as it is meant to be.
	Good Tone = "good"
	// New comes into being.
	New Tone = "new"
	// Change is changed, or under way.
	Change Tone = "change"
	// Wait waits for somebody or something.
	Wait Tone = "wait"
	// Bad fails, goes away, or needs a person.
	Bad Tone = "bad"
	// Quiet needs nobody.
	Quiet Tone = "quiet"
)

// Page is what a page shows.
type Page struct {
	// Title stands above all, Summary says all in a sentence, Notes say what is to be known besides.
	Title, Summary string
	Notes          []string
	// Counts are how many targets are in each state, in the order in which they are told. The search shows those of one.
	Counts []Count
	Roots  []*Node
}

// Count is how many targets are in a state.
type Count struct {
	State string
	Tone  Tone
	N     int
}

// Node is an object of the tree.
type Node struct {
	// Kind and Name say which object it is; Detail stands beside the name.
	Kind, Name, Detail string
	// State is a word, Reason says more of it, Age for how long it has been so. Message is a sentence.
	State                string
	Tone                 Tone
	Reason, Age, Message string
	// Done and Of are how many targets of a wave are there; nothing is shown where Of is 0.
	Done, Of int
	// Steps are what happens to it, in order.
	Steps     []string
	Drafts    []Draft
	Conflicts []Conflict
	Children  []*Node

	// ID identifies the node on the page; it is set by Write.
	ID string
}

// Draft is a package revision whose files change.
type Draft struct {
	Name string
	// Compared is what the files are compared with, Total how many there are.
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
}).Parse(markup))

// Write writes a page, of which it makes all texts visible. The same page is the same text.
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
	data.Conflicted = conflicted(p.Roots)
	if err := parsed.Execute(w, data); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	return nil
}

// sum returns what tells a browser that a style or a script is the page's own, so that it takes no other.
func sum(text string) string {
	all := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(all[:])
}

// number gives each node its identifier.
func number(nodes []*Node, count *int) {
	for _, n := range nodes {
		*count++
		n.ID = fmt.Sprintf("n%d", *count)
		number(n.Children, count)
	}
}

// conflicted returns the nodes with conflicts, in the order of the tree.
func conflicted(nodes []*Node) []*Node {
	var out []*Node
	for _, n := range nodes {
		if len(n.Conflicts) > 0 {
			out = append(out, n)
		}
		out = append(out, conflicted(n.Children)...)
	}
	return out
}
