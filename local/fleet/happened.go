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

// saying is what is said of the events of a kind, unless the same revision has one of those by which it goes without
// saying.
type saying struct {
	did    home.Did
	text   func(*home.Event, byDid) string
	unless []home.Did
}

// sayings are in the order in which they are said.
var sayings = []saying{
	{home.Published, func(e *home.Event, of byDid) string {
		return fmt.Sprintf("v%d published%s", e.Number, because(e, of))
	}, nil},
	{home.Arrived, func(e *home.Event, of byDid) string {
		return fmt.Sprintf("v%d is to be published%s", e.Number, because(e, of))
	}, []home.Did{home.Published}},
	{home.Adopted, func(e *home.Event, _ byDid) string { return e.Why + " adopted it" }, isPublished},
	{home.Merged, func(e *home.Event, _ byDid) string { return merged(e) }, isPublished},
	{home.Rejected, func(e *home.Event, _ byDid) string { return e.Workspace + " was rejected" }, nil},
	{home.TakenBack, func(e *home.Event, _ byDid) string {
		return "the merge of " + e.Workspace + " was taken back"
	}, nil},
	{home.BroughtUp, func(e *home.Event, _ byDid) string {
		return "what is published was merged into " + e.Workspace
	}, nil},
	{home.Overtaken, func(e *home.Event, _ byDid) string {
		return "a person has to merge what is published into " + e.Workspace + ": " + e.Why
	}, nil},
	{home.RemovalMerged, func(*home.Event, byDid) string { return "removed, as was merged" }, nil},
	{home.Drafted, func(e *home.Event, _ byDid) string { return e.Workspace + " drafted" }, isPublished},
	{home.Changed, func(e *home.Event, _ byDid) string { return e.Workspace + " changed" },
		append([]home.Did{home.BroughtUp, home.Drafted}, isPublished...)},
	{home.Ended, func(e *home.Event, _ byDid) string {
		return "the branch " + e.Branch + " removed, which was at " + e.Commit
	}, isSettled},
}

// isSettled are the events by which the branch of a revision goes without saying.
var isSettled = append([]home.Did{home.Merged, home.Rejected, home.RemovalMerged}, isPublished...)

// isPublished are the events that say of a revision that it is published, or is to be.
var isPublished = []home.Did{home.Published, home.Arrived}

// textOf says what happened to a package.
func textOf(all []home.Event) string {
	of := byDid{}
	for _, e := range all {
		of[e.Did] = append(of[e.Did], e)
	}
	var said []string
	for _, s := range sayings {
		for _, e := range of[s.did] {
			also := func(did home.Did) bool { return of.find(did, e.Workspace) != nil }
			if !slices.ContainsFunc(s.unless, also) {
				said = append(said, s.text(&e, of))
			}
		}
	}
	return strings.Join(said, "; ")
}

// because says why something is published, in brackets.
func because(e *home.Event, of byDid) string {
	if adopted := of.find(home.Adopted, e.Workspace); adopted != nil {
		return " (the main branch has it, and " + adopted.Why + " adopted it)"
	}
	if m := of.find(home.Merged, e.Workspace); m != nil {
		return " (" + merged(m) + ")"
	}
	switch arrived := of.find(home.Arrived, e.Workspace); {
	case arrived == nil:
		return " (" + e.Workspace + ")"
	case arrived.Again:
		return " again (its tag was gone)"
	case arrived.Unmoved:
		return " (a tag has something else than the main branch)"
	case arrived.Back:
		return " (the main branch has what was before it again)"
	default:
		return " (the main branch has changed)"
	}
}

// merged says that a draft was merged, and names the files that were merged otherwise than the draft had them.
func merged(e *home.Event) string {
	text := e.Workspace + " was merged"
	if len(e.Files) > 0 {
		text += ", with a person's changes in " + words.Some(e.Files, ", ")
	}
	return text
}
