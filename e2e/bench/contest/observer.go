// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// look is how often an observer looks: no time is measured better than that.
const look = 25 * time.Millisecond

// observer sees packages become right. It reads the branches that Porch keeps drafts in, from the directories of the
// git server, and a branch's files when the branch has moved. So it asks nothing of Porch or of the Kubernetes API,
// whose work is measured.
type observer struct {
	git  string                    // the directory of the git server
	want map[string]map[string]pkg // by Repository and name
	// seen is the commit at which a branch was last read.
	seen map[branch]plumbing.Hash
	// right is the draft of a package that was right when it was last read, and wrong what was not right in another.
	right map[pkgKey]string
	wrong map[pkgKey]error
	fault error // why a repository could not be read the last time
}

// branch is a branch of a Repository.
type branch struct{ repository, name string }

// pkgKey is a package of a Repository.
type pkgKey struct{ repository, name string }

// newObserver returns an observer of packages, of which none has been seen yet.
func newObserver(git string, packages []pkg) *observer {
	o := &observer{
		git: git, want: map[string]map[string]pkg{}, seen: map[branch]plumbing.Hash{},
		right: map[pkgKey]string{}, wrong: map[pkgKey]error{},
	}
	for _, p := range packages {
		if o.want[p.Repository] == nil {
			o.want[p.Repository] = map[string]pkg{}
		}
		o.want[p.Repository][p.Name] = p
		o.wrong[pkgKey{p.Repository, p.Name}] = fmt.Errorf("%s: there is no draft", p)
	}
	return o
}

// await returns once all packages have been right at one time, and says when that was. If ctx ends before, the error
// has what was not right.
func (o *observer) await(ctx context.Context) (time.Time, error) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		if o.look(); len(o.right) == len(o.wrong) {
			return time.Now(), nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("%d of %d packages are right: %w: %w", len(o.right), len(o.wrong), context.Cause(ctx),
				o.example())
		case <-ticker.C:
		}
	}
}

// example returns what is not right in one of the packages, or why none can be read.
func (o *observer) example() error {
	for key, err := range o.wrong {
		if _, right := o.right[key]; !right {
			return errors.Join(err, o.fault)
		}
	}
	return nil
}

// look looks at all packages once. What cannot be read is read the next time: git is being written to.
func (o *observer) look() {
	o.fault = nil
	for repository, packages := range o.want {
		if err := o.lookInto(repository, packages); err != nil {
			o.fault = fmt.Errorf("repository %s: %w", repository, err)
		}
	}
}

// lookInto reads those drafts in a Repository that have moved.
func (o *observer) lookInto(repository string, packages map[string]pkg) error {
	git, err := gogit.PlainOpen(filepath.Join(o.git, gitName(repository))) // anew, to find the objects that have come
	if err != nil {
		return err
	}
	branches, err := git.Branches()
	if err != nil {
		return err
	}
	defer branches.Close()
	return branches.ForEach(func(reference *plumbing.Reference) error {
		draft, found := strings.CutPrefix(reference.Name().Short(), "drafts/")
		p, wanted := packages[path.Dir(draft)]
		key := branch{repository, draft}
		if !found || !wanted || o.seen[key] == reference.Hash() {
			return nil
		}
		files, err := packageFiles(git, reference.Hash(), p.Name)
		if err != nil {
			return err
		}
		o.seen[key] = reference.Hash()
		o.judge(p, draft, p.check(files))
		return nil
	})
}

// judge takes down whether a draft of a package is right. The package is as long as one of its drafts is.
func (o *observer) judge(p pkg, draft string, wrong error) {
	key := pkgKey{p.Repository, p.Name}
	switch {
	case wrong == nil:
		o.right[key] = draft
	case o.right[key] == draft:
		delete(o.right, key)
		o.wrong[key] = wrong
	default:
		o.wrong[key] = wrong
	}
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
