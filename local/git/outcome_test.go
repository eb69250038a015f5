// SPDX-License-Identifier: Apache-2.0

package git

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pushedRefs returns refs that are being pushed.
func pushedRefs(updates ...Update) (all []*pushed) {
	for _, u := range updates {
		all = append(all, &pushed{Result: &Result{Update: u}})
	}
	return all
}

// TestReadPush reads what git and servers say of refs that were not pushed.
func TestReadPush(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out, words string
		want       [2]Status
		said       [2]string
	}{
		"both are pushed":             {"To x\n \tabc:refs/heads/a\ta..b\n*\tabc:refs/heads/b\t[new branch]\nDone\n", "", [2]Status{}, [2]string{}},
		"one is up to date, one ends": {"=\tabc:refs/heads/a\t[up to date]\n-\t:refs/heads/b\t[deleted]\n", "", [2]Status{}, [2]string{}},
		"a lock is lost on the server": {"!\tabc:refs/heads/a\t[remote rejected] (failed to update ref)\n+\tabc:refs/heads/b\ta...b\n",
			"remote: error: cannot lock ref 'refs/heads/a': is at 1 but expected 2\n", [2]Status{Moved, Pushed},
			[2]string{"[remote rejected] (failed to update ref): error: cannot lock ref 'refs/heads/a': is at 1 but expected 2", ""}},
		"GitHub protects a branch": {"!\tabc:refs/heads/a\t[remote rejected] (protected branch hook declined)\n*\tabc:refs/heads/b\t[new branch]\n",
			"remote: error: GH006: Protected branch update failed for refs/heads/a.\nremote: \nremote: - Changes must be made through a pull request.\n",
			[2]Status{Refused, Pushed}, [2]string{"[remote rejected] (protected branch hook declined): error: GH006: Protected branch " +
				"update failed for refs/heads/a.", ""}},
		"an atomic push fails": {"!\tabc:refs/heads/a\t[rejected] (stale info)\n!\tabc:refs/heads/b\t[rejected] (atomic push failed)\n", "",
			[2]Status{Moved, Spoiled}, [2]string{"[rejected] (stale info)", "[rejected] (atomic push failed)"}},
	} {
		refs := pushedRefs(Update{Ref: "refs/heads/a"}, Update{Ref: "refs/heads/b"})
		if !readPush(refs, c.out, c.words) {
			t.Fatal(name)
		}
		for i, r := range refs {
			if r.Status != c.want[i] || r.Words != c.said[i] {
				t.Errorf("%s: %d %q", name, r.Status, r.Words)
			}
		}
	}
	if refs := pushedRefs(Update{Ref: "refs/heads/a"}, Update{Ref: "refs/heads/b"}); readPush(refs,
		"*\tabc:refs/heads/b\t[new branch]\n", "") {
		t.Error("nothing was said of refs/heads/a")
	}
}

// TestWordsOfEach tells the lines that name a ref from those that name one with a longer name.
func TestWordsOfEach(t *testing.T) {
	t.Parallel()
	refs := pushedRefs(Update{Ref: "refs/heads/drafts/web/a"}, Update{Ref: "refs/heads/drafts/web/ab"},
		Update{Ref: "refs/tags/web/v1"}, Update{Ref: "refs/heads/main"})
	said := readRemote(refs, "remote: error: drafts/web/ab is bad.\nremote: cannot lock ref 'refs/heads/drafts/web/a'\n"+
		"remote: refs/tags/web/v1: no, refs/tags/web/v1 never\nTo x\n")
	for ref, want := range map[string]string{
		"refs/heads/drafts/web/a":  ": cannot lock ref 'refs/heads/drafts/web/a'",
		"refs/heads/drafts/web/ab": ": error: drafts/web/ab is bad.",
		"refs/tags/web/v1":         ": refs/tags/web/v1: no, refs/tags/web/v1 never",
		"refs/heads/main": ": error: drafts/web/ab is bad., cannot lock ref 'refs/heads/drafts/web/a', refs/tags/web/v1: no, " +
			"refs/tags/web/v1 never",
	} {
		if diff := cmp.Diff(want, said.of(ref)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
	}
}

// TestStatusOf tells a ref that moved, which is decided on again, from one that is refused, of which a person is told.
func TestStatusOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary, said string
		want          Status
		whole         bool
	}{
		{"[rejected] (stale info)", "", Moved, false},
		{"[rejected] (fetch first)", "", Moved, false},
		{"[rejected] (non-fast-forward)", "", Moved, false},
		{"[rejected] (atomic push failed)", "", Spoiled, false},
		{"[remote rejected] (atomic push failure)", "", Spoiled, false},
		{"[remote rejected] (atomic transaction failed)", "", Spoiled, false},
		{"[remote rejected] (transaction aborted)", "", Spoiled, false},
		{"[remote rejected] (failed to update ref)", "error: cannot lock ref 'refs/heads/a': is at 1 but expected 2", Moved, false},
		{"[remote rejected] (incorrect old value provided)", "", Moved, false},
		{"[remote rejected] (reference already exists)", "", Moved, false},
		{"[remote rejected] (reference does not exist)", "", Moved, false},
		{"[remote rejected] (cannot lock ref 'refs/heads/a': is at 1 but expected 2)", "", Moved, false},
		{"[remote rejected] (failed to lock)", "", Moved, false},
		{"[remote rejected] (failed to update ref)", "error: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
			Refused, false},
		{"[remote rejected] (refname conflict)", "", Refused, false},
		{"[remote rejected] (non-fast-forward)", "", Refused, false}, // receive.denyNonFastForwards
		{"[remote rejected] (non-fast forward)", "", Refused, false}, // the same in JGit
		{"[remote rejected] (hook declined)", "", Refused, false},
		{"[remote rejected] (protected branch hook declined)", "", Refused, false},
		{"[remote rejected] (pre-receive hook declined)", "", Refused, true},
		{"[remote rejected] (push declined due to repository rule violations)", "- Pushes can not update more than 5 branches or tags", Refused, true},
		{"[remote rejected] (unpacker error)", "fatal: pack exceeds maximum allowed size", Refused, true},
		{"[remote failure] (remote failed to report status)", "", Refused, true},
	} {
		refs := pushedRefs(Update{Ref: "refs/heads/a/b"})
		if !readPush(refs, "!\tx:refs/heads/a/b\t"+c.summary+"\n", "remote: "+c.said+"\n") || refs[0].Status != c.want ||
			refs[0].whole != c.whole {
			t.Errorf("%s: %d %v", c.summary, refs[0].Status, refs[0].whole)
		}
	}
}

