// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// gitDrafts are the drafts of a Porch with the CR cache: branches, read from the directories of the git server. The
// files of a branch are read when it has moved.
type gitDrafts struct {
	git          string // the directory of the git server
	repositories []string
	seen         map[branch]plumbing.Hash // the commit at which a branch was last read
}

// branch is a branch of a Repository.
type branch struct{ repository, name string }

// newGitDrafts returns the drafts of Repositories; none has been seen yet.
func newGitDrafts(git string, repositories []string) *gitDrafts {
	return &gitDrafts{git: git, repositories: repositories, seen: map[branch]plumbing.Hash{}}
}

// changed implements drafts.
func (g *gitDrafts) changed(context.Context) ([]draft, error) {
	var all []draft
	var faults []error
	for _, repository := range g.repositories {
		changed, err := g.changedIn(repository)
		if err != nil {
			faults = append(faults, fmt.Errorf("repository %s: %w", repository, err))
		}
		all = slices.Concat(all, changed)
	}
	return all, errors.Join(faults...)
}

// changedIn reads the drafts in a Repository whose branches have moved.
func (g *gitDrafts) changedIn(repository string) (changed []draft, err error) {
	git, err := gogit.PlainOpen(filepath.Join(g.git, gitName(repository))) // opened again, to find new objects
	if err != nil {
		return nil, err
	}
	branches, err := git.Branches()
	if err != nil {
		return nil, err
	}
	defer branches.Close()
	err = branches.ForEach(func(reference *plumbing.Reference) error {
		name, found := strings.CutPrefix(reference.Name().Short(), "drafts/")
		key := branch{repository, name}
		if !found || g.seen[key] == reference.Hash() {
			return nil
		}
		d := draft{pkgKey: pkgKey{repository, path.Dir(name)}, workspace: path.Base(name)}
		if d.files, err = packageFiles(git, reference.Hash(), d.name); err != nil {
			return err
		}
		g.seen[key] = reference.Hash()
		changed = append(changed, d)
		return nil
	})
	return changed, err
}

// packageFiles returns the files of a package at a commit, by path.
func packageFiles(repository *gogit.Repository, hash plumbing.Hash, name string) (map[string]string, error) {
	commit, err := repository.CommitObject(hash)
	if err != nil {
		return nil, err
	}
	tree, err := commit.Tree()
	if err != nil {
		return nil, err
	}
	if tree, err = tree.Tree(name); err != nil {
		return nil, err
	}
	files := map[string]string{}
	err = tree.Files().ForEach(func(file *object.File) error {
		content, err := file.Contents()
		files[file.Name] = content
		return err
	})
	return files, err
}
