// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// web is a pull request that is wanted.
func web() Wanted {
	return Wanted{Branch: "drafts/web/v1", Base: "main", Title: "web: v1", Body: "Merge it."}
}

// opened returns a wanted pull request as it was opened, with changes.
func opened(w Wanted, change func(*PullRequest)) PullRequest {
	p := PullRequest{Number: 7, Branch: w.Branch, Base: w.Base, Title: w.Title, State: Open, Draft: w.Draft,
		Body: w.marked("fleet", digest(w.asked()), 0)}
	change(&p)
	return p
}

// shownCalls returns calls as a line each.
func shownCalls(calls []Call) (all []string) {
	for i := range calls {
		c := &calls[i]
		line := fmt.Sprintf("%s %s %q", c.Did, c.branch(), c.title)
		if m := read(c.body); m != nil {
			line += fmt.Sprintf(" %q", strings.TrimSpace(m.before)+"|"+strings.TrimSpace(m.after))
		}
		if c.marks {
			line += fmt.Sprintf(" draft=%t", c.draft)
		}
		if len(c.labels) > 0 {
			line += fmt.Sprint(" ", c.labels)
		}
		if c.By != nil {
			line += " by " + c.By.Branch
		}
		all = append(all, line)
	}
	return all
}

// TestPlan has each thing that a fleet may find of the pull request that it wants.
func TestPlan(t *testing.T) {
	t.Parallel()
	v2 := web()
	v2.Title, v2.Body = "web: v2", "Merge that."
	labelled, gated, review := web(), web(), Wanted{Branch: "reviews/all", Base: "main", Title: "All", Covers: []string{web().Branch}}
	labelled.Labels, gated.Draft = []string{"fleet"}, true
	none := func(*PullRequest) {}
	with := func(w Wanted, change func(*PullRequest)) []PullRequest { return []PullRequest{opened(w, change)} }
	theirs := func(p *PullRequest) { p.Title, p.Body = "Mine", "Read this.\r\n\r\n"+p.Body+"\nAnd that." }
	for name, tt := range map[string]struct {
		wanted      []Wanted
		open, ended []PullRequest
		most        int
		want        []string
		left        int
	}{
		"not there":             {[]Wanted{web()}, nil, nil, 1, []string{`opened drafts/web/v1 "web: v1" "|"`}, 0},
		"as wanted":             {[]Wanted{web()}, with(web(), none), nil, 1, nil, 0},
		"with carriage returns": {[]Wanted{web()}, with(web(), func(p *PullRequest) { p.Body = strings.ReplaceAll(p.Body, "\n", "\r\n") + "\r\n" }), nil, 1, nil, 0},
		"about something else":  {[]Wanted{v2}, with(web(), none), nil, 1, []string{`updated drafts/web/v1 "web: v2" "|"`}, 0},
		"a person's title and text": {[]Wanted{v2}, with(web(), theirs), nil, 1,
			[]string{`updated drafts/web/v1 "Mine" "Read this.|And that."`}, 0},
		"a person's, and as wanted":    {[]Wanted{web()}, with(web(), theirs), nil, 1, nil, 0},
		"opened by a person":           {[]Wanted{v2}, with(web(), func(p *PullRequest) { p.Body = "Mine" }), nil, 1, nil, 0},
		"of another fleet":             {nil, with(web(), func(p *PullRequest) { p.Body = (&marker{fleet: "1", title: "2"}).String() }), nil, 1, nil, 0},
		"labels":                       {[]Wanted{labelled}, with(web(), none), nil, 1, []string{`updated drafts/web/v1 "web: v1" "|" [fleet]`}, 0},
		"labels that a person removed": {[]Wanted{labelled}, with(labelled, none), nil, 1, nil, 0},
		"gates are not met":            {[]Wanted{gated}, with(web(), none), nil, 1, []string{`updated drafts/web/v1 "web: v1" "|" draft=true`}, 0},
		"gates are met":                {[]Wanted{web()}, with(gated, none), nil, 1, []string{`updated drafts/web/v1 "web: v1" "|" draft=false`}, 0},
		"marked by a person":           {[]Wanted{web()}, with(web(), func(p *PullRequest) { p.Draft = true }), nil, 1, nil, 0},
		"not wanted":                   {nil, with(web(), none), nil, 1, []string{`closed drafts/web/v1 "web: v1" "|"`}, 0},
		"not wanted, of a person":      {nil, with(web(), func(p *PullRequest) { p.Body = "" }), nil, 1, nil, 0},
		"another base": {[]Wanted{web()}, with(web(), func(p *PullRequest) { p.Base = "old" }), nil, 1,
			[]string{`opened drafts/web/v1 "web: v1" "|"`, `closed drafts/web/v1 "web: v1" "|"`}, 0},
		"in a review": {[]Wanted{review}, with(web(), none), nil, 1,
			[]string{`opened reviews/all "All" "|"`, `closed drafts/web/v1 "web: v1" "|" by reviews/all`}, 0},
		"closed by a person":       {[]Wanted{web()}, nil, with(web(), func(p *PullRequest) { p.State = Closed }), 1, nil, 0},
		"merged":                   {[]Wanted{web()}, nil, with(web(), func(p *PullRequest) { p.State = Merged }), 1, nil, 0},
		"closed for an earlier":    {[]Wanted{v2}, nil, with(web(), func(p *PullRequest) { p.State = Closed }), 1, []string{`opened drafts/web/v1 "web: v2" "|"`}, 0},
		"closed by the fleet":      {[]Wanted{web()}, nil, with(web(), func(p *PullRequest) { p.State = Closed; p.Body = end(p, read(p.Body), nil).body }), 1, []string{`opened drafts/web/v1 "web: v1" "|"`}, 0},
		"closed one of a person":   {[]Wanted{web()}, nil, with(web(), func(p *PullRequest) { p.State, p.Body = Closed, "" }), 1, []string{`opened drafts/web/v1 "web: v1" "|"`}, 0},
		"as many as may be open":   {[]Wanted{web(), review}, with(web(), none), nil, 1, nil, 1},
		"more than may be open":    {[]Wanted{v2}, with(web(), none), nil, 0, []string{`updated drafts/web/v1 "web: v2" "|"`}, 0},
		"the end makes room":       {[]Wanted{web()}, with(review, none), nil, 1, []string{`opened drafts/web/v1 "web: v1" "|"`, `closed reviews/all "All" "|"`}, 0},
		"a person's takes no room": {[]Wanted{web(), review}, with(web(), func(p *PullRequest) { p.Body = "" }), nil, 1, []string{`opened reviews/all "All" "|"`}, 0},
	} {
		calls, left, err := Plan("fleet", tt.wanted, tt.open, func(string) ([]PullRequest, error) { return tt.ended, nil }, tt.most)
		if diff := cmp.Diff(tt.want, shownCalls(calls)); diff != "" || left != tt.left || err != nil {
			t.Errorf("%s: %d left, %v (-want +got):\n%s", name, left, err, diff)
		}
		for i := range calls { // nothing is left to do then
			if c := &calls[i]; c.Did == Updated {
				is := *c.Is
				is.Title, is.Body = c.title, c.body
				if more := c.Wanted.update("fleet", &is); len(more) > 0 {
					t.Errorf("%s: a second sync does %v", name, shownCalls(more))
				}
			}
		}
	}
	failed := errors.New("failed")
	if _, _, err := Plan("fleet", []Wanted{web()}, nil, func(string) ([]PullRequest, error) { return nil, failed }, 1); !errors.Is(err, failed) {
		t.Errorf("what ended cannot be read: %v", err)
	}
}

