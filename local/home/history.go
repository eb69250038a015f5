// SPDX-License-Identifier: Apache-2.0

package home

import (
	"path"
	"strings"

	"github.com/package-variants/package-variants/local/git"
)

// maxBranch is in how many commits of a branch it is looked for what brought a package.
const maxBranch = 10_000

// changed reports whether a commit has something else at the path of a directory than the one before it.
type changed func(dir string) (bool, error)

// everything is what has changed with the last commit that is looked at.
func everything(string) (bool, error) { return true, nil }

// history visits the commits of a branch, from its head along first parents, and says of each what it changed. The
// last one that is visited has changed everything.
func (c *clone) history(head git.Hash, visit func(at git.Hash, changes changed) (bool, error)) error {
	now, err := c.git.Commit(head)
	if err != nil {
		return err
	}
	for range maxBranch {
		var before *git.Commit
		if len(now.Parents) > 0 {
			if before, err = c.git.Commit(now.Parents[0]); err != nil && !cutOff(err) {
				return err
			}
		}
		what := changed(everything)
		if before != nil {
			trees := &comparison{c.git, [2]git.Hash{before.Tree, now.Tree}, map[string][2]map[string]git.Hash{}}
			what = trees.differ
		}
		if on, err := visit(head, what); err != nil || !on || before == nil {
			return err
		}
		head, now = now.Parents[0], before
	}
	_, err = visit(head, everything)
	return err
}

// workspaceIn returns the workspace of the draft that a commit of the branch has of a package, by the lines in the
// commits from which that came as it is, or, where people may have changed it since, in those before; "" if none of the
// last has one.
func (c *clone) workspaceIn(at git.Hash, place string, edited bool) (string, error) {
	now, err := c.at(at, place)
	if err != nil {
		return "", err
	}
	for range maxSaves {
		commit, err := c.git.Commit(at)
		if err != nil {
			return "", err
		}
		if found := workspaceFor(place, commit.Message, nil, nil); found != "" || len(commit.Parents) == 0 {
			return found, nil
		}
		same := false
		var before git.Hash
		for _, at = range commit.Parents {
			if before, err = c.at(at, place); err != nil {
				return "", err
			}
			if same = before == now; same {
				break
			}
		}
		if !same && !edited {
			return "", nil
		}
		now = before
	}
	return "", nil
}

// comparison compares the directories of two trees. It reads only those on the way to what is asked for: in a tree,
// the same directory may stand in more places than anyone can visit.
type comparison struct {
	git   *git.Repository
	roots [2]git.Hash
	// below are the directories in those that differ, by the paths of these.
	below map[string][2]map[string]git.Hash
}

// differ reports whether the trees have something else at a path, which is that of a directory.
func (c *comparison) differ(dir string) (bool, error) {
	both, err := c.at(dir)
	return both[0] != both[1], err
}

// at returns what the trees have at a path; nothing where they are equal.
func (c *comparison) at(dir string) (both [2]git.Hash, err error) {
	if dir == "" {
		return c.roots, nil
	}
	above, name := path.Split(dir)
	above = strings.TrimSuffix(above, "/")
	trees, err := c.at(above)
	if err != nil || trees[0] == trees[1] {
		return both, err
	}
	in, known := c.below[above]
	if !known {
		for i, tree := range trees {
			if in[i], err = c.directories(tree); err != nil {
				return both, err
			}
		}
		c.below[above] = in
	}
	return [2]git.Hash{in[0][name], in[1][name]}, nil
}

// directories returns the directories in a tree, which may be none.
func (c *comparison) directories(tree git.Hash) (map[string]git.Hash, error) {
	if tree == "" {
		return nil, nil
	}
	entries, err := c.git.Tree(tree)
	if err != nil {
		return nil, err
	}
	all := make(map[string]git.Hash, len(entries))
	for _, e := range entries {
		if e.Mode == git.Directory {
			all[e.Name] = e.Hash
		}
	}
	return all, nil
}
