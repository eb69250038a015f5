// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// repository is a git repository as the git server of a stack keeps it.
type repository struct {
	t *testing.T
	*gogit.Repository
}

func newRepository(t *testing.T, git, name string) *repository {
	t.Helper()
	r, err := gogit.PlainInit(filepath.Join(git, gitName(name)), true)
	if err != nil {
		t.Fatal(err)
	}
	return &repository{t, r}
}

// put makes a branch a commit of a package's files.
func (r *repository) put(branch, name string, files map[string]string) {
	r.t.Helper()
	store := func(encode func(plumbing.EncodedObject) error) plumbing.Hash {
		o := r.Storer.NewEncodedObject()
		if err := encode(o); err != nil {
			r.t.Fatal(err)
		}
		hash, err := r.Storer.SetEncodedObject(o)
		if err != nil {
			r.t.Fatal(err)
		}
		return hash
	}
	tree := &object.Tree{}
	for _, file := range slices.Sorted(maps.Keys(files)) { // as git wants them
		hash := store(func(o plumbing.EncodedObject) error {
			o.SetType(plumbing.BlobObject)
			w, err := o.Writer()
			if err != nil {
				return err
			}
			_, err = w.Write([]byte(files[file]))
			return errors.Join(err, w.Close())
		})
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: file, Mode: filemode.Regular, Hash: hash})
	}
	top := &object.Tree{Entries: []object.TreeEntry{{Name: name, Mode: filemode.Dir, Hash: store(tree.Encode)}}}
	commit := store((&object.Commit{TreeHash: store(top.Encode), Message: "a commit"}).Encode)
	reference := plumbing.NewHashReference(plumbing.NewBranchReferenceName(branch), commit)
	if err := r.Storer.SetReference(reference); err != nil {
		r.t.Fatal(err)
	}
}

// TestObserver holds that an observer says when all packages are right, and not before.
func TestObserver(t *testing.T) {
	t.Parallel()
	git := t.TempDir()
	one, two := sample(), sample()
	two.Repository = "edge-2"
	good := right(t, one)
	bad := maps.Clone(good)
	bad["service.yaml"] = "kind: Service\n"
	o := newObserver(git, []pkg{one, two})
	expect := func(what string, n int, message string) {
		t.Helper()
		o.look()
		err := o.example()
		if len(o.right) != n || (err == nil) != (message == "") || err != nil && !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %d are right, want %d; %v, want %s", what, len(o.right), n, err, message)
		}
	}
	expect("without repositories", 0, "there is no draft")
	first, second := newRepository(t, git, "edge-1"), newRepository(t, git, "edge-2")
	first.put("drafts/web-00/packagevariant-1", "web-00", good)
	first.put("drafts/web-01/packagevariant-1", "web-01", bad) // which is not waited for
	first.put("main", "web-00", bad)
	second.put("drafts/web-00/packagevariant-1", "web-00", bad)
	expect("one is right", 1, "edge-2/web-00 is not right")
	second.put("drafts/web-00/packagevariant-2", "web-00", good)
	expect("both are right", 2, "")
	if _, err := o.await(t.Context()); err != nil {
		t.Error(err)
	}
	first.put("drafts/web-00/packagevariant-1", "web-00", bad)
	expect("one is not right any more", 1, "edge-1/web-00 is not right")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("not soon"))
	defer cancel()
	if _, err := o.await(ctx); err == nil || !strings.HasPrefix(err.Error(),
		"1 of 2 packages are right: not soon: edge-1/web-00 is not right") {
		t.Errorf("await: %v", err)
	}
}
