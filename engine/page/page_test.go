// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// evil is markup where text is expected.
const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'`

// awkward returns a page whose every text is markup.
func awkward() *Page { return pageOf(evil) }

// pageOf returns a page of one text.
func pageOf(evil string) *Page {
	return &Page{
		Title: evil, Summary: evil, Notes: []string{evil}, Counts: []Count{{State: evil, Tone: Bad, N: 1}},
		Roots: []*Node{{Kind: evil, Name: evil, Detail: evil, State: evil, Reason: evil, Message: evil,
			Steps:     []string{evil},
			Drafts:    []Draft{{Name: evil, Compared: evil, Files: []File{{Path: evil, Change: evil, Diff: "@@\n+" + evil}}}},
			Conflicts: []Conflict{{evil, evil, evil, evil, "local"}},
		}},
	}
}

func write(t *testing.T, p *Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestWrite checks that the page is one file that loads no other, that it escapes all text, and that it is the same
// each time.
func TestWrite(t *testing.T) {
	t.Parallel()
	got := write(t, awkward())
	for _, forbidden := range []string{"<img", "alert(1)</script>", "<link", "src=\"", "@import", "url(", "fetch("} {
		if strings.Contains(got, forbidden) {
			t.Errorf("the page has %s", forbidden)
		}
	}
	if n := strings.Count(got, "<script"); n != 1 {
		t.Errorf("the page has %d scripts", n)
	}
	if n := strings.Count(got, "alert(1)"); n < 15 {
		t.Errorf("only %d of the texts are on the page", n)
	}
	if again := write(t, awkward()); again != got {
		t.Error("it is another page the second time")
	}
}

// TestWriteHostile checks that the page shows what a browser would otherwise obey.
func TestWriteHostile(t *testing.T) {
	t.Parallel()
	got := write(t, pageOf("a\x1b[2J\u202eb"))
	if strings.ContainsAny(got, "\x1b\u202e") {
		t.Error("what is hostile is raw")
	}
	if n := strings.Count(got, `a\x1b[2J\u202eb`); n < 15 {
		t.Errorf("only %d of the texts are on the page", n)
	}
}

// TestLines checks how the lines of a diff are classified. The head is left out, since the page names the file.
func TestLines(t *testing.T) {
	t.Parallel()
	const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n-two\n+2\r\n+\n"
	want := []line{{"at", "@@ -1,2 +1,3 @@"}, {"", " one"}, {"del", "-two"}, {"add", "+2"}, {"add", "+"}}
	if d := cmp.Diff(want, lines(diff)); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	if got := tally(diff); got != "+2 −1" {
		t.Errorf("tally: %s", got)
	}
}

// TestConflicts checks that equal conflicts appear once, with the objects that have them.
func TestConflicts(t *testing.T) {
	t.Parallel()
	one, other := Conflict{Where: "x", Local: "1"}, Conflict{Where: "x", Local: "2"}
	a, b := &Node{Name: "a", State: "merge", Conflicts: []Conflict{one, other}}, &Node{Name: "b", State: "merge", Conflicts: []Conflict{one}}
	got := conflicts([]*Node{{Name: "set", Children: []*Node{a, b}}})
	want := []*conflicted{{one, []*Node{a, b}}, {other, []*Node{a}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("conflicts (-want +got):\n%s", d)
	}
	if got[0].Names() != "a  b " || got[0].States() != " merge " {
		t.Errorf("names %q, states %q", got[0].Names(), got[0].States())
	}
}

// TestBars checks that the parts of the bar add up to all of it, and that an empty bar is right.
func TestBars(t *testing.T) {
	t.Parallel()
	want := []bar{{Bad, "1 fail", 0, 25}, {Good, "3 create", 25, 75}}
	if d := cmp.Diff(want, bars([]Count{{"fail", Bad, 1}, {"create", Good, 3}})); d != "" {
		t.Errorf("bars (-want +got):\n%s", d)
	}
	if got := bars(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
