// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// Did is what became of a revision of a package.
type Did string

// What Settle finds that people did.
const (
	// Arrived: the main branch has something else of the package than was published last, and it gets the next number.
	Arrived Did = "Arrived"
	// Merged: the main branch has the draft.
	Merged Did = "Merged"
	// Rejected: the branch of the draft was removed without a merge, or reset.
	Rejected Did = "Rejected"
	// TakenBack: the draft was merged, and the merge was taken back before it was seen.
	TakenBack Did = "TakenBack"
	// BroughtUp: what is newer on the main branch was merged into the draft.
	BroughtUp Did = "BroughtUp"
	// Overtaken: a person has to do that.
	Overtaken Did = "Overtaken"
	// MadeByPorch: Porch has made the draft, of a package that a variant of the fleet owns.
	MadeByPorch Did = "MadeByPorch"
	// Adopted: a variant took over what the main branch has. Claim says so.
	Adopted Did = "Adopted"
	// RemovalMerged: the main branch has the package no more, as was asked for.
	RemovalMerged Did = "RemovalMerged"
)

// What Push has pushed.
const (
	// Drafted, Changed: the branch of the draft was made, or is another one.
	Drafted Did = "Drafted"
	Changed Did = "Changed"
	// Published: the revision got its tag.
	Published Did = "Published"
	// Ended: the branch of a draft or of a removal was removed.
	Ended Did = "Ended"
)

// IsPushed reports whether Push did it.
func (d Did) IsPushed() bool { return d == Drafted || d == Changed || d == Published || d == Ended }

// Event is what became of a revision of a package.
type Event struct {
	ledger.Key
	Did Did
	// Workspace is that of the revision; "" for a package. Number is that of one that is published, or is to be.
	Workspace string
	Number    int
	// Back reports whether it takes back what was published before it, Again whether it had been published, and its tag
	// was gone, Unmoved whether the branch is as it was published, and a tag has something else.
	Back, Again, Unmoved bool
	// Branch and Commit are what was removed.
	Branch, Commit string
	// Files are those that were merged otherwise than the draft had them.
	Files []string
	// Why says what a person has to do, or names the variant that adopted the package.
	Why string
}

// Name returns the name of the revision, or of the package.
func (e *Event) Name() string {
	if e.Workspace == "" {
		return e.Of().String()
	}
	return e.Of().NameOf(e.Workspace)
}

// did adds an event of a revision.
func (s *Settled) did(did Did, of id, more Event) {
	more.Key, more.Did, more.Workspace = of.Key, did, of.workspace
	s.Events = append(s.Events, more)
}

// outcome is what came of a ref.
type outcome struct {
	of  id
	ref string
	err error
	// made reports whether the ref was made, ended is the commit that it had, if its end was pushed.
	made  bool
	ended git.Hash
}

// event returns what was pushed of a revision.
func (o *outcome) event() (e Event, is bool) {
	e = Event{Key: o.of.Key, Workspace: o.of.workspace}
	p, isOfPackage := placeOf(o.ref)
	switch {
	case o.err != nil:
		return e, false
	case o.ended != "":
		e.Did, e.Branch, e.Commit = Ended, strings.TrimPrefix(o.ref, branches), string(o.ended)
		return e, true
	case p.number > 0:
		e.Did, e.Number = Published, p.number
	case o.made:
		e.Did = Drafted
	default:
		e.Did = Changed
	}
	return e, isOfPackage
}

type outcomes []outcome

// byRevision returns the outcomes by revision, with the first error of each. That a merge was refused says nothing of a
// draft that was refused, too.
func (all outcomes) byRevision() []Outcome {
	of := map[id]*Outcome{}
	for _, o := range all {
		if of[o.of] == nil {
			of[o.of] = &Outcome{Key: o.of.Key, Namespace: o.of.Namespace, Name: o.of.name()}
		}
		if first := of[o.of].Err; first == nil || o.err != nil && ofMerge(first) != nil {
			of[o.of].Err = o.err
		}
		if e, is := o.event(); is {
			of[o.of].Events = append(of[o.of].Events, e)
		}
	}
	var out []Outcome
	for _, k := range slices.SortedFunc(maps.Keys(of), func(a, b id) int {
		return cmp.Or(a.Compare(b.Key), cmp.Compare(a.workspace, b.workspace))
	}) {
		more := slices.DeleteFunc(slices.Clone(of[k].Events), func(e Event) bool { return e.Did == Ended })
		if len(more) > 0 {
			of[k].Events = more
		}
		out = append(out, *of[k])
	}
	return out
}
