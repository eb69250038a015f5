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
			Steps:  []string{evil},
			Drafts: []Draft{{Name: evil, Compared: evil, Files: []File{{Path: evil, Change: evil}}}},
		}},
		Differences: []*Difference{{Conflict: true, Where: evil, Lines: []string{evil}, Values: []string{evil}},
			{Where: evil, Lines: []string{"+ " + evil}, Values: []string{evil}}},
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

// TestDifferences checks that conflicts are apart from changes, each with the objects that have it, and that an object
// names what it has.
func TestDifferences(t *testing.T) {
	t.Parallel()
	a, b := &Node{Name: "a", State: "merge"}, &Node{Name: "b", State: "merge"}
	got := write(t, &Page{Roots: []*Node{{Name: "set", Children: []*Node{a, b}}}, Differences: []*Difference{
		{Conflict: true, Where: "1 package", Lines: []string{"x: 1"}, Nodes: []*Node{a}},
		{Where: "2 packages", Lines: []string{"- 1", "+ 2", "+"}, Values: []string{"v"}, Nodes: []*Node{a, b}}}})
	for _, want := range []string{
		`<article id="conflict1" data-name="a " data-state=" merge ">` + "\n" + `<h3>conflict 1 <span class="dim">1 package</span></h3>`,
		`<article id="change1" data-name="a  b " data-state=" merge ">`,
		`<span class="line del">- 1` + "\n" + `</span><span class="line add">&#43; 2` + "\n" + `</span><span class="line ">&#43;` + "\n</span></pre>",
		`<p class="names"><a href="#n2">a</a> <a href="#n3">b</a> </p>`, `<span class="state bad">1 conflict</span>`,
		`<p class="alike"><a href="#conflict1">conflict 1</a> <a href="#change1">change 1</a> </p>`,
		`<p class="alike"><a href="#change1">change 1</a> </p>`,
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("there is not one %s in\n%s", want, got)
		}
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
