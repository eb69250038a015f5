// SPDX-License-Identifier: Apache-2.0

package home

import (
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Notes are what a Home knows of revisions and git does not, by namespace and name. Whoever has a Home keeps them
// from one run to the next.
type Notes map[string]Note

// Note is what is noted of one revision.
type Note struct {
	Repository string `json:"repository"`
	Package    string `json:"package"`
	Workspace  string `json:"workspace"`

	Owners      []metav1.OwnerReference `json:"owners,omitempty"`
	Labels      map[string]string       `json:"labels,omitempty"`
	Annotations map[string]string       `json:"annotations,omitempty"`
	// Draft is where an open draft was when it was pushed or seen last.
	Draft *Seen `json:"draft,omitempty"`
	// Held says why only a person may publish a draft, as it was found out when the draft was written.
	Held string `json:"held,omitempty"`
}

// Seen is where a draft was seen: its commit, the tree of its package, and the commit of the branch at that time.
type Seen struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
	Branch string `json:"branch"`
	// Refused is what the server said when it refused to have it merged, with that tree.
	Refused string `json:"refused,omitempty"`
}

// String is the key of the notes on a revision.
func (k key) String() string { return k.namespace + "/" + k.name }

// byName compares keys.
func byName(a, b key) int { return strings.Compare(a.String(), b.String()) }

// of reports whether a note, of which this is the key, is about a revision in a Repository.
func (n *Note) of(id string, r *repository) bool {
	return n.Repository == r.Name && strings.HasPrefix(id, r.Namespace+"/")
}

// Notes returns what has to be kept.
func (h *Home) Notes() Notes {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.notes)
}

// isNoted reports whether something is noted of a revision: a variant has, or had, its package.
func (h *Home) isNoted(f found) bool {
	_, noted := h.notes[f.key().String()]
	return noted
}

// TryAgain lets the drafts be published, once each, of which a server refused the merge by what is noted: nothing else
// shows that it would take it now.
func (h *Home) TryAgain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.again = map[key]bool{}
	for id, note := range h.notes {
		if namespace, name, _ := strings.Cut(id, "/"); note.Draft != nil && note.Draft.Refused != "" {
			h.again[key{namespace, name}] = true
		}
	}
}

// noted returns what is noted of a revision, to be changed.
func (h *Home) noted(f *found) Note {
	note := h.notes[f.key().String()]
	note.Repository, note.Package, note.Workspace = f.Package.Repo, f.Package.Name, f.Workspace
	return note
}

// packagesOf returns the packages in a Repository of which something is noted.
func (h *Home) packagesOf(r *repository) map[string]bool {
	all := map[string]bool{}
	for id, note := range h.notes {
		if note.of(id, r) {
			all[note.Package] = true
		}
	}
	return all
}

// owned returns the packages in a Repository that a variant owns by what is noted.
func (h *Home) owned(r *repository) map[string]bool {
	owned := map[string]bool{}
	for id, note := range h.notes {
		if note.of(id, r) && Owned(&revision.Revision{Owners: note.Owners}) {
			owned[note.Package] = true
		}
	}
	return owned
}

// ownersOf returns who owns a package by what is noted of any of its revisions.
func (h *Home) ownersOf(r *repository, pkg string) []metav1.OwnerReference {
	for _, id := range slices.Sorted(maps.Keys(h.notes)) {
		if note := h.notes[id]; note.of(id, r) && note.Package == pkg && len(note.Owners) > 0 {
			return note.Owners
		}
	}
	return nil
}
