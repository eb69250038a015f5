// SPDX-License-Identifier: Apache-2.0

package reviews

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// group is the group of the tests.
var group = Group{Repository: "git.example.com/sites", Base: "main", Namespace: "default", Set: "web", Wave: "europe",
	Upstream: "web", Revision: "v3"}

// drafts returns candidates as a text says: the names of sites, each with the tree of its draft after a colon; one with !
// stays alone, and one with ^ is for the next revision.
func drafts(text string) (all []Candidate) {
	for word := range strings.FieldsSeq(text) {
		name, tree, _ := strings.Cut(strings.TrimRight(word, "!^"), ":")
		c := Candidate{Group: group, Member: member(name, tree)}
		if strings.Contains(word, "!") {
			c.Alone = "it has a conflict"
		}
		if strings.Contains(word, "^") {
			c.Revision = "v4"
		}
		all = append(all, c)
	}
	return all
}

func member(name, tree string) Member {
	return Member{Draft: Draft{Key: ledger.Key{Namespace: "default", Repository: name, Package: "web"},
		Workspace: "packagevariant-2"}, Directory: name + "/web", Tree: git.Hash(tree), Main: "m", From: "v2"}
}

// of returns a review of drafts.
func of(part int, text string, tip git.Hash) Review {
	r := Review{Group: group, Part: part, Tip: tip, Seen: tip != ""}
	for _, c := range drafts(text) {
		r.Members = append(r.Members, c.Member)
	}
	return r
}

// shown writes steps for people.
func shown(steps []Step) (out []string) {
	for _, s := range steps {
		text := []string{"keep", "make", "end"}[s.Do] + " " + strings.TrimPrefix(s.Ref(), Prefix+"default/web/europe/") + ":"
		for _, m := range s.Members {
			text += fmt.Sprintf(" %s:%s", m.Repository, m.Tree)
		}
		if s.Frozen {
			text += ", frozen"
		}
		if s.Closed {
			text += ", closed"
		}
		if s.Over {
			text += ", over"
		}
		out = append(out, text)
	}
	return out
}

