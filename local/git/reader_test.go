// SPDX-License-Identifier: Apache-2.0

package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/local/git/gittest"
	"k8s.io/utils/lru"
)

// recorder keeps what is asked of the process that reads.
type recorder struct {
	io.WriteCloser
	asked bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.asked.Write(p)
	return r.WriteCloser.Write(p)
}

// contents returns the objects of which the contents were asked for since the last call.
func (r *recorder) contents() (all []string) {
	for line := range strings.Lines(r.asked.String()) {
		if hash, ok := strings.CutPrefix(strings.TrimSpace(line), askContents+" "); ok {
			all = append(all, hash)
		}
	}
	r.asked.Reset()
	return all
}

// recorded returns a repository without a clone, which would have only what git fetches, and what is asked of the
// process that reads it.
func recorded(t *testing.T, remote *gittest.Remote) (*Repository, *recorder) {
	t.Helper()
	r := &Repository{dir: remote.Dir, address: remote.Address(), pending: map[Hash]object{}, known: map[Hash]bool{},
		trees: lru.New(maxTrees), commits: lru.New(maxCommits), places: lru.New(maxPlaces)}
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	asked := &recorder{WriteCloser: r.reader.in}
	r.reader.in = asked
	return r, asked
}

func wantEqual(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSizes reads objects that are too large, of another kind, or malformed: none of their contents is asked for where
// the header tells, the error says what to do, and the reader goes on.
func TestSizes(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	file := remote.Object("blob", "small\n")
	large := remote.Object("blob", strings.Repeat("x", bounds.GitBytes+1))
	tree := remote.Tree(gittest.Entry{Mode: File, Name: "file", Hash: file})
	wide := remote.Object("tree", strings.Repeat("40000 name\x00"+strings.Repeat("h", 20), bounds.GitBytes/31+1))
	header := "tree " + tree + "\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\n"
	commit, long := remote.Object("commit", header+"Short\n"), remote.Object("commit", header+strings.Repeat("x", bounds.GitBytes))
	tag := remote.Object("tag", "object "+commit+"\ntype commit\ntag v1\ntagger A <a@x> 1 +0000\n\n"+strings.Repeat("x", bounds.GitBytes))
	cut := remote.Object("tree", "40000 name\x00short")
	r, asked := recorded(t, remote)
	read := map[string]func(Hash) error{
		"commit": func(h Hash) error { _, err := r.Commit(h); return err },
		"tag":    func(h Hash) error { _, err := r.TagMessage(h); return err },
		"tree":   func(h Hash) error { _, err := r.Tree(h); return err },
		"blob": func(h Hash) error {
			_, err := r.BlobsWithin([]Hash{Hash(file), h}, func(sizes map[Hash]int64) error {
				if sizes[h] > bounds.GitBytes {
					return fmt.Errorf("%d bytes are too many", sizes[h])
				}
				return nil
			})
			return err
		},
	}
	const most = ", and may have 8388608: "
	for name, c := range map[string]struct {
		kind, hash, want string
		contents         []string
	}{
		"a commit":          {"commit", commit, "", []string{commit}},
		"a large commit":    {"commit", long, "is a commit of 8388704 bytes" + most + "shorten its message", nil},
		"a large tag":       {"tag", tag, "is a tag of 8388699 bytes" + most + "shorten its message", nil},
		"a large tree":      {"tree", wide, "is a tree of 8388631 bytes" + most + "spread the entries of the directory over several", nil},
		"a large file":      {"blob", large, "8388609 bytes are too many", nil},
		"a tree for a file": {"blob", tree, "is a tree, not a blob: correct what refers to it", nil},
		"a file for a tree": {"tree", large, "is a blob, not a tree: correct what refers to it", nil},
		"a cut tree":        {"tree", cut, "is a tree that ends in the middle of an entry: write the directory again", []string{cut}},
		"a small file":      {"blob", file, "", []string{file}},
	} {
		got := ""
		if err := read[c.kind](Hash(c.hash)); err != nil {
			got = strings.TrimPrefix(err.Error(), "the object "+c.hash+" ")
		}
		t.Run(name, func(t *testing.T) { wantEqual(t, c.want, got) })
		wantEqual(t, c.contents, asked.contents())
	}
	texts, err := r.Blobs([]Hash{Hash(file), Hash(large), Hash(file)})
	wantEqual(t, nil, err)
	wantEqual(t, []Hash{Hash(file), Hash(large)}, slices.SortedFunc(maps.Keys(texts), func(a, b Hash) int {
		return len(texts[a]) - len(texts[b])
	}))
}

// TestMissing asks for many files of which one is not there: the reader goes on.
func TestMissing(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	var all []Hash
	for i := range 3 * askedAtOnce {
		all = append(all, Hash(remote.Object("blob", fmt.Sprint(i))))
	}
	r, asked := recorded(t, remote)
	lost := Hash(strings.Repeat("1", 40))
	if _, err := r.Blobs(slices.Insert(slices.Clone(all), 70, lost)); !errors.Is(err, ErrMissing) {
		t.Errorf("the error is %v", err)
	}
	wantEqual(t, []string(nil), asked.contents())
	texts, err := r.Blobs(all)
	wantEqual(t, nil, err)
	for i, h := range all {
		wantEqual(t, fmt.Sprint(i), texts[h])
	}
	wantEqual(t, len(all), len(asked.contents()))
}

// TestHolding finds directories with a file, but for the root. A tree that has itself below it ten times, nine levels deep,
// ends the search, with files in it or without.
func TestHolding(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	file := remote.Object("blob", "kind: Kptfile\n")
	pkg := remote.Tree(gittest.Entry{Mode: File, Name: "Kptfile", Hash: file}, gittest.Entry{Mode: File, Name: "XKptfile", Hash: file})
	trees := []string{pkg, remote.Tree()}
	long := remote.Tree(gittest.Entry{Mode: Directory, Name: strings.Repeat("x", bounds.Path), Hash: pkg})
	for of := range trees {
		for range 9 {
			var entries []gittest.Entry
			for i := range 10 {
				entries = append(entries, gittest.Entry{Mode: Directory, Name: fmt.Sprint(i), Hash: trees[of]})
			}
			trees[of] = remote.Tree(entries...)
		}
	}
	kept := gittest.Entry{Mode: File, Name: "Kptfile", Hash: file}
	root := remote.Tree(kept, gittest.Entry{Mode: Directory, Name: "a", Hash: pkg},
		gittest.Entry{Mode: Directory, Name: "long", Hash: long})
	good := remote.CommitTree(remote.Tree(kept, gittest.Entry{Mode: Directory, Name: "a", Hash: root},
		gittest.Entry{Mode: Directory, Name: "a.b", Hash: pkg}, gittest.Entry{Mode: File, Name: "x", Hash: file}))
	bomb := remote.CommitTree(remote.Tree(gittest.Entry{Mode: Directory, Name: "b", Hash: trees[0]}))
	empty := remote.CommitTree(remote.Tree(gittest.Entry{Mode: Directory, Name: "b", Hash: trees[1]}))
	const bombed = " has more than 2000000 files and directories: remove those that are not needed, or move the packages to a git " +
		"repository of their own"
	r, _ := recorded(t, remote)
	for _, c := range []struct {
		commit string
		want   map[string]Hash
		err    string
	}{
		{good, map[string]Hash{"a": Hash(root), "a/a": Hash(pkg), "a.b": Hash(pkg)}, ""},
		{bomb, nil, "the object " + bomb + bombed},
		{empty, nil, "the object " + empty + bombed},
	} {
		got, err := r.Holding(t.Context(), Hash(c.commit), "Kptfile")
		wantEqual(t, c.want, got)
		said := ""
		if err != nil {
			said = err.Error()
		}
		wantEqual(t, c.err, said)
	}
}
