// SPDX-License-Identifier: Apache-2.0

// Package ledger has what a fleet knows of the packages that its variants own, from one sync to the next, and the rules
// by which the main branch says what became of their drafts. It takes and returns values, and reads nothing.
package ledger

import (
	"cmp"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Key names a package: its Repository, by namespace and name, and its path there. Nothing else names one.
type Key struct {
	Namespace  string `json:"namespace"`
	Repository string `json:"repository"`
	Package    string `json:"package"`
}

// KeyOf returns the key of a package in a namespace.
func KeyOf(namespace string, p revision.Package) Key { return Key{namespace, p.Repo, p.Name} }

// Of returns the package, as the engine names it.
func (k Key) Of() revision.Package { return revision.Package{Repo: k.Repository, Name: k.Package} }

// Compare orders keys.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Namespace, other.Namespace), cmp.Compare(k.Repository, other.Repository),
		cmp.Compare(k.Package, other.Package))
}

// Ledger has an entry for each package that a variant owns, or is about to: an entry begins with the announcement of a
// first draft, and it ends when a fetch has shown what its end asked for.
type Ledger map[Key]Entry

// Entry is what is known of one package. Entries are values: who changes one puts another in its place.
type Entry struct {
	// Place is where the package was when its Repository was read last.
	Place Place `json:"place"`
	// Asleep says that people were told that the package's Repository is in no manifest any more.
	Asleep bool `json:"asleep,omitempty"`
	// Owners are the variants that own the package.
	Owners []metav1.OwnerReference `json:"owners,omitempty"`
	// Drafts are those that the variant owns, by workspace: one, unless it adopted several.
	Drafts map[string]Draft `json:"drafts,omitempty"`
	// Published is what was published last; nil for nothing.
	Published *Published `json:"published,omitempty"`
	// Asked identifies what the owner asked for when it was synced last.
	Asked string `json:"asked,omitempty"`
	// Rejected is what people rejected; nil for nothing.
	Rejected *Rejected `json:"rejected,omitempty"`
	// Removal is what its owner asked for before it went; nil for nothing. The package is then nobody's.
	Removal *Removal `json:"removal,omitempty"`
	// Upstreams are the trees of the upstream revisions that locks of the package name, by what identifies these: a
	// history that is rewritten takes the former commits away, and not the content.
	Upstreams map[string]git.Hash `json:"upstreams,omitempty"`
	// Labels and Annotations are those of revisions, by workspace.
	Labels      map[string]map[string]string `json:"labels,omitempty"`
	Annotations map[string]map[string]string `json:"annotations,omitempty"`
}

// Place is a directory on a branch of a git repository.
type Place struct {
	// Address is the canonical one (revision.Canonical).
	Address   string `json:"address"`
	Branch    string `json:"branch"`
	Directory string `json:"directory,omitempty"`
}

// IsEmpty reports whether nothing is known of a package but its place.
func (e *Entry) IsEmpty() bool {
	return len(e.Owners)+len(e.Drafts)+len(e.Labels)+len(e.Annotations) == 0 && e.Published == nil && e.Rejected == nil &&
		e.Removal == nil
}

// IsAnnounced reports whether nothing of a package was ever seen: all that is known of it was announced.
func (e *Entry) IsAnnounced() bool {
	for _, draft := range e.Drafts {
		if !draft.Announced {
			return false
		}
	}
	return e.Published == nil && e.Rejected == nil && e.Removal == nil
}

// Removal is a branch by which people remove a package.
type Removal struct {
	// By are the owners that let the package go: if one of them asks for it again, the removal ends.
	By []metav1.OwnerReference `json:"by,omitempty"`
	// Seen says that a fetch has shown it. Until then, it is asked for again.
	Seen bool `json:"seen,omitempty"`
}

// Draft is a draft as the sync knows it.
type Draft struct {
	// Commit is where its branch was seen last; "" for nowhere yet.
	Commit git.Hash `json:"commit,omitempty"`
	// Base is the package of the main branch that the draft was last brought up to; "" for none. Written is the package
	// that the sync wrote last, Seen the one that the branch had when it was seen last.
	Base    git.Hash `json:"base,omitempty"`
	Written git.Hash `json:"written"`
	Seen    git.Hash `json:"seen"`
	// Before is the draft as it was before the sync changed its branch last, which people may still be about to merge; nil
	// if it has not. Arrived says that a fetch, or the server, has shown that the change arrived.
	Before  *Draft `json:"before,omitempty"`
	Arrived bool   `json:"arrived,omitempty"`
	// Lock identifies the upstream revision in the draft's lock: its directory and its commit.
	Lock string `json:"lock,omitempty"`
	// Announced says that no fetch has shown the branch yet: until then, the draft is known by its content, and a branch
	// of that name with another one is somebody else's.
	Announced bool `json:"announced,omitempty"`
	// Former is the branch that the draft had before its Repository moved to another directory, until a fetch has shown
	// that it is gone; "" for none.
	Former string `json:"former,omitempty"`
	// Beside says that the branch changes something else than the package, too.
	Beside bool `json:"beside,omitempty"`
	// Ended says that the end of the branch was asked for, until a fetch has shown it.
	Ended bool `json:"ended,omitempty"`
	// LeftToPeople says why only a person may publish it, as it was found out when the draft was written.
	LeftToPeople string `json:"leftToPeople,omitempty"`
	// Refused is what the server said when it refused to have the draft merged, as it was seen then.
	Refused string `json:"refused,omitempty"`
}

// After returns the draft as one that the sync has changed from what it was before.
func (d Draft) After(before Draft, arrived bool) Draft {
	before.Before, before.Arrived = nil, false
	d.Before, d.Arrived = &before, arrived
	return d
}

// IsForeign reports whether a branch with the draft's name, and with this package, is somebody else's.
func (d *Draft) IsForeign(tree git.Hash) bool { return d.Announced && tree != d.Written }

// Published is what was published last of a package.
type Published struct {
	Number int      `json:"number"`
	Commit git.Hash `json:"commit"`
	// Tree is the package.
	Tree git.Hash `json:"tree"`
	// Workspace is what the revision is called by; "" if that is not known.
	Workspace string `json:"workspace,omitempty"`
}

// Rejected is a draft that people rejected, or a publication that they took back.
type Rejected struct {
	// Asked identifies what it was made for: nothing is made for the same again.
	Asked string `json:"asked"`
	// Workspace is the one of the draft, and of the revision that was published of it.
	Workspace string `json:"workspace"`
	// Draft is the draft as it was; zero if it had been published before. If its branch comes back, so does the draft, and
	// if the main branch gets what was rejected after all, that is published.
	Draft Draft `json:"draft"`
	// TakenBack says that it had been published.
	TakenBack bool `json:"takenBack,omitempty"`
}
