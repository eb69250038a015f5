// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Who owns a package is in the ledger and nowhere else: nothing that a commit or a branch says of itself grants
// anything.

// id names a revision: its package, and its workspace there.
type id struct {
	ledger.Key
	workspace string
}

// name returns the name that people have for it.
func (i id) name() string { return i.Of().NameOf(i.workspace) }

// id returns what names a revision.
func (f *found) id() id { return id{f.member().key(), f.Workspace} }

func (f *found) member() member { return member{f.in, f.Package.Name} }

// key returns the key of a package.
func (m member) key() ledger.Key {
	return ledger.Key{Namespace: m.in.Namespace, Repository: m.in.Name, Package: m.pkg}
}

// where returns the path of a package in the git repository.
func (m member) where() string { return m.in.place(m.pkg) }

// Ledger returns what has to be kept.
func (h *Home) Ledger() ledger.Ledger {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.ledger)
}

// entry returns the entry of a package, to be changed and put back.
func (h *Home) entry(m member) ledger.Entry {
	e := h.ledger[m.key()]
	e.Place = ledger.Place{Address: revision.Address(m.in.Address), Branch: m.in.Branch, Directory: m.in.Directory}
	e.Drafts = maps.Clone(e.Drafts)
	if e.Drafts == nil {
		e.Drafts = map[string]ledger.Draft{}
	}
	return e
}

// put keeps an entry, unless it says nothing.
func (h *Home) put(m member, e *ledger.Entry) {
	if len(e.Drafts) == 0 {
		e.Drafts = nil
	}
	if h.ledger[m.key()] = *e; e.IsEmpty() {
		delete(h.ledger, m.key())
	}
	m.in.touch(m.where())
}

// own gives a revision what the ledger has of it.
func (h *Home) own(f *found) {
	e, known := h.ledger[f.member().key()]
	if !known {
		return
	}
	f.Labels, f.Annotations = maps.Clone(e.Labels[f.Workspace]), maps.Clone(e.Annotations[f.Workspace])
	draft, drafted := e.Drafts[f.Workspace]
	switch {
	case f.Number == mainNumber:
	case f.number > 0 && (e.Published != nil || drafted && draft.Seen == f.tree), h.isOurs(f):
		f.Owners = slices.Clone(e.Owners)
	}
}

// isOurs reports whether a draft is one that the ledger has.
func (h *Home) isOurs(f *found) bool {
	draft, drafted := h.ledger[f.member().key()].Drafts[f.workspace]
	return f.Open() && drafted && !draft.Ended && !draft.IsForeign(f.tree)
}

// Owned reports whether a variant owns a revision.
func Owned(r *revision.Revision) bool { return isOwned(r.Owners) }

func isOwned(owners []metav1.OwnerReference) bool { return len(revision.Variants(owners)) > 0 }

// draftOf returns a draft as the ledger has it, by what a fetch shows, or what is about to be pushed.
func draftOf(f *found, before ledger.Draft) ledger.Draft {
	before.Commit, before.Seen = git.Hash(f.Commit), f.tree
	return before
}

// TryAgain lets the drafts be published, once each, of which a server refused the merge by what is known: nothing else
// shows that it would take it now.
func (h *Home) TryAgain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.again = map[id]bool{}
	for k, e := range h.ledger {
		for workspace, draft := range e.Drafts {
			if draft.Refused != "" {
				h.again[id{k, workspace}] = true
			}
		}
	}
}

// String names a Repository, or a revision.
func (k key) String() string { return k.namespace + "/" + k.name }

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
}

// RejectedOf returns what people rejected of a package; nil for nothing.
func (h *Home) RejectedOf(namespace string, of revision.Package) *ledger.Rejected {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ledger[ledger.KeyOf(namespace, of)].Rejected
}

// Forgive forgets what people rejected of a package.
func (h *Home) Forgive(namespace string, of revision.Package) {
	h.change(namespace, of, func(e *ledger.Entry) { e.Rejected = nil })
}

// Asks notes what the owner of a package asks for, unless a part of that was rejected: that holds until something else
// is asked for.
func (h *Home) Asks(namespace string, of revision.Package, asked string) {
	h.change(namespace, of, func(e *ledger.Entry) {
		if e.Rejected == nil {
			e.Asked = asked
		}
	})
}

// change changes the entry of a package that has one.
func (h *Home) change(namespace string, of revision.Package, do func(*ledger.Entry)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := ledger.KeyOf(namespace, of)
	if e, known := h.ledger[key]; known {
		do(&e)
		h.ledger[key] = e
	}
}

// Prune forgets the packages of which nothing was ever pushed, unless they are still asked for.
func (h *Home) Prune(isAsked func(ledger.Key) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, e := range h.ledger {
		announced := true
		for _, draft := range e.Drafts {
			announced = announced && draft.Announced
		}
		if announced && e.Published == nil && e.Rejected == nil && e.Removal == nil && !isAsked(k) {
			delete(h.ledger, k)
		}
	}
}

// Inherit gives a package, with its drafts as they are, to another owner, if all that it has are gone.
func (h *Home) Inherit(namespace string, of revision.Package, to revision.Owner, isGone func(variant string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := ledger.KeyOf(namespace, of)
	e, known := h.ledger[key]
	owners := revision.Variants(e.Owners)
	stays := func(o string) bool { return o == to.Name || !isGone(o) }
	if !known || len(owners) == 0 || slices.ContainsFunc(owners, stays) {
		return
	}
	e.Owners = []metav1.OwnerReference{to.Reference()}
	h.ledger[key] = e
	if r := h.repositories[repositoryKey(key)]; r != nil && r.err == nil && r.refs != nil {
		r.touch(r.place(of.Name))
	}
}
