// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// Outcome is what came of what a round wrote of one revision.
type Outcome struct {
	// Key is that of the package.
	ledger.Key
	Namespace, Name string
	// Err is nil if all of it was pushed. Of what was not pushed, nothing is left.
	Err error
	// Events are what was pushed: the end of a branch only if nothing else was, and the first commit of a branch never.
	Events []Event
}

// Refusal is the error of a ref that its server refuses.
type Refusal struct {
	// Address is that of the git repository, Words are the server's.
	Address, Ref, Words string
	// Merge reports whether it is about the merge of a draft, which is still there.
	Merge bool
}

// Error implements error.
func (e *Refusal) Error() string {
	return fmt.Sprintf("the git repository %s refuses %s: %s", e.Address, e.Ref, e.Words)
}

// OfBranch reports whether the ref is a branch into which drafts are merged, rather than a draft or a tag.
func (e *Refusal) OfBranch() bool {
	return strings.HasPrefix(e.Ref, branches) && !strings.HasPrefix(e.Ref, drafts)
}

// ofMerge returns the error of a server that refuses to have a draft merged; nil for any other.
func ofMerge(err error) *Refusal {
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Merge {
		return refusal
	}
	return nil
}

// Unwrap says of which kind of the port it is.
func (*Refusal) Unwrap() error { return packages.ErrRefused }

// Unpushed reports whether something was written that is to be pushed.
func (h *Home) Unpushed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.clones, func(c *clone) bool { return len(c.changes) > 0 })
}

// Push ends a round: it pushes what was written, to each git repository after those that its new packages name, and
// says what came of each revision.
func (h *Home) Push(ctx context.Context) []Outcome {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all outcomes
	tried := map[string]bool{}
	left := slices.DeleteFunc(slices.Clone(h.clones), func(c *clone) bool { return len(c.changes) == 0 })
	originals := h.originals()
	for len(left) > 0 {
		ready := slices.DeleteFunc(slices.Clone(left), func(c *clone) bool { return !c.ready() })
		if len(ready) == 0 {
			ready = left // they name each other: what has to wait is told to
		}
		ready = firsts(ready, tried)
		for _, c := range ready {
			all = append(all, c.drop(func(n need) bool { return n.in != c })...)
		}
		var pushes sync.WaitGroup
		done := make([]outcomes, len(ready))
		for i, c := range ready {
			pushes.Go(func() { done[i] = c.push(ctx, originals) })
		}
		pushes.Wait()
		all = append(all, slices.Concat(done...)...)
		left = slices.DeleteFunc(left, func(c *clone) bool { return slices.Contains(ready, c) })
	}
	h.forget()
	if err := h.noteAll(ctx, all); err != nil {
		classify(&err)
		all = append(all, outcome{err: err})
	}
	h.forget()
	return all.byRevision()
}

// ready reports whether a repository needs nothing that is still to be pushed to another one.
func (c *clone) ready() bool {
	for _, change := range c.changes {
		for _, n := range change.needs {
			if n.in != c && n.in.unpushed[n.hash] && len(n.in.changes) > 0 {
				return false
			}
		}
	}
	return true
}

// noteAll notes what came of drafts and of publications.
func (h *Home) noteAll(ctx context.Context, all outcomes) error {
	for _, o := range all {
		r := h.repositories[repositoryKey(o.of.Key)]
		p, is := placeOf(o.ref)
		if r == nil || !is || p.path != r.place(o.of.Package) {
			continue
		}
		m := member{r, o.of.Package}
		e := h.entry(m)
		if p.number > 0 {
			h.notePublished(r, o, &e)
		} else if err := h.noteDraft(ctx, m, p, o, &e); err != nil {
			return err
		}
		h.put(m, &e)
	}
	return nil
}

// notePublished notes what came of a publication.
func (h *Home) notePublished(r *repository, o outcome, e *ledger.Entry) {
	before := owed(r.before[o.ref])
	if o.err != nil && (e.Published == nil || before.Number <= e.Published.Number) { // of several, the first one counts
		e.Published = before
	}
	if at := r.refs[o.ref].Commit; o.err == nil && e.Published != nil && e.Published.Tree != "" && at != "" {
		e.Published = new(*e.Published)
		e.Published.Commit = at
	}
	draft, drafted := e.Drafts[o.of.workspace]
	refused := ofMerge(o.err)
	if !drafted || refused == nil {
		return
	}
	draft.Refused = refused.Words
	e.Drafts[o.of.workspace] = draft
	delete(h.again, o.of)
}

// owed returns what was published before something that is to be published: what nothing was published of is still
// owed its first tag.
func owed(before *ledger.Published) *ledger.Published {
	if before == nil {
		return &ledger.Published{}
	}
	return before
}

// Announcement returns what has to be kept before what was written is pushed: what is to be published is not yet, and
// of a draft that is to be changed, the next sync has to find out which of the two its branch has.
func (h *Home) Announcement() ledger.Ledger {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := maps.Clone(h.ledger)
	for _, c := range h.clones {
		for _, ref := range slices.Backward(slices.SortedFunc(maps.Keys(c.before), compareNumbers)) { // the first one counts
			if change := c.changes[ref]; change != nil {
				e := all[change.of.Key]
				e.Published = owed(c.before[ref])
				all[change.of.Key] = e
			}
		}
		for ref, change := range c.changes {
			e := all[change.of.Key]
			draft, drafted := e.Drafts[change.of.workspace]
			before, known := h.began[change.of.Key].Drafts[change.of.workspace]
			p, is := placeOf(ref)
			if !is || p.number > 0 || !drafted || !known || change.Hash == "" || c.refs[ref].Hash == "" {
				continue
			}
			draft.Commit = change.Commit
			e.Drafts = maps.Clone(e.Drafts)
			e.Drafts[change.of.workspace] = draft.After(before, false)
			all[change.of.Key] = e
		}
	}
	return all
}

