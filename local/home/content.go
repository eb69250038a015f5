// SPDX-License-Identifier: Apache-2.0

package home

import "github.com/package-variants/package-variants/local/git"

// What is on a branch decides what is published and which drafts are done. These rules take values only.

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