// TestParts cuts a push into lines of commands.
func TestParts(t *testing.T) {
	t.Parallel()
	hash := Hash(strings.Repeat("1", 40))
	var updates []Update
	for i := range 5 {
		updates = append(updates, Update{Ref: fmt.Sprintf("refs/heads/%d", i), New: hash})
	}
	gone := []Update{{Ref: "refs/heads/5", Old: hash}, {Ref: "refs/heads/6", Old: hash}, {Ref: "refs/heads/7", Old: hash}}
	for _, c := range []struct {
		transport transport
		room      int
		want      []int
	}{
		{direct, 0, []int{5, 1, 1, 1}},
		{direct, 32, []int{7, 1}}, // a removal needs 16 characters
		{direct, 1000, []int{8}},
		{helped, 0, []int{1, 1, 1, 1, 1, 1, 1, 1}},
		{helped, 299, []int{3, 3, 2}}, // a lease needs 75
	} {
		var got []int
		for _, part := range parts(pushedRefs(append(updates, gone...)...), c.transport, c.room) {
			got = append(got, len(part))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %d (-want +got):\n%s", c.transport, c.room, diff)
		}
	}
}

// TestTransportOf finds how git pushes by the user's configuration: what is for pushes only counts first.
func TestTransportOf(t *testing.T) {
	for i, setting := range [][2]string{{"url.ssh://git@x/.pushInsteadOf", "https://x/"}, {"url.https://x/.insteadOf", "https://x/"},
		{"url.https://y/.insteadOf", "y:"}} {
		t.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), setting[0])
		t.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), setting[1])
	}
	t.Setenv("GIT_CONFIG_COUNT", "3")
	for address, want := range map[string]transport{"https://x/a": direct, "y:a": helped, "https://y/a": helped, "/srv/a": direct,
		"file:///srv/a": direct, "git@z:a": direct, "foo::a": helped, "http://z/a": helped} {
		r := newRepository("none")
		r.address = address
		if got, err := r.transportOf(t.Context()); err != nil || got != want {
			t.Errorf("%s: %s, %v", address, got, err)
		}
	}
}

// TestIsRefName compares with git itself.
func TestIsRefName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refs/heads/a", "refs/heads/a/b.c", "refs/heads/é", "refs/heads/-a", "refs/heads/@", "refs/heads/a@b",
		"refs/heads/.a", "refs/heads/a/.b", "refs/heads/a..b", "refs/heads/a.lock", "refs/heads/a.lock/b", "refs/heads/a.", "refs/heads/a/",
		"refs/heads//a", "refs/heads/a b", "refs/heads/a\tb", "refs/heads/a\x7fb", "refs/heads/a~b", "refs/heads/a^b", "refs/heads/a:b",
		"refs/heads/a?b", "refs/heads/a*b", "refs/heads/a[b", "refs/heads/a\\b", "refs/heads/a@{b", "refs/heads/a\nb", "refs/heads/\u0085"} {
		want := exec.CommandContext(t.Context(), "git", "check-ref-format", name).Run() == nil
		if got := IsRefName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if IsRefName("heads/a") || IsRefName("") {
		t.Error("a name that is not full is taken")
	}
}
