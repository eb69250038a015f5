// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// counting installs a hook that sees a whole push: the script has the names of the refs in $refs and how many there are
// in $count. It returns how many refs each push had.
func counting(t *testing.T, remote *gittest.Remote, script string) func() string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pushes")
	remote.Hook("pre-receive", "refs=$(cut -d' ' -f3) count=$(echo \"$refs\" | wc -l)\necho $count >>"+file+"\n"+script)
	return func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
}

// drafts returns updates that make drafts.
func drafts(of string, count int, to git.Hash) (all []git.Update) {
	for i := range count {
		all = append(all, git.Update{Ref: fmt.Sprintf("refs/heads/drafts/%s/%03d", of, i), New: to})
	}
	return all
}

// outcomes counts results by what was said of them.
func outcomes(results []git.Result) map[string]int {
	all := map[string]int{}
	for _, r := range results {
		all[[]string{"pushed", "moved", "refused", "spoiled"}[r.Status]]++
	}
	return all
}

// TestSplit has servers that do not take a push as it is. The numbers are how many refs each push has that the server
// sees.
func TestSplit(t *testing.T) {
	t.Parallel()
	const declined = "[remote rejected] (pre-receive hook declined): "
	for name, c := range map[string]struct {
		// script is run by the server for each push, which has 40 refs.
		script, pushes string
		outcomes       map[string]int
		// words are those of the first ref that is not pushed.
		words string
		// next is what the server sees of a second push of 40 refs.
		next string
	}{
		"it takes all": {"", "40", map[string]int{"pushed": 40}, "", "40"},
		"it takes a few refs at once": {`[ $count -le 7 ] || { echo "Pushes can not update more than 7 branches or tags"; exit 1; }`,
			"40 20 10 5 5 5 5 5 5 5 5", map[string]int{"pushed": 40}, "", "5 5 5 5 5 5 5 5"},
		"it stops when there are many": {`[ $count -le 12 ] || kill -9 $PPID`, "40 20 10 10 10 10", map[string]int{"pushed": 40}, "",
			"10 10 10 10"},
		"it refuses all for the sake of one": {`case $refs in */003*) echo "no 003"; exit 1;; esac`, "40 20 10 5 3 2 1 1 5 10 20",
			map[string]int{"pushed": 39, "refused": 1}, declined + "no 003", "40 20 10 5 3 2 1 1 5 10 20"},
		"it dies of one": {`case $refs in */003*) kill -9 $PPID;; esac`, "40 20 10 5 3 2 1 1 5 10 20",
			map[string]int{"pushed": 39, "refused": 1}, "", "40 20 10 5 3 2 1 1 5 10 20"},
		"it refuses all, whatever is pushed": {"echo This repository is read-only; exit 1", "40 20 10 5 3 2 1 1 1 1 1 1 1 1 1 1 1",
			map[string]int{"refused": 40}, declined + "This repository is read-only", "40 20 10 5 3 2 1 1 1 1 1 1 1 1 1 1 1"},
		"it refuses all, and names each": {`for ref in $refs; do echo "$ref is bad"; done; exit 1`, "40 20 10 5 3 2 1 1 1 1 1 1 1 1 1 1 1",
			map[string]int{"refused": 40}, declined + "refs/heads/drafts/web/000 is bad", "40 20 10 5 3 2 1 1 1 1 1 1 1 1 1 1 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			remote := gittest.NewRemote(t, "packages")
			pushes := counting(t, remote, c.script)
			r := open(t, remote.Address())
			one := commit(t, r, "", "a/file", "1")
			results, err := r.Push(t.Context(), drafts("web", 40, one), false)
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, c.outcomes, outcomes(results))
			wantEqual(t, c.pushes, pushes())
			for _, result := range results {
				if result.Status != git.Pushed && c.words != "" {
					wantEqual(t, c.words, result.Words)
					break
				}
			}
			if _, err := r.Push(t.Context(), drafts("other", 40, one), false); err != nil {
				t.Fatal(err)
			}
			wantEqual(t, c.next, pushes())
		})
	}
}

// TestRefusedRange has a server refuse a push for the sake of many refs: all others are pushed, and each is refused by
// its own name.
func TestRefusedRange(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	pushes := counting(t, remote, `for ref in $refs; do case $ref in */bad/*) echo "$ref is bad"; exit 1;; esac; done`)
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	updates := append(append(drafts("a", 20, one), drafts("bad", 100, one)...), drafts("c", 20, one)...)
	results, err := r.Push(t.Context(), updates, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		want := git.Result{Update: result.Update}
		if strings.Contains(result.Ref, "bad") {
			want.Status, want.Words = git.Refused, "[remote rejected] (pre-receive hook declined): "+result.Ref+" is bad"
		}
		wantEqual(t, want, result)
	}
	wantEqual(t, 40, len(remote.Refs()))
	all := pushes()
	if n := len(strings.Fields(all)); n > 100 {
		t.Errorf("%d pushes are many for 140 refs: %s", n, all)
	}
}

// TestSplitLeavesMoved has a ref that moved in a push that is refused as a whole: the others are still looked at.
func TestSplitLeavesMoved(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	remote.Hook("pre-receive", `while read old new ref; do case $ref in */bad) echo "$ref is bad"; exit 1;; esac; done`)
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	wantEqual(t, []string{
		"heads/drafts/web/a pushed",
		"heads/drafts/web/bad refused [remote rejected] (pre-receive hook declined): refs/heads/drafts/web/bad is bad",
		"heads/drafts/web/gone moved [rejected] (stale info)",
		"heads/drafts/web/z pushed",
	}, push(t, r, false, git.Update{Ref: "refs/heads/drafts/web/a", New: one}, git.Update{Ref: "refs/heads/drafts/web/bad", New: one},
		git.Update{Ref: "refs/heads/drafts/web/gone", Old: one}, git.Update{Ref: "refs/heads/drafts/web/z", New: one}))
}

// TestDropped has a server that stops in the middle of each push: it is an error of the server, after few tries.
func TestDropped(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	pushes := counting(t, remote, "kill -9 $PPID")
	r := open(t, remote.Address())
	results, err := r.Push(t.Context(), drafts("web", 40, commit(t, r, "", "a/file", "1")), false)
	if err == nil || len(results) > 0 || !strings.HasPrefix(err.Error(), "cannot push to the git repository "+remote.Address()) ||
		!strings.Contains(err.Error(), "hung up unexpectedly") {
		t.Error(len(results), err)
	}
	wantEqual(t, "40 20 10 5 3 2 1 1 1", pushes())
}

// TestLostServer has a server go away in the middle of a push that it takes in parts: there are results of the first
// refs, and only of those that are known.
func TestLostServer(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	away := filepath.Join(t.TempDir(), "away.git")
	remote.Hook("pre-receive", "refs=$(cut -d' ' -f3); [ $(echo \"$refs\" | wc -l) -le 10 ] || exit 1\n"+
		"case $refs in */010*) mv "+remote.Dir+" "+away+"; exit 1;; esac")
	r := open(t, remote.Address())
	results, err := r.Push(t.Context(), drafts("web", 40, commit(t, r, "", "a/file", "1")), false)
	if err == nil || !strings.Contains(err.Error(), "does not appear to be a git repository") {
		t.Errorf("the error is %v", err)
	}
	wantEqual(t, map[string]int{"pushed": 10}, outcomes(results))
}
