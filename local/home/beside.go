// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// The engine merges the texts of files. Their modes, and symbolic links, are merged here.

// upgraded returns what a package has of an upstream that changes from base to updated: the modes and links that the
// package has not changed itself are those of updated. It changes the texts where a link comes in place of a file, or
// stays in place of one. In conflict are the links that both sides changed, of which the package's stay.
func (f *files) upgraded(base, updated *files, texts map[string]string) (out *files, conflicts []string) {
	out = &files{texts: f.texts, modes: maps.Clone(f.modes), links: maps.Clone(f.links)}
	for name, mode := range updated.modes {
		if ours := f.modes[name]; ours == "" || ours == base.modes[name] {
			out.modes[name] = mode
		}
	}
	names := slices.Concat(slices.Collect(maps.Keys(f.links)), slices.Collect(maps.Keys(base.links)),
		slices.Collect(maps.Keys(updated.links)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		ours, was, is := f.beside(name), base.beside(name), updated.beside(name)
		switch {
		case was == is || ours == is:
		case ours != was:
			conflicts = append(conflicts, name)
			if ours == "" {
				delete(texts, name)
			}
		case is == entryFile || is == "":
			delete(out.links, name)
		case out.hasPlace(name, texts, base.texts):
			delete(texts, name)
			out.links[name] = updated.links[name]
		}
		if _, isLink := out.links[name]; isLink && is == entryFile {
			delete(texts, name)
		}
	}
	return out, conflicts
}

// entryFile is what beside returns for a file.
const entryFile = "a file"

// beside says what is at a path: a file, a link with where it leads to, or "" for nothing.
func (f *files) beside(name string) string {
	if _, isFile := f.texts[name]; isFile {
		return entryFile
	}
	if to, isLink := f.links[name]; isLink {
		return "to " + to
	}
	return ""
}

// hasPlace reports whether a link can come to a path: not in place of a file that was changed, which the engine
// reports, nor of a directory, nor below a file or a link.
func (f *files) hasPlace(name string, texts, before map[string]string) bool {
	if text, stays := texts[name]; stays && text != before[name] {
		return false
	}
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		_, isFile := texts[above]
		if _, isLink := f.links[above]; isFile || isLink {
			return false
		}
	}
	for other := range texts {
		if strings.HasPrefix(other, name+"/") {
			return false
		}
	}
	return true
}

// merged returns what the files of a draft are made from, as upgraded does, by the lock that the package had and the
// one that the texts have, and why the draft is left to a person; "" if nothing does.
func (h *Home) merged(f *found, like *files, texts map[string]string) (*files, string, error) {
	lock := f.Lock
	if texts[kptfile] != like.texts[kptfile] {
		lock = kpt.LockOf(texts)
	}
	added := false
	for name := range texts {
		added = added || like.modes[name] == ""
	}
	if lock == nil || f.Lock == nil || lock.Is(f.Lock) && !added {
		return like, "", nil
	}
	updated, err := h.filesOn(f.Namespace, lock)
	if err != nil || updated == nil {
		return like, "", err
	}
	base, err := h.filesOn(f.Namespace, f.Lock)
	if err != nil {
		return nil, "", err
	}
	if base == nil {
		base = updated
	}
	out, conflicts := like.upgraded(base, updated, texts)
	return out, bothChanged(conflicts), nil
}

// filesOn returns the files of the upstream that a lock names; nil if it is in none of the git repositories.
func (h *Home) filesOn(namespace string, lock *revision.Lock) (*files, error) {
	r, tree, err := h.upstreamOn(namespace, lock)
	if r == nil || err != nil {
		return nil, err
	}
	read, err := r.files(tree)
	return read, unusable("the upstream "+lock.String(), err)
}

// upstreamOn returns the tree of the upstream that a lock names, and the Repository with its git repository; nil if it
// is in none of them.
func (h *Home) upstreamOn(namespace string, lock *revision.Lock) (*repository, git.Hash, error) {
	for _, r := range h.named[revision.Canonical(lock.Repo)] {
		if r.Namespace != namespace || r.git == nil || r.err != nil || lock.Commit == "" {
			continue
		}
		for _, place := range []string{strings.Trim(lock.Place(), "/"), r.place(lock.Directory)} {
			tree, err := r.packageAt(git.Hash(lock.Commit), place)
			if err == nil && tree != "" {
				return r, tree, nil
			}
			if err != nil && !errors.Is(err, git.ErrMissing) {
				return nil, "", err
			}
		}
	}
	return nil, "", nil
}

// onTree returns a lock with the tree of the upstream that it names, as far as a git repository still has that.
func (h *Home) onTree(namespace string, lock *revision.Lock) (*revision.Lock, error) {
	if lock == nil {
		return nil, nil
	}
	_, tree, err := h.upstreamOn(namespace, lock)
	on := *lock
	on.Tree = string(tree)
	return &on, err
}

// knowUpstreams notes the trees of the locks of a package's drafts, and of what was published of it last, or takes them
// from there where no git repository has the commit any more. While a draft is not found, those that are noted stay.
func (h *Home) knowUpstreams(m member, all []found) {
	e, owned := h.ledger[m.key()]
	if !owned {
		return
	}
	now, found := map[string]git.Hash{}, 0
	for i := range all {
		f := &all[i]
		if h.isOurs(f) {
			found++
		}
		if f.Lock == nil || !f.Open() && (e.Published == nil || f.number != e.Published.Number) {
			continue
		}
		f.Lock.Tree = cmp.Or(f.Lock.Tree, string(e.Upstreams[lockID(f.Lock)]))
		if f.Lock.Tree != "" {
			now[lockID(f.Lock)] = git.Hash(f.Lock.Tree)
		}
	}
	if found < len(e.Drafts) {
		maps.Copy(now, e.Upstreams)
	}
	if !maps.Equal(now, e.Upstreams) {
		e.Upstreams = now
		h.ledger[m.key()] = e
	}
}

// bothChanged says why a draft with links in conflict is left to a person; "" if it has none. It follows "because".
func bothChanged(links []string) string {
	if len(links) == 0 {
		return ""
	}
	return "the package and its upstream both changed a symbolic link (" + strings.Join(links, ", ") + "), and it has " +
		"the package's: look at the upstream's, and merge it"
}

// naming returns the paragraph of a commit's message that names the conflicts of a draft; "" if it has none. It has no
// values, and nothing that a forge acts on.
func naming(conflicts []v1alpha1.Conflict) (text string) {
	for i := range conflicts {
		text += "\n- " + markdown.Title(conflicts[i].Place())
	}
	if text == "" {
		return ""
	}
	return "\n\nBoth the upstream and the package changed:" + text
}

// telling returns the paragraph of a commit's message that says why a draft is left to a person; "" if nothing does.
func telling(held string) string {
	if held == "" {
		return ""
	}
	return "\n\nIt is left to a person, because " + held + "."
}
