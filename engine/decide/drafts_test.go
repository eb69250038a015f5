// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/package-variants/package-variants/engine/revision"
)

// savedLast says that a draft is, or was, as the controller saved it last: its content is "saved".
func savedLast(name, content string) func(*Input) {
	return func(in *Input) {
		in.Saved = Saved{Name: name, Content: "saved"}
		in.Mutations[name] = Mutation{Content: content}
	}
}

// TestTwoDrafts checks that nothing is done while the variant has several drafts, if Porch finds one that another has
// replaced.
func TestTwoDrafts(t *testing.T) {
	first, next := down("packagevariant-1", 0, draft), down("packagevariant-2", 0, draft)
	both := wantStalled("TwoDrafts", "there are several open drafts of this variant, because one had not been found for a while: "+
		one+", "+two+"; nothing is done to them until there is one: keep the one that has what people changed, and delete "+
		"the others")
	testDecide(t, map[string]decideCase{
		"nobody edited the new one": {input(savedLast(two, "saved"), first, next), both},
		"one would be changed":      {input(changed(one), first, next), both},
		"the old one is proposed":   {input(nil, down("packagevariant-1", 0, isProposed), next), both},
		"the old one has lost owner": {input(known(one, two), down("packagevariant-1", 0, draft, foreign), next),
			wantStalled("TwoDrafts", both.Condition.Message, "TakeBack "+one)},
		"the old one is published": {input(savedLast(two, "saved"), down("packagevariant-1", 1, published), next),
			wantReady(two + " (Draft) is up to date with blueprints.web.v1")},
		"the other one is a person's own": {input(all(adopt, savedLast(two, "saved")), down("mine", 0, draft), next),
			wantReady("edge.web.mine (Draft) is up to date with blueprints.web.v1")},
	})
}

// TestReplaced checks which draft counts as replaced by another one.
func TestReplaced(t *testing.T) {
	t.Parallel()
	next := down("packagevariant-3", 0, draft)
	for name, c := range map[string]struct {
		known     []string
		revisions []revision.Revision
		want      string
	}{
		"none":                      {[]string{three}, []revision.Revision{next}, ""},
		"the one before":            {[]string{two, three}, []revision.Revision{next}, two},
		"the last of several":       {[]string{one, two, three}, []revision.Revision{next}, two},
		"a later one":               {[]string{"edge.web.packagevariant-4"}, []revision.Revision{next}, ""},
		"one of another package":    {[]string{"edge.shop.packagevariant-1"}, []revision.Revision{next}, ""},
		"one that is listed":        {[]string{two}, []revision.Revision{down("packagevariant-2", 1, published), next}, ""},
		"one before what is listed": {[]string{one, two}, []revision.Revision{down("packagevariant-2", 1, published), next}, ""},
		"what follows is published": {[]string{two}, []revision.Revision{down("packagevariant-3", 1, published)}, ""},
		"nothing follows":           {[]string{two}, nil, ""},
	} {
		if got := Replaced(input(known(c.known...), c.revisions...)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestAbsent checks which draft counts as absent, and could come back.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known     []string
		revisions []revision.Revision
		want      string
	}{
		"none":                   {nil, nil, ""},
		"the only one":           {[]string{one}, nil, one},
		"the last of several":    {[]string{one, two}, []revision.Revision{down("packagevariant-1", 1, published)}, two},
		"it is listed":           {[]string{one, two}, []revision.Revision{down("packagevariant-2", 0, draft)}, ""},
		"a later one was made":   {[]string{one}, []revision.Revision{down("packagevariant-2", 0, draft)}, ""},
		"one of another package": {[]string{"edge.shop.packagevariant-1"}, nil, ""},
		"a person's own":         {[]string{"edge.web.mine"}, nil, ""},
	} {
		if got := Absent(input(known(c.known...), c.revisions...)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
