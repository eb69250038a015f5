// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/local/git"
)

// File is an entry of a package that is no directory.
type File struct {
	Mode string
	Hash git.Hash
}

// Files are those of a package, by path; nil if there is no package.
type Files map[string]File

// Fate is what became of a draft.
type Fate string

// The fates.
const (
	// Open says that the draft waits, as before.
	Open Fate = "open"
	// Merged says that the main branch has the draft, in whichever way it came there.
	Merged Fate = "merged"
	// WasRejected says that people removed the branch, or reset it, and that the main branch has nothing of the draft.
	WasRejected Fate = "rejected"
	// TakenBack says that the draft was merged, and that the main branch has what it had before.
	TakenBack Fate = "taken back"
	// Offered says that the branch is gone and a part of the draft is on the main branch: what is left is offered again.
	Offered Fate = "offered again"
	// Removed says that people removed the package from the main branch.
	Removed Fate = "removed"
	// NotPushed says that the draft was announced, and that nobody has seen it.
	NotPushed Fate = "not pushed"
	// Foreign says that the package on the main branch is not the one that was drafted: it is somebody else's.
	Foreign Fate = "foreign"
	// Unknown says that the main branch is not the one that was seen last, so that what is not there is not gone.
	Unknown Fate = "unknown"
)

// Facts are what a fetch shows of a package with a draft.
type Facts struct {
	// Reached reports whether the commit that was seen last of the main branch is still in its history.
	Reached bool
	// Base and Seen are the package as the draft began, and as it was seen last; Main is the one on the main branch, and
	// Published the one that was published last.
	Base, Seen, Main, Published Files
	// Lost says that Seen is not known any more, because the branch is gone and the clone is a new one. MainHadSeen then
	// reports whether the main branch has, or had, the same package as a whole.
	Lost, MainHadSeen bool
	// Branch is that of the draft; nil if it is not there.
	Branch *Branch
	// Announced reports whether the branch was never seen.
	Announced bool
	// LocksDiffer reports whether the draft has changed the lock; MainHasLock, whether the main branch has the draft's.
	LocksDiffer, MainHasLock bool
}

// Branch is the branch of a draft.
type Branch struct {
	// Files are those of the package there.
	Files Files
	// InHistory reports whether the main branch has its commit in the history, Beside whether it changes anything but the
	// package, Edited whether it has anything that the sync has not written.
	InHistory, Beside, Edited bool
}

// rule says what became of a draft; "" if it does not say it.
type rule func(*Facts) Fate

// rules are tried in order; the first that says something counts.
var rules = []rule{removed, foreign, openOrOver, gone}

// Became says what became of a draft (docs/design.md, "Packages in git"). For one that was merged although the main
// branch has other content than it was seen with, it names the files that differ.
func Became(f *Facts) (Fate, []string) {
	for _, r := range rules {
		if fate := r(f); fate != "" {
			if fate == Merged {
				return fate, f.differing()
			}
			return fate, nil
		}
	}
	return Open, nil
}

// removed: people removed a package that was there.
func removed(f *Facts) Fate {
	if f.Main == nil && f.Published != nil && f.Reached {
		return Removed
	}
	return ""
}

// foreign: at the place of a first draft there is a package that was not drafted.
func foreign(f *Facts) Fate {
	merged := f.Branch != nil && f.Branch.InHistory
	if f.Published == nil && f.Base == nil && f.Main != nil && !merged && !f.HasDraft() {
		return Foreign
	}
	return ""
}

// openOrOver: while its branch is there, a draft is over if merging it changes nothing.
func openOrOver(f *Facts) Fate {
	if f.Branch == nil {
		return ""
	}
	changes := changed(f.Base, f.Branch.Files)
	switch {
	case len(changes) == 0 && !f.Branch.Beside:
		return WasRejected
	case f.Branch.InHistory && maps.Equal(f.Main, f.before()) && !holds(f.Main, f.Base, f.Branch.Files):
		return TakenBack
	case f.Branch.InHistory:
		return Merged
	case f.Branch.Beside:
		return Open
	case holds(f.Main, f.Base, f.Branch.Files), !f.Branch.Edited && f.LocksDiffer && f.MainHasLock:
		return Merged
	}
	return Open
}

// gone: when its branch is gone, the main branch says what became of a draft.
func gone(f *Facts) Fate {
	switch {
	case f.HasDraft():
		return Merged
	case f.Announced:
		return NotPushed
	case !f.Reached:
		return Unknown
	}
	seen := f.Seen
	if f.Lost { // then any change may be one of the draft's
		seen = f.Main
	}
	for _, path := range changed(f.Base, seen) {
		if f.Main[path] != f.Base[path] {
			return Offered
		}
	}
	return WasRejected
}

// HasDraft reports whether the main branch has a draft as it was seen last: all that it changed, or, where others have
// changed more of it on the way, at least its lock.
func (f *Facts) HasDraft() bool {
	has := f.MainHadSeen
	if !f.Lost {
		has = holds(f.Main, f.Base, f.Seen)
	}
	return f.Main != nil && (has || f.LocksDiffer && f.MainHasLock)
}

// before is the package that the main branch had before the draft was merged.
func (f *Facts) before() Files {
	if f.Published != nil {
		return f.Published
	}
	return f.Base
}

// differing returns the files that the draft changed, as it was seen last, and that the main branch has otherwise.
func (f *Facts) differing() (paths []string) {
	if f.Lost {
		return nil
	}
	for _, path := range changed(f.Base, f.Seen) {
		if f.Main[path] != f.Seen[path] {
			paths = append(paths, path)
		}
	}
	return paths
}

// changed returns the paths at which two packages differ, sorted.
func changed(from, to Files) (paths []string) {
	for path, file := range to {
		if from[path] != file {
			paths = append(paths, path)
		}
	}
	for path := range from {
		if _, there := to[path]; !there {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// holds reports whether a package has all that changed from one to another.
func holds(in, from, to Files) bool {
	return !slices.ContainsFunc(changed(from, to), func(path string) bool { return in[path] != to[path] })
}