// compareNumbers compares the tags of publications by their numbers.
func compareNumbers(a, b string) int {
	p, _ := placeOf(a)
	other, _ := placeOf(b)
	return cmp.Compare(p.number, other.number)
}

// noteDraft notes where a draft is, that one which could not be pushed is what it was, and nothing of one that is not
// there.
func (h *Home) noteDraft(ctx context.Context, m member, p place, o outcome, e *ledger.Entry) error {
	draft, drafted := e.Drafts[p.workspace]
	if !drafted {
		return nil
	}
	before, known := h.began[m.key()].Drafts[p.workspace]
	if o.err != nil {
		if known && m.in.refs[o.ref].Hash != "" {
			before.Ended, before.Refused = draft.Ended, draft.Refused
			e.Drafts[p.workspace] = before
		}
		return nil
	}
	if m.in.ref(o.ref).Hash == "" {
		delete(e.Drafts, p.workspace)
		return nil
	}
	f, err := h.foundAt(ctx, m, p, nil)
	if err != nil {
		return err
	}
	if draft.Announced = false; known && !o.made {
		draft = draft.After(before, true)
	}
	e.Drafts[p.workspace] = draftOf(f, draft)
	return nil
}

// push pushes what is to be pushed to one repository: first commits of branches and tags of what branches have, what is
// published after that, and then the rest, each ref for itself.
func (c *clone) push(ctx context.Context, originals map[git.Hash]bool) (all outcomes) {
	published := map[string]bool{}
	for _, p := range slices.Backward(c.publications) { // the branch begins without them
		published[p.tag] = true
		if delete(c.changes, p.branch); c.refs[p.branch].Hash == "" {
			c.changes[p.branch] = &change{Ref: git.Ref{Hash: p.base, Commit: p.base}, of: p.of}
		}
	}
	all = append(all, c.pushEach(ctx, func(ref string) bool {
		return c.line[branchAt{ref, c.ref(ref).Commit}] || strings.HasPrefix(ref, tags) && !published[ref]
	})...)
	all = append(all, c.publish(ctx, originals)...)
	all = append(all, c.drop(func(need) bool { return true })...)
	return append(all, c.pushEach(ctx, func(string) bool { return true })...)
}

// drop gives up the changes that need what could not be pushed. What the server of the same repository refused, it has
// refused of them.
func (c *clone) drop(which func(need) bool) (all outcomes) {
	for _, ref := range slices.Sorted(maps.Keys(c.changes)) {
		change := c.changes[ref]
		i := slices.IndexFunc(change.needs, func(n need) bool { return which(n) && n.in.unpushed[n.hash] })
		if i < 0 {
			continue
		}
		err := failed(packages.ErrStale, "it is made of what could not be pushed")
		if refusal := c.refused[change.needs[i].hash]; refusal != nil {
			err = refusal
		}
		all = append(all, c.settle(ref, change.of, err))
	}
	return all
}

// needsOf returns what has to be pushed before a draft: the commit that it starts from, and the revisions that it is
// made of, with their tags, since its commit names them.
func needsOf(r *repository, base git.Hash, of ...*found) []need {
	needs := []need{{r.clone, base}}
	for _, f := range of {
		needs = append(needs, need{f.in.clone, cmp.Or(f.in.ref(f.ref()).Hash, git.Hash(f.Commit))})
	}
	return needs
}

// pushEach pushes the changes of some refs.
func (c *clone) pushEach(ctx context.Context, some func(ref string) bool) (all outcomes) {
	var updates []git.Update
	for _, ref := range slices.Sorted(maps.Keys(c.changes)) {
		if some(ref) {
			updates = append(updates, c.update(ref))
		}
	}
	if len(updates) == 0 {
		return all
	}
	results, err := c.git.Push(ctx, updates, false)
	for i, u := range updates {
		told := err
		if i < len(results) {
			told = c.errorOf(&results[i])
		} else {
			told = failed(packages.ErrUnavailable, "%w", told)
		}
		all = append(all, c.settle(u.Ref, c.changes[u.Ref].of, told))
	}
	return all
}

// update returns the update of a ref that has a change.
func (c *clone) update(ref string) git.Update {
	return git.Update{Ref: ref, Old: c.refs[ref].Hash, New: c.changes[ref].Hash}
}

// settle ends a change: the ref is where it is to be, or else it is where it was seen.
func (c *clone) settle(ref string, of id, err error) outcome {
	o, change := outcome{of: of, ref: ref, err: err}, c.changes[ref]
	if refusal, ok := errors.AsType[*Refusal](err); ok && change != nil {
		c.refused[change.Hash] = refusal
	}
	if change != nil && err == nil {
		o.made = c.refs[ref].Hash == ""
		delete(c.unpushed, change.Hash)
		if change.Hash == "" {
			o.ended = c.refs[ref].Commit
			delete(c.refs, ref)
		} else {
			c.refs[ref], c.wrote[ref] = change.Ref, change.Hash
		}
	}
	delete(c.changes, ref)
	return o
}

// errorOf returns the error that a result is.
func (c *clone) errorOf(r *git.Result) error {
	switch r.Status {
	case git.Pushed:
		return nil
	case git.Refused:
		return &Refusal{Address: c.git.Address(), Ref: r.Ref, Words: r.Words}
	case git.Moved:
		return failed(packages.ErrStale, "in the git repository %s, %s has moved: %s", c.git.Address(), r.Ref,
			r.Words)
	default:
		return failed(packages.ErrStale, "the git repository %s took nothing of a push with %s", c.git.Address(),
			r.Ref)
	}
}
