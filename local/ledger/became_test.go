// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/git"
)

// files returns a package from words such as "a=1 lock=2"; nil for "".
func files(words string) Files {
	if words == "" {
		return nil
	}
	all := Files{}
	for word := range strings.FieldsSeq(words) {
		path, content, _ := strings.Cut(word, "=")
		all[path] = File{Mode: git.File, Hash: git.Hash(content)}
	}
	return all
}

// branch returns the branch of a draft with a package; nil for "". What follows a comma is "merged", in the history of
// the main branch, "beside", with changes of something else, or "edited", with what people have committed to it.
func branch(words string) *Branch {
	text, how, _ := strings.Cut(words, ",")
	if words == "" {
		return nil
	}
	return &Branch{Files: files(text), InHistory: how == "merged", Beside: how == "beside", Edited: how == "edited"}
}

// became are drafts, each as it began, as it was seen last, and as it is on its branch, with the main branch and with
// what was published last. The file lock stands for the lock in the Kptfile.
var became = []struct {
	name                                string
	base, seen, branch, main, published string
	// lost says that what was seen is not known any more, and what the main branch has of it: it had it, or its lock.
	lost                 string
	elsewhere, announced bool
	want                 Fate
	differing            []string
}{
	{name: "it waits", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=2", main: "lock=1 a=1",
		published: "lock=1 a=1", want: Open},
	{name: "it waits, and a person has committed to it", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=3",
		main: "lock=1 a=1", published: "lock=1 a=1", want: Open},
	{name: "it waits beside a hotfix", base: "lock=1 a=1 b=1", seen: "lock=2 a=2 b=1", branch: "lock=2 a=2 b=1",
		main: "lock=1 a=1 b=9", published: "lock=1 a=1 b=1", want: Open},
	{name: "its branch changes something else, too", base: "lock=1", seen: "lock=2", branch: "lock=2,beside",
		main: "lock=2", published: "lock=1", want: Open},

	{name: "a merge commit", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=2,merged", main: "lock=2 a=2",
		published: "lock=1 a=1", want: Merged},
	{name: "a squash", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=2", main: "lock=2 a=2",
		published: "lock=1 a=1", want: Merged},
	{name: "a squash beside a hotfix", base: "lock=1 a=1 b=1", seen: "lock=2 a=2 b=1", branch: "lock=2 a=2 b=1",
		main: "lock=2 a=2 b=9", published: "lock=1 a=1 b=1", want: Merged},
	{name: "a squash with what a reviewer committed", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=3",
		main: "lock=2 a=3", published: "lock=1 a=1", want: Merged, differing: []string{"a"}},
	{name: "a squash with what the merger changed", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=2",
		main: "lock=2 a=3", published: "lock=1 a=1", want: Merged, differing: []string{"a"}},
	{name: "a squash with what the merger changed, of a draft that people edited", base: "lock=1 a=1", seen: "lock=2 a=2",
		branch: "lock=2 a=2,edited", main: "lock=2 a=3", published: "lock=1 a=1", want: Open},
	{name: "a squash that removes a file", base: "lock=1 a=1", seen: "lock=2", branch: "lock=2", main: "lock=2",
		published: "lock=1 a=1", want: Merged},
	{name: "a merge commit, and a hotfix of the same value", base: "lock=1 a=1", seen: "lock=2 a=2",
		branch: "lock=2 a=2,merged", main: "lock=2 a=9", published: "lock=1 a=1", want: Merged, differing: []string{"a"}},
	{name: "a merge commit whose tag was pushed, and the end of its branch was not", base: "lock=1 a=1",
		seen: "lock=2 a=2", branch: "lock=2 a=2,merged", main: "lock=2 a=2", published: "lock=2 a=2", want: Merged},

	{name: "merged, and its branch is gone", base: "lock=1 a=1", seen: "lock=2 a=2", main: "lock=2 a=2",
		published: "lock=1 a=1", want: Merged},
	{name: "merged with what a reviewer committed, and its branch is gone", base: "lock=1 a=1", seen: "lock=2 a=2",
		main: "lock=2 a=3", published: "lock=1 a=1", want: Merged, differing: []string{"a"}},
	{name: "a first draft, with what a reviewer committed, and its branch is gone", seen: "lock=1 a=1",
		main: "lock=1 a=3 b=1", want: Merged, differing: []string{"a"}},
	{name: "merged, and its branch is gone, and so is what it was", base: "lock=1 a=1", main: "lock=2 a=2",
		published: "lock=1 a=1", lost: "had", want: Merged},
	{name: "merged with other content, and what it was is gone", base: "lock=1 a=1", main: "lock=2 a=3",
		published: "lock=1 a=1", lost: "lock", want: Merged},
	{name: "deleted, and what it was is gone", base: "lock=1 a=1", main: "lock=1 a=1", published: "lock=1 a=1",
		lost: "nothing", want: WasRejected},
	{name: "deleted beside a hotfix, and what it was is gone", base: "lock=1 a=1", main: "lock=1 a=9",
		published: "lock=1 a=1", lost: "nothing", want: Offered},
	{name: "merged before anybody has seen it", base: "lock=1 a=1", seen: "lock=2 a=2", main: "lock=2 a=2",
		published: "lock=1 a=1", announced: true, want: Merged},
	{name: "an edit that changes no lock, merged with other content", base: "lock=1 a=1 b=1", seen: "lock=1 a=2 b=2",
		main: "lock=1 a=2 b=3", published: "lock=1 a=1 b=1", want: Offered},

	{name: "deleted", base: "lock=1 a=1", seen: "lock=2 a=2", main: "lock=1 a=1", published: "lock=1 a=1",
		want: WasRejected},
	{name: "deleted beside a hotfix of something else", base: "lock=1 a=1 b=1", seen: "lock=2 a=2 b=1",
		main: "lock=1 a=1 b=9", published: "lock=1 a=1 b=1", want: WasRejected},
	{name: "a first draft, deleted", seen: "lock=1 a=1", want: WasRejected},
	{name: "reset to what is published", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=1 a=1",
		main: "lock=1 a=1", published: "lock=1 a=1", want: WasRejected},
	{name: "reset to the head of the main branch", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=1 a=1,merged",
		main: "lock=1 a=1", published: "lock=1 a=1", want: WasRejected},
	{name: "deleted, after a part was merged", base: "lock=1 a=1 b=1", seen: "lock=2 a=2 b=2", main: "lock=1 a=2 b=1",
		published: "lock=1 a=1 b=1", want: Offered},

	{name: "merged, and taken back", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=2,merged",
		main: "lock=1 a=1", published: "lock=1 a=1", want: TakenBack},
	{name: "a first draft, merged, and taken back", seen: "lock=1 a=1", branch: "lock=1 a=1,merged", want: TakenBack},
	{name: "the package was removed", base: "lock=1 a=1", seen: "lock=2 a=2", branch: "lock=2 a=2",
		published: "lock=1 a=1", want: Removed},
	{name: "another package at the place of a first draft", seen: "lock=1 a=1", branch: "lock=1 a=1", main: "a=7",
		want: Foreign},

	{name: "announced, and not pushed", base: "lock=1 a=1", seen: "lock=2 a=2", main: "lock=1 a=1",
		published: "lock=1 a=1", announced: true, want: NotPushed},
	{name: "gone, with another main branch", base: "lock=1 a=1", seen: "lock=2 a=2", main: "lock=1 a=1",
		published: "lock=1 a=1", elsewhere: true, want: Unknown},
	{name: "the package is gone, with another main branch", base: "lock=1 a=1", seen: "lock=2 a=2",
		published: "lock=1 a=1", elsewhere: true, want: Unknown},
	{name: "merged, with another main branch", base: "lock=1 a=1", seen: "lock=2 a=2", main: "lock=2 a=2",
		published: "lock=1 a=1", elsewhere: true, want: Merged},
}

// TestBecame says of each draft what became of it.
func TestBecame(t *testing.T) {
	t.Parallel()
	for _, c := range became {
		base, seen, main := files(c.base), files(c.seen), files(c.main)
		f := &Facts{Reached: !c.elsewhere, Base: base, Seen: seen, Main: main, Published: files(c.published),
			Branch: branch(c.branch), Announced: c.announced, LocksDiffer: base["lock"] != seen["lock"],
			MainHasLock: main != nil && main["lock"] == seen["lock"]}
		if c.lost != "" {
			f.Lost, f.MainHadSeen, f.MainHasLock, f.LocksDiffer = true, c.lost == "had", c.lost == "lock", true
		}
		fate, differing := Became(f)
		if diff := cmp.Diff(c.want, fate) + cmp.Diff(c.differing, differing); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
