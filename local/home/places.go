// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// A Repository names a place: a directory on a branch of a git repository. Of those that name one place, one has it,
// so that no package has two writers. The entries of the others sleep: they are kept as they are.

// Same are the git repositories that are others by another address, because of a link or of a redirect of a forge: by
// their canonical addresses, the address of the one that counts.
type Same map[string]string

// resolved returns a place by the address that counts.
func (h *Home) resolved(p ledger.Place) ledger.Place {
	p.Address = cmp.Or(h.same[p.Address], p.Address)
	return p
}

// assign finds out which Repositories have their places: of several, those that the ledger knows there, and else the
// first by name. They get the entries of those that had the place before, and are in no manifest any more.
func (h *Home) assign() {
	for _, r := range h.repositories {
		r.located = h.resolved(ledger.Place{Address: r.Canonical(), Branch: r.Branch,
			Directory: strings.Trim(path.Clean("/"+r.Directory), "/")})
	}
	now, over := h.occupied(), map[ledger.Place][]key{}
	if h.before == nil {
		h.before = now
	}
	for k, r := range h.repositories {
		if r.Problem == nil { // otherwise its place is not known
			over[r.located] = append(over[r.located], k)
		}
	}
	holders := map[ledger.Place]*repository{}
	for at, all := range over {
		slices.SortFunc(all, func(a, b key) int {
			return cmp.Or(h.before[b]-h.before[a], now[b]-now[a], cmp.Compare(a.name, b.name),
				cmp.Compare(a.namespace, b.namespace))
		})
		holders[at] = h.repositories[all[0]]
		for _, k := range all {
			if h.repositories[k].holder = nil; k != all[0] {
				h.repositories[k].holder = holders[at]
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(h.ledger), ledger.Key.Compare) {
		e := h.ledger[k]
		if to := holders[h.resolved(e.Place)]; to != nil && to.Namespace == k.Namespace && to.Name != k.Repository {
			h.hand(k, &e, to)
		}
	}
}

// hand gives the entry of a package to the Repository that has its place.
func (h *Home) hand(k ledger.Key, e *ledger.Entry, to *repository) {
	its := ledger.Key{Namespace: k.Namespace, Repository: to.Name, Package: k.Package}
	_, has := h.ledger[its]
	switch r := h.repositories[repositoryKey(k)]; {
	case r == nil && !has:
		h.ledger[its] = *e
	case r != nil && (r.holder != to || !has), isEditedIn(e): // it sleeps
		return
	} // else they are one package
	delete(h.ledger, k)
}

// occupied returns 1 for each Repository of which something was seen at its place.
func (h *Home) occupied() map[key]int {
	all := map[key]int{}
	for k, e := range h.ledger {
		if r := h.repositories[repositoryKey(k)]; r != nil && h.resolved(e.Place) == r.located && !e.IsAnnounced() {
			all[repositoryKey(k)] = 1
		}
	}
	return all
}

// firsts returns the first of git repositories with the same refs, and all others: two of those may be one, and then
// the first one has it. Tried has those that had a first before.
func firsts(all []*clone, tried map[string]bool) (now []*clone) {
	of := map[string]bool{}
	for _, c := range all {
		if c.print == "" || tried[c.print] || !of[c.print] {
			now = append(now, c)
		}
		of[c.print] = true
	}
	maps.Copy(tried, of)
	return now
}

// isEditedIn reports whether people have changed a draft of a package.
func isEditedIn(e *ledger.Entry) bool {
	for _, draft := range e.Drafts {
		if isEdited(&draft, draft.Seen) {
			return true
		}
	}
	return false
}

// problem says why nothing can be done in a Repository; nil if it can be read, and shares its place with none of its
// namespace.
func (r *repository) problem() error {
	if r.err == nil && r.holder != nil && r.holder.Namespace == r.Namespace {
		return r.shared()
	}
	return r.err
}

// shared returns the error of a Repository whose place another one has; nil if it has it.
func (r *repository) shared() error {
	if r.holder == nil {
		return nil
	}
	err := errors.New("Repository " + r.Name + ": " + r.whyShared())
	return &packages.Error{Kind: packages.ErrRefused, Err: err,
		Condition: v1alpha1.Stalled(v1alpha1.ReasonRepositoriesOverlap, err.Error())}
}

// whyShared says why nothing is done in a Repository whose place another one has.
func (r *repository) whyShared() string {
	holder := r.holder.Name
	if r.holder.Namespace != r.Namespace {
		holder = r.holder.Namespace + "/" + holder
	}
	return fmt.Sprintf("it is the directory /%s on the branch %s of %s, which the Repository %s has: remove one of the "+
		"two manifests, or give one of them another directory or branch", r.located.Directory, r.Branch,
		git.Shown(r.Address), holder)
}

// Shared is a Repository whose place another one has.
type Shared struct {
	Namespace, Name string
	// Holder is the name of the other one, which is of the same namespace.
	Holder string
	// Why says what a person has to do.
	Why string
}

// Shared returns the Repositories of which nothing is read, because another one has their place.
func (h *Home) Shared() (all []Shared) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(h.repositories), compareKeys) {
		if r := h.repositories[k]; r.holder != nil && r.holder.Namespace == r.Namespace {
			all = append(all, Shared{r.Namespace, r.Name, r.holder.Name, r.whyShared()})
		}
	}
	return all
}

