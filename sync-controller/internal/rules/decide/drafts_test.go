// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// savedLast says that a draft is, or was, as the controller saved it last: its content is "saved".
func savedLast(name, content string) func(*Input) {
	return func(in *Input) {
		in.Saved = Saved{Name: name, Content: "saved"}
		in.Mutations[name] = Mutation{Content: content}
	}
}

// TestDraftCameBack checks which of two drafts stays if Porch finds the one that the other has replaced.
func TestDraftCameBack(t *testing.T) {
	first, next := down("packagevariant-1", 0, draft), down("packagevariant-2", 0, draft)
	deletesTwo := wantPending(two+" is to be deleted: "+one+", which it replaced, is back",
		"Discard "+two)
	both := wantReady(one + " (Draft) is up to date with blueprints.web.v1")
	testDecide(t, map[string]decideCase{
		"nobody edited the new one":       {input(savedLast(two, "saved"), first, next), deletesTwo},
		"somebody edited the new one":     {input(savedLast(two, "edited"), first, next), both},
		"the old one was saved last":      {input(savedLast(one, "saved"), first, next), both},
		"the old one is proposed":         {input(savedLast(two, "saved"), down("packagevariant-1", 0, isProposed), next), deletesTwo},
		"the old one is published":        {input(savedLast(two, "saved"), down("packagevariant-1", 1, published), next), wantReady(two + " (Draft) is up to date with blueprints.web.v1")},
		"the new one was never saved":     {input(all(requests("packagevariant-2", "", ""), untouched(two)), first, next), deletesTwo},
		"the new one is proposed":         {input(savedLast(two, "saved"), first, down("packagevariant-2", 0, isProposed)), both},
		"the other one is a person's own": {input(all(adopt, savedLast(two, "saved")), down("mine", 0, draft), next), wantReady("edge.web.mine (Draft) is up to date with blueprints.web.v1")},
		"the old one has lost its owner": {input(all(known(one, two), savedLast(two, "saved")), down("packagevariant-1", 0, draft, foreign), next),
			wantPending(one+" is to become this variant's", "TakeBack "+one, "Mutate "+one, "Discard "+two)},
	})
}

// TestVanished checks which drafts that are not listed any more stay known.
func TestVanished(t *testing.T) {
	t.Parallel()
	next := down("packagevariant-3", 0, draft)
	for name, c := range map[string]struct {
		known     []string
		revisions []revision.Revision
		want      string
	}{
		"none":                      {[]string{three}, []revision.Revision{next}, ""},
		"the one before":            {[]string{two, three}, []revision.Revision{next}, two},
		"several":                   {[]string{one, two, three}, []revision.Revision{next}, two + " " + one},
		"a later one":               {[]string{"edge.web.packagevariant-4"}, []revision.Revision{next}, ""},
		"one of another package":    {[]string{"edge.shop.packagevariant-1"}, []revision.Revision{next}, ""},
		"one that is listed":        {[]string{two}, []revision.Revision{down("packagevariant-2", 1, published), next}, ""},
		"what follows is published": {[]string{two}, []revision.Revision{down("packagevariant-3", 1, published)}, ""},
		"nothing follows":           {[]string{two}, nil, ""},
	} {
		if got := strings.Join(Vanished(input(known(c.known...), c.revisions...)), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	var many []string
	for n := range 8 {
		many = append(many, fmt.Sprintf("edge.web.packagevariant-%d", n+1))
	}
	if got := Vanished(input(known(many...), down("packagevariant-9", 0, draft))); len(got) != 5 || got[4] != many[3] {
		t.Errorf("of many: %v", got)
	}
}