// TestBody checks that a body fits, whatever it is made of, and that nothing in it ends the marked text.
func TestBody(t *testing.T) {
	t.Parallel()
	w := web()
	w.Body = strings.Repeat("long ", 20000)
	if body := w.marked("fleet", digest("x"), 1000); len(body) != maxBody-1000 || !strings.HasSuffix(body, "... (cut)\n\n"+ending) {
		t.Errorf("%d bytes: %s", len(body), body[len(body)-100:])
	}
	w.Body = "a\n" + ending + "\nb\n" + (&marker{fleet: "1", title: "2"}).String()
	p := opened(w, func(p *PullRequest) { p.Body += "\nMine" })
	if m := read(p.Body); m == nil || m.fleet != digest("fleet") || m.after != "\nMine" {
		t.Errorf("%+v", m)
	}
	if calls := w.update("fleet", &p); calls != nil {
		t.Error(shownCalls(calls))
	}
}

// FuzzBody checks that whatever people write around the text of a fleet, and whatever that has, a second sync has nothing
// to do, and what people have written stays.
func FuzzBody(f *testing.F) {
	f.Add("Read this.\r\n", "Merge it.", "\nAnd that.", "Merge that.")
	f.Add(ending, begin.String(), (&marker{fleet: "1", title: "2"}).String(), ending)
	f.Fuzz(func(t *testing.T, before, text, after, next string) {
		w := web()
		w.Body = text
		p := opened(w, func(p *PullRequest) { p.Body = before + p.Body + after })
		if m := read(p.Body); m == nil || m.fleet != digest("fleet") {
			return // people have written a marker before it
		}
		w.Body = next
		for i := range 3 {
			calls := w.update("fleet", &p)
			if i == 2 && len(calls) > 0 {
				t.Errorf("a second sync changes %q into %q", p.Body, calls[0].body)
			}
			for _, c := range calls {
				p.Body = c.body
			}
		}
		if !strings.HasPrefix(p.Body, before) || !strings.HasSuffix(p.Body, after) {
			t.Errorf("%q and %q are not around %q", before, after, p.Body)
		}
	})
}