// Has reports whether the ledger has a package.
func (h *Home) Has(k ledger.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, has := h.ledger[k]
	return has
}

// awake returns the Repository of an entry; nil if the entry sleeps, because that is in no manifest, cannot be read, or
// does not have its place.
func (h *Home) awake(k ledger.Key) *repository {
	r := h.repositories[repositoryKey(k)]
	if r == nil || r.problem() != nil || r.holder != nil || r.refs == nil {
		return nil
	}
	return r
}

// FallAsleep returns the packages whose Repository is in no manifest any more, once.
func (h *Home) FallAsleep() (all []ledger.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(h.ledger), ledger.Key.Compare) {
		if e := h.ledger[k]; h.repositories[repositoryKey(k)] == nil && !e.Asleep {
			all = append(all, k)
			e.Asleep = true
			h.ledger[k] = e
		}
	}
	return all
}

// Same returns which git repositories are others, as it is known.
func (h *Home) Same() Same {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.same)
}

// findSame finds the git repositories that are others by another address: they had the same refs, and have them again
// after something was pushed to one alone.
func (h *Home) findSame(ctx context.Context) {
	defer func() {
		for _, c := range h.clones {
			c.wrote = map[string]git.Hash{}
		}
	}()
	if len(h.clones) < 2 {
		return
	}
	alike := map[[2]string][]*clone{}
	for _, c := range h.clones {
		before := c.print
		if c.print = c.fingerprint(); before != "" && c.print != "" && c.print != before {
			k := [2]string{before, c.print}
			alike[k] = append(alike[k], c)
		}
	}
	h.checkSame(ctx)
	for _, all := range alike {
		for i, a := range all {
			for _, b := range all[i+1:] {
				if a.canonical() != b.canonical() && (a.isSeenIn(b) || b.isSeenIn(a)) {
					h.same[b.canonical()] = cmp.Or(h.same[a.canonical()], a.canonical())
				}
			}
		}
	}
}

// checkSame forgets that git repositories are one if they have other refs now.
func (h *Home) checkSame(ctx context.Context) {
	byAddress := map[string]*clone{}
	for _, c := range h.clones {
		byAddress[c.canonical()] = c
	}
	for address, other := range h.same {
		a, b := byAddress[address], byAddress[other]
		if differ(a, b) { // unless somebody has pushed meanwhile
			a.fetch(ctx, h.contact)
			b.fetch(ctx, h.contact)
			a.print, b.print = a.fingerprint(), b.fingerprint()
		}
		if differ(a, b) {
			delete(h.same, address)
		}
	}
}

// differ reports whether two git repositories, which may be nil, were read and have other refs.
func differ(a, b *clone) bool {
	return a != nil && b != nil && a.print != "" && b.print != "" && a.print != b.print
}

// canonical returns the canonical address of the git repository.
func (c *clone) canonical() string { return c.repositories[0].Canonical() }

// fingerprint identifies where all refs are; "" if that is not known, or if there are none.
func (c *clone) fingerprint() string {
	if c.err != nil || len(c.refs) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.refs)) {
		_, _ = fmt.Fprintln(sum, name, c.refs[name].Hash) // it never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// isSeenIn reports whether another git repository has what was pushed to this one alone.
func (c *clone) isSeenIn(other *clone) bool {
	for ref, hash := range c.wrote {
		if _, both := other.wrote[ref]; !both && other.refs[ref].Hash == hash {
			return true
		}
	}
	return false
}
