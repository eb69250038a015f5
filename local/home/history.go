// SPDX-License-Identifier: Apache-2.0

package home

import (
	"errors"
	"strings"

	"github.com/package-variants/package-variants/local/git"
)

// maxBranch is in how many commits of a branch it is looked for what brought a package.
const maxBranch = 10_000

// history visits the commits of a branch, from its head along first parents, and says of each what it changed. The
// last one that is visited has changed everything.
func (c *clone) history(head git.Hash, visit func(at git.Hash, changed func(path string) bool) (bool, error)) error {
	now, err := c.git.Commit(head)
	if err != nil {
		return err
	}
	for range maxBranch {
		var before *git.Commit
		if len(now.Parents) > 0 {
			if before, err = c.git.Commit(now.Parents[0]); err != nil && !errors.Is(err, git.ErrMissing) {
				return err
			}
		}
		changed := func(string) bool { return true }
		if before != nil {
			paths := map[string]bool{}
			if err := c.changed(before.Tree, now.Tree, "", paths); err != nil {
				return err
			}
			changed = func(path string) bool { return paths[path] }
		}
		if on, err := visit(head, changed); err != nil || !on || before == nil {
			return err
		}
		head, now = now.Parents[0], before
	}
	_, err = visit(head, func(string) bool { return true })
	return err
}

// workspaceIn returns the workspace of the draft that a commit of the branch has of a package, by the lines in the
// commits from which that came; "" if none of the last has one.
func (c *clone) workspaceIn(at git.Hash, place string) (string, error) {
	for range maxSaves {
		commit, err := c.git.Commit(at)
		if err != nil {
			return "", err
		}
		if found := workspaceFor(place, commit.Message, nil, nil); found != "" || len(commit.Parents) == 0 {
			return found, nil
		}
		from := commit.Parents[0]
		if last := commit.Parents[len(commit.Parents)-1]; last != from {
			now, err := c.at(at, place)
			if err != nil {
				return "", err
			}
			if before, err := c.at(from, place); err != nil || before != now {
				from = last
			}
		}
		at = from
	}
	return "", nil
}

// changed collects the directories that differ between two trees.
func (c *clone) changed(a, b git.Hash, below string, into map[string]bool) error {
	if a == b {
		return nil
	}
	into[strings.TrimSuffix(below, "/")] = true
	trees := map[string][2]git.Hash{}
	for i, tree := range []git.Hash{a, b} {
		if tree == "" {
			continue
		}
		entries, err := c.git.Tree(tree)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Mode == git.Directory {
				pair := trees[e.Name]
				pair[i] = e.Hash
				trees[e.Name] = pair
			}
		}
	}
	for name, pair := range trees {
		if err := c.changed(pair[0], pair[1], below+name+"/", into); err != nil {
			return err
		}
	}
	return nil
}