// TestDecide has drafts come and go, and people do things with the branches of reviews.
func TestDecide(t *testing.T) {
	t.Parallel()
	announced := of(1, "fra:1 nyc:1", "t2")
	announced.Former, announced.Seen = []git.Hash{"t0", "t1"}, false
	first, again := announced, announced
	first.Former, again.Seen = nil, true
	frozen, closed := of(1, "fra:1 nyc:1", "p"), of(1, "fra:1 nyc:1", "t")
	frozen.Frozen, frozen.Former, closed.Closed = true, []git.Hash{"t"}, true
	for _, tt := range []struct {
		what   string
		before []Review
		at     map[int]git.Hash // by part; what the main branch has ends with =
		drafts string
		want   []string
	}{
		{"no draft", nil, nil, "", nil},
		{"one draft", nil, nil, "fra:1", nil},
		{"one that is whole", nil, nil, "fra:1 nyc:1!", nil},
		{"two drafts", nil, nil, "nyc:1 fra:1", []string{"make web-v3-1: fra:1 nyc:1"}},
		{"a branch of that name", nil, map[int]git.Hash{1: "x"}, "fra:1 nyc:1", []string{"make web-v3-2: fra:1 nyc:1"}},
		{"nothing new", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "fra:1 nyc:1",
			[]string{"keep web-v3-1: fra:1 nyc:1"}},
		{"one that comes later", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "fra:1 nyc:1 tyo:1",
			[]string{"keep web-v3-1: fra:1 nyc:1"}},
		{"two that come later", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "fra:1 nyc:1 tyo:1 sgp:1",
			[]string{"keep web-v3-1: fra:1 nyc:1", "make web-v3-2: sgp:1 tyo:1"}},
		{"a draft that is another one", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "fra:2 nyc:1",
			[]string{"make web-v3-1: fra:2 nyc:1"}},
		{"a draft with a person's commit", []Review{of(1, "fra:1 nyc:1 tyo:1", "t")}, map[int]git.Hash{1: "t"},
			"fra:1 nyc:2! tyo:1", []string{"make web-v3-1: fra:1 tyo:1"}},
		{"a draft that is gone", []Review{of(1, "fra:1 nyc:1 tyo:1", "t")}, map[int]git.Hash{1: "t"}, "fra:1 tyo:1",
			[]string{"make web-v3-1: fra:1 tyo:1"}},
		{"only one is left", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "fra:1",
			[]string{"end web-v3-1:"}},
		{"all are merged", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "", []string{"end web-v3-1:, over"}},
		{"all are merged, and the branch is gone", []Review{of(1, "fra:1 nyc:1", "t")}, nil, "",
			[]string{"keep web-v3-1:, closed, over"}},
		{"the next revision", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "t"}, "fra:2^ nyc:2^",
			[]string{"end web-v3-1:, over", "make web-v4-1: fra:2 nyc:2"}},
		{"a person's commit", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "p"}, "fra:2 nyc:1",
			[]string{"keep web-v3-1: fra:1 nyc:1, frozen"}},
		{"one that is frozen", []Review{frozen}, map[int]git.Hash{1: "p"}, "fra:2 nyc:1! tyo:1",
			[]string{"keep web-v3-1: fra:1 nyc:1, frozen"}},
		{"one that is frozen, and its drafts are over", []Review{frozen}, map[int]git.Hash{1: "p"}, "",
			[]string{"keep web-v3-1: fra:1 nyc:1, frozen, over"}},
		{"one that is frozen, and the next revision", []Review{frozen}, map[int]git.Hash{1: "p"}, "fra:2^ nyc:2^",
			[]string{"keep web-v3-1: fra:1 nyc:1, frozen, over", "make web-v4-1: fra:2 nyc:2"}},
		{"one that is frozen and over, and gone", []Review{frozen}, nil, "", []string{"keep web-v3-1:, frozen, closed, over"}},
		{"a person's commit, taken back", []Review{frozen}, map[int]git.Hash{1: "t"}, "fra:1 nyc:1",
			[]string{"make web-v3-1: fra:1 nyc:1"}},
		{"an older one", []Review{again}, map[int]git.Hash{1: "t0"}, "fra:1 nyc:1", []string{"make web-v3-1: fra:1 nyc:1"}},
		{"reset to the main branch", []Review{of(1, "fra:1 nyc:1", "t")}, map[int]git.Hash{1: "m="}, "fra:1 nyc:1",
			[]string{"end web-v3-1: fra:1 nyc:1, closed"}},
		{"frozen, and merged", []Review{frozen}, map[int]git.Hash{1: "p="}, "",
			[]string{"end web-v3-1:, frozen, closed, over"}},
		{"closed", []Review{of(1, "fra:1 nyc:1", "t")}, nil, "fra:1 nyc:1", []string{"keep web-v3-1: fra:1 nyc:1, closed"}},
		{"closed before", []Review{closed}, nil, "fra:2 nyc:1 tyo:1", []string{"keep web-v3-1: fra:1 nyc:1, closed"}},
		{"closed before, and others come", []Review{closed}, nil, "fra:1 nyc:1 tyo:1 sgp:1",
			[]string{"keep web-v3-1: fra:1 nyc:1, closed", "make web-v3-2: sgp:1 tyo:1"}},
		{"closed, and restored", []Review{closed}, map[int]git.Hash{1: "t"}, "fra:1 nyc:1",
			[]string{"keep web-v3-1: fra:1 nyc:1"}},
		{"closed, and the next revision", []Review{closed}, nil, "fra:2^ nyc:2^",
			[]string{"keep web-v3-1:, closed, over", "make web-v4-1: fra:2 nyc:2"}},
		{"announced, and not pushed", []Review{announced}, map[int]git.Hash{1: "t1"}, "fra:1 nyc:1",
			[]string{"make web-v3-1: fra:1 nyc:1"}},
		{"announced, and pushed", []Review{announced}, map[int]git.Hash{1: "t2"}, "fra:1 nyc:1",
			[]string{"keep web-v3-1: fra:1 nyc:1"}},
		{"announced, and somebody else's", []Review{announced}, map[int]git.Hash{1: "p"}, "fra:1 nyc:1",
			[]string{"keep web-v3-1: fra:1 nyc:1, frozen"}},
		{"begun, and somebody else's", []Review{first}, map[int]git.Hash{1: "p"}, "fra:1 nyc:1",
			[]string{"keep web-v3-1:", "make web-v3-2: fra:1 nyc:1"}},
		{"begun, and not pushed", []Review{first}, nil, "fra:1 nyc:1", []string{"make web-v3-1: fra:1 nyc:1"}},
	} {
		at := map[Branch]Found{}
		for part, tip := range tt.at {
			name, merged := strings.CutSuffix(string(tip), "=")
			at[Branch{group.Repository, group.Ref(part)}] = Found{At: git.Hash(name), Merged: merged}
		}
		steps := Decide(tt.before, at, drafts(tt.drafts), func(string) bool { return true })
		if diff := cmp.Diff(tt.want, shown(steps)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
	away := Decide([]Review{of(1, "fra:1 nyc:1", "t")}, nil, nil, func(string) bool { return false })
	if diff := cmp.Diff([]string{"keep web-v3-1: fra:1 nyc:1"}, shown(away)); diff != "" {
		t.Errorf("a repository that cannot be read (-want +got):\n%s", diff)
	}
}

// TestTitle says in a line what a review is.
func TestTitle(t *testing.T) {
	t.Parallel()
	one, mixed := of(1, "fra:1 nyc:1", ""), of(1, "fra:1 nyc:1", "")
	mixed.Members[1].From, mixed.Owner = "v1", "pay"
	for want, r := range map[string]Review{
		"web v2 → v3, wave europe: 2 packages": one,
		"web v3, wave europe, pay: 2 packages": mixed,
	} {
		if got := r.Title(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if got, want := mixed.Ref(), "refs/heads/reviews/default/web/europe/pay/web-v3-1"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
