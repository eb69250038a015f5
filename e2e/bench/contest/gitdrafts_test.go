// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/google/go-cmp/cmp"
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
	for _, file := range slices.Sorted(maps.Keys(files)) { // in the order that git requires
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

// TestGitDrafts checks that the branches of drafts are returned, each once per commit.
func TestGitDrafts(t *testing.T) {
	t.Parallel()
	git := t.TempDir()
	g := newGitDrafts(git, []string{"edge-1", "edge-2"})
	expect := func(what, fault string, want ...draft) {
		t.Helper()
		got, err := g.changed(t.Context())
		if (err == nil) != (fault == "") || err != nil && err.Error() != fault {
			t.Errorf("%s: error %v, want %s", what, err, fault)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(draft{}, pkgKey{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	one, two := map[string]string{"a.yaml": "a: 1\n"}, map[string]string{"b.yaml": "b: 2\n"}
	first := newRepository(t, git, "edge-1")
	expect("without a repository", "repository edge-2: repository does not exist")
	newRepository(t, git, "edge-2").put("drafts/web-00/packagevariant-1", "web-00", one)
	first.put("drafts/web-01/packagevariant-2", "web-01", one)
	first.put("main", "web-00", two)
	expect("two drafts", "", draft{pkgKey{"edge-1", "web-01"}, "packagevariant-2", one},
		draft{pkgKey{"edge-2", "web-00"}, "packagevariant-1", one})
	expect("nothing has changed", "")
	first.put("drafts/web-01/packagevariant-2", "web-01", two)
	expect("a draft has changed", "", draft{pkgKey{"edge-1", "web-01"}, "packagevariant-2", two})
}
