// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/home"
)

// stateDir is the directory of a state below the path of its fleet.
const stateDir = ".fleet"

// branch is the state of a fleet in git.
type branch struct {
	git     *git.Repository
	address string
	// fleet names the fleet, dir is the directory of its state.
	fleet, dir string
	// at is where the branch was seen, tree what the state was then; "" for none.
	at, tree git.Hash
	// seen are the branches with packages, as they are recorded.
	seen home.Seen
	// known are the files as they were read, or written last.
	known written
}

// openBranch returns the state of a fleet at an address.
func openBranch(ctx context.Context, cache, address, fleet, at string) (*branch, error) {
	repository, err := git.OpenOwn(ctx, cache, address)
	if err != nil {
		return nil, fmt.Errorf("cannot read what was recorded of the fleet: %w", err)
	}
	return &branch{git: repository, address: address, fleet: fleet, dir: path.Join(at, stateDir), known: written{}}, nil
}

// fetch reads where the branch is.
func (b *branch) fetch(ctx context.Context) (at, tree git.Hash, err error) {
	refs, err := b.git.Fetch(ctx)
	if err != nil {
		return "", "", fmt.Errorf("cannot read what was recorded of the fleet: %w", err)
	}
	if at = refs[home.StateBranch].Commit; at != "" {
		tree, err = b.git.At(at, b.dir)
	}
	return at, tree, err
}

// load reads the state.
func (b *branch) load(ctx context.Context) (s *State, err error) {
	if b.at, b.tree, err = b.fetch(ctx); err != nil {
		return nil, err
	}
	files := map[string]file{}
	if b.tree != "" {
		if err := b.read(b.tree, "", files); err != nil {
			return nil, err
		}
	}
	if s, err = decode(files, b.known); err != nil {
		err = fmt.Errorf("what was recorded of the fleet cannot be used, and nothing was done: the branch package-variants "+
			"of %s, %s/%w: revert the commit that damaged it, or remove %s there, which forgets what was recorded",
			b.git.Address(), b.dir, err, b.dir)
	}
	if s != nil {
		b.seen = s.Seen
	}
	return s, err
}

// overlapping returns the directory of another fleet that has manifests of this one, above its path, or below it and
// such that there holds; "" for none.
func (b *branch) overlapping(there func(dir string) bool) (string, error) {
	if b.at == "" {
		return "", nil
	}
	dir := path.Dir(b.dir)
	for above := dir; above != "."; {
		above = path.Dir(above)
		if state, err := b.git.At(b.at, path.Join(above, stateDir)); err != nil || state != "" {
			return above, err
		}
	}
	if dir == "." {
		dir = "" // the whole tree
	}
	tree, err := b.git.At(b.at, dir)
	if err != nil || tree == "" {
		return "", err
	}
	return b.below(tree, dir, there)
}

// below returns the first directory below one with a tree that has a state, and for which there holds.
func (b *branch) below(tree git.Hash, dir string, there func(string) bool) (string, error) {
	entries, err := b.git.Tree(tree)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name)
		if e.Mode != git.Directory || e.Name == stateDir || !there(at) {
			continue
		}
		if state, err := b.git.At(b.at, path.Join(at, stateDir)); err != nil || state != "" {
			return at, err
		}
		if found, err := b.below(e.Hash, at, there); err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// file is a file of a state.
type file struct {
	blob git.Hash
	text string
}

func (b *branch) read(tree git.Hash, below string, into map[string]file) error {
	entries, err := b.git.Tree(tree)
	if err != nil {
		return err
	}
	var blobs []git.Hash
	for _, e := range entries {
		if e.Mode != git.Directory {
			blobs = append(blobs, e.Hash)
		}
	}
	texts, err := b.git.Blobs(blobs)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode != git.Directory {
			into[below+e.Name] = file{e.Hash, texts[e.Hash]}
		} else if err := b.read(e.Hash, below+e.Name+"/", into); err != nil {
			return err
		}
	}
	return nil
}

// errTwoSyncs says that the state was recorded by another sync.
var errTwoSyncs = errors.New("another sync of this fleet has recorded something meanwhile: this one has stopped, " +
	"run it again when the other one has ended")

// record commits a state and pushes that, if the state has changed. Other fleets may record theirs at the same time.
// That a branch with packages has moved is recorded with something else.
func (b *branch) record(ctx context.Context, s *State, subject string) error {
	tree, err := b.treeOf(s, b.seen)
	if err != nil || tree == b.tree {
		return err
	}
	if tree, err = b.treeOf(s, s.Seen); err != nil {
		return err
	}
	for range 5 {
		pushed, err := b.push(ctx, tree, subject)
		if err != nil {
			return fmt.Errorf("cannot record the state of the fleet: %w", err)
		}
		if pushed {
			b.seen = s.Seen
			return nil
		}
		at, seen, err := b.fetch(ctx)
		if err != nil {
			return err
		}
		if seen != b.tree {
			return errTwoSyncs
		}
		b.at = at
	}
	return errors.New("cannot record the state of the fleet: the branch package-variants moves all the time")
}

// treeOf returns the tree with a state in which branches are at these commits.
func (b *branch) treeOf(s *State, seen home.Seen) (git.Hash, error) {
	of := *s
	of.Seen = seen
	files, err := of.encode(b.fleet, b.git, b.known)
	if err != nil {
		return "", err
	}
	return b.put(files)
}

// put returns the tree with files.
func (b *branch) put(files map[string]git.Hash) (git.Hash, error) {
	tree, err := b.git.PutTree(nil)
	below := map[string][]git.Entry{}
	for name, blob := range files {
		dir, file := path.Split(name)
		below[dir] = append(below[dir], git.Entry{Mode: git.File, Name: file, Hash: blob})
	}
	for _, dir := range sortedNames(below) { // the root first
		var hash git.Hash
		if err == nil {
			hash, err = b.git.PutTree(below[dir])
		}
		if dir == "" {
			tree = hash
		} else if err == nil {
			tree, err = b.git.With(tree, strings.TrimSuffix(dir, "/"), hash)
		}
	}
	return tree, err
}

// push pushes a commit with the state, and reports whether the branch was where it was seen.
func (b *branch) push(ctx context.Context, tree git.Hash, subject string) (bool, error) {
	root, err := b.git.PutTree(nil)
	var parents []git.Hash
	if b.at != "" {
		parents = []git.Hash{b.at}
		last, err := b.git.Commit(b.at)
		if err != nil {
			return false, err
		}
		root = last.Tree
	}
	if err == nil {
		root, err = b.git.With(root, b.dir, tree)
	}
	if err != nil {
		return false, err
	}
	commit, err := b.git.PutCommit(ctx, &git.Commit{Tree: root, Parents: parents, Message: subject + "\n"})
	if err != nil {
		return false, err
	}
	results, err := b.git.Push(ctx, []git.Update{{Ref: home.StateBranch, Old: b.at, New: commit}}, false)
	switch {
	case err != nil:
		return false, err
	case results[0].Status == git.Refused:
		return false, fmt.Errorf("the git repository %s refuses %s: %s", b.git.Address(), home.StateBranch, results[0].Words)
	case results[0].Status != git.Pushed:
		return false, nil
	}
	b.at, b.tree = commit, tree
	return true, nil
}
