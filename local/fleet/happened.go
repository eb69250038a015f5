// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/ledger"
)

// Package is what happened to a package.
type Package struct {
	Namespace string `json:"namespace"`
	// Package is the Repository and the path.
	Package string `json:"package"`
	// Found is what people did, Pushed what the sync has pushed.
	Found  []Happened `json:"found,omitempty"`
	Pushed []Happened `json:"pushed,omitempty"`
	// Text is what happened, for people.
	Text string `json:"text"`
}

// Happened is what became of a revision of a package.
type Happened struct {
	// Revision is its name; "" for the package as a whole.
	Revision string   `json:"revision,omitempty"`
	Did      home.Did `json:"did"`
	// Number is that of a revision that is published, or is to be.
	Number int `json:"number,omitempty"`
	// Branch was removed, and had the commit.
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Files are those that were merged otherwise than the draft had them.
	Files []string `json:"files,omitempty"`
	Why   string   `json:"why,omitempty"`
}

// events are what happened in a sync, by package, without repetitions.
type events map[ledger.Key][]home.Event

func (all events) add(some ...home.Event) {
	for _, e := range some {
		same := func(o home.Event) bool {
			return o.Did == e.Did && o.Workspace == e.Workspace && o.Number == e.Number && o.Branch == e.Branch
		}
		if !slices.ContainsFunc(all[e.Key], same) {
			all[e.Key] = append(all[e.Key], e)
		}
	}
}

// all returns those of one kind.
func (all events) all(did home.Did) (some []home.Event) {
	for _, key := range slices.SortedFunc(maps.Keys(all), ledger.Key.Compare) {
		for _, e := range all[key] {
			if e.Did == did {
				some = append(some, e)
			}
		}
	}
	return some
}

// packages returns what happened, by package.
func (all events) packages() (out []Package) {
	for _, key := range slices.SortedFunc(maps.Keys(all), ledger.Key.Compare) {
		p := Package{Namespace: key.Namespace, Package: key.Of().String(), Text: textOf(all[key])}
		for _, e := range all[key] {
			h := Happened{Did: e.Did, Number: e.Number, Branch: e.Branch, Commit: e.Commit, Files: e.Files, Why: e.Why}
			if e.Workspace != "" {
				h.Revision = e.Name()
			}
			if e.Did.IsPushed() {
				p.Pushed = append(p.Pushed, h)
			} else {
				p.Found = append(p.Found, h)
			}
		}
		out = append(out, p)
	}
	return out
}

// byDid are the events of a package by their kind.
type byDid map[home.Did][]home.Event

// find returns the event of a kind of a revision; nil if there is none.
func (of byDid) find(did home.Did, workspace string) *home.Event {
	if i := slices.IndexFunc(of[did], func(o home.Event) bool { return o.Workspace == workspace }); i >= 0 {
		return &of[did][i]
	}
	return nil
}

// textOf says what happened to a package. What is the usual consequence of something else that is said, is not said.
func textOf(all []home.Event) string {
	of := byDid{}
	for _, e := range all {
		of[e.Did] = append(of[e.Did], e)
	}
	published := map[string]bool{} // by workspace
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	for _, e := range of[home.Published] {
		published[e.Workspace] = true
		say("v%d published%s", e.Number, because(&e, of))
	}
	for _, e := range of[home.Arrived] {
		if !published[e.Workspace] {
			published[e.Workspace] = true
			say("v%d is to be published%s", e.Number, because(&e, of))
		}
	}
	for _, did := range []home.Did{home.Adopted, home.Merged, home.Rejected, home.TakenBack, home.BroughtUp,
		home.Overtaken, home.RemovalMerged, home.Drafted, home.Changed, home.Ended} {
		for _, e := range of[did] {
			if text := sentences[did](&e); !isImplied(&e, of, published) {
				say("%s", text)
			}
		}
	}
	return strings.Join(said, "; ")
}

// sentences say what became of a revision.
var sentences = map[home.Did]func(*home.Event) string{
	home.Adopted:   func(e *home.Event) string { return e.Why + " adopted it" },
	home.Merged:    func(e *home.Event) string { return e.Workspace + " was merged" + differing(e) },
	home.Rejected:  func(e *home.Event) string { return e.Workspace + " was rejected" },
	home.TakenBack: func(e *home.Event) string { return "the merge of " + e.Workspace + " was taken back" },
	home.BroughtUp: func(e *home.Event) string { return "what is published was merged into " + e.Workspace },
	home.Overtaken: func(e *home.Event) string {
		return "a person has to merge what is published into " + e.Workspace + ": " + e.Why
	},
	home.RemovalMerged: func(*home.Event) string { return "removed, as was merged" },
	home.Drafted:       func(e *home.Event) string { return e.Workspace + " drafted" },
	home.Changed:       func(e *home.Event) string { return e.Workspace + " changed" },
	home.Ended: func(e *home.Event) string {
		return "the branch " + e.Branch + " removed, which was at " + e.Commit
	},
}

// isImplied reports whether what became of a revision follows from something else that is said.
func isImplied(e *home.Event, of byDid, published map[string]bool) bool {
	also := func(did home.Did) bool { return of.find(did, e.Workspace) != nil }
	switch e.Did {
	case home.Adopted, home.Merged, home.Drafted:
		return published[e.Workspace]
	case home.Changed:
		return published[e.Workspace] || also(home.BroughtUp) || also(home.Drafted)
	case home.Ended:
		return published[e.Workspace] || also(home.Merged) || also(home.Rejected) || also(home.RemovalMerged)
	default:
		return false
	}
}

// because says why something is published, in brackets.
func because(e *home.Event, of byDid) string {
	arrived, merged, adopted := of.find(home.Arrived, e.Workspace), of.find(home.Merged, e.Workspace),
		of.find(home.Adopted, e.Workspace)
	switch {
	case adopted != nil:
		return " (the main branch has it, and " + adopted.Why + " adopted it)"
	case merged != nil:
		return " (" + sentences[home.Merged](merged) + ")"
	case arrived != nil && arrived.Again:
		return " again (its tag was gone)"
	case arrived != nil && arrived.Back:
		return " (the main branch has what was before it again)"
	case arrived != nil:
		return " (the main branch has changed)"
	default:
		return " (" + e.Workspace + ")"
	}
}

// differing names the files that were merged otherwise than the draft had them.
func differing(e *home.Event) string {
	if len(e.Files) == 0 {
		return ""
	}
	return ", with a person's changes in " + words.Some(e.Files, ", ")
}
