// SPDX-License-Identifier: Apache-2.0

package home

import "github.com/package-variants/package-variants/local/git"

// What is on a branch decides what is published and which drafts are done. These rules take values only.

// needsTag reports whether what a branch has of an owned package is to be published: it is there, and it is not what
// was published last.
func needsTag(onBranch, latest git.Hash) bool { return onBranch != "" && onBranch != latest }

// verdict is what is to be done about a draft.
type verdict int

const (
	// open says nothing: the branch has nothing newer.
	open verdict = iota
	// done says that merging the draft would change nothing.
	done
	// behind says that the branch has something newer of the package, so that git has to merge it into the draft.
	behind
)

// draftState is a draft and its branch.
type draftState struct {
	// merged reports whether the branch has the draft's commit in its history.
	merged bool
	// base, draft and branch are the trees of the package where the draft began, in the draft, and on the branch.
	base, draft, branch git.Hash
	// beside reports whether the draft has changes beside its package.
	beside bool
}

// verdict returns what is known of a draft without merging it.
func (s *draftState) verdict() verdict {
	switch {
	case s.merged, !s.beside && (s.draft == s.branch || s.draft == s.base):
		return done
	case s.base == s.branch:
		return open
	}
	return behind
}

// boundary returns the commits of a branch that a draft's own commits come from. The commits of drafts are those that
// the branch does not have, with their parents.
func boundary(head git.Hash, commits map[git.Hash][]git.Hash) (from []git.Hash) {
	seen := map[git.Hash]bool{}
	for stack := []git.Hash{head}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		parents, own := commits[at]
		if !own {
			from = append(from, at)
			continue
		}
		stack = append(stack, parents...)
	}
	return from
}

// workspaceFor returns the workspace of a revision that was published by a merge: that of the line in the commit that
// was tagged, or else of the one draft that was merged. It is "" if there is none, or if it is in use.
func workspaceFor(place string, message string, merged []string, used map[string]bool) string {
	candidates := merged
	for _, a := range annotationsOf(message) {
		if a.Package == place {
			candidates = []string{a.Workspace}
			break
		}
	}
	if len(candidates) != 1 || used[candidates[0]] {
		return ""
	}
	return candidates[0]
}
