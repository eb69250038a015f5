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
func awkward() *Page {
	return &Page{
		Title: evil, Summary: evil, Notes: []string{evil}, Counts: []Count{{State: evil, Tone: Bad, N: 1}},
		Roots: []*Node{{Kind: evil, Name: evil, Detail: evil, State: evil, Reason: evil, Age: evil, Message: evil,
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

// TestWrite holds that the page is one file, which asks for no other, that no text is taken for markup, and that it is
// the same each time.
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

// TestLines holds what a diff is taken for: its head is left out, as the page has the name of the file.
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

// TestBars holds that the bar is whole, and what an empty one is.
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
