// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const readme = `# A title

An introduction
of two lines.

## Set up

` + "```sh" + `
make build
# a comment
kpt fn eval \
  --exec x

cd there
` + "```" + `

` + "```diff" + `
-a

+b
` + "```" + `
Text right after.

## Next

` + "```yaml" + `
# no heading
a: 1
` + "```" + `
`

func TestParse(t *testing.T) {
	got, err := Parse(readme)
	if err != nil {
		t.Fatal(err)
	}
	want := &Document{Title: "A title", Sections: []*Section{
		{Parts: []*Part{{Text: "An introduction\nof two lines."}}},
		{Heading: "Set up", Parts: []*Part{
			{Lang: Commands, Text: "make build\n# a comment\nkpt fn eval \\\n  --exec x\n\ncd there"},
			{Lang: Diff, Text: "-a\n\n+b"},
			{Text: "Text right after."},
		}},
		{Heading: "Next", Parts: []*Part{{Lang: "yaml", Text: "# no heading\na: 1"}}},
	}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Document{}, Part{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(readme, got.String()); d != "" {
		t.Errorf("written again, it differs:\n%s", d)
	}
}

func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ markdown, want string }{
		"open fence":      {"text\n```sh\nls\n", "line 2: the fence is not closed"},
		"output of what?": {"```console\nx\n```\n", "line 1: no commands stand before this output in its section"},
		"section forgets": {"```sh\nls\n```\n## B\n```diff\n+x\n```\n",
			"line 5: no commands stand before this output in its section"},
		"fence at the end": {"```", "line 1: the fence is not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.markdown)
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	const before = "# T\n```sh\nls\n```\n```console\nold\n```\ntext\n```sh\nrm x\n```\n```console\n```\n"
	d, err := Parse(before)
	if err != nil {
		t.Fatal(err)
	}
	parts := d.Sections[0].Parts
	d.Replace(parts[1], "new\nlines")
	d.Replace(parts[4], "x")
	const want = "# T\n```sh\nls\n```\n```console\nnew\nlines\n```\ntext\n```sh\nrm x\n```\n```console\nx\n```\n"
	if diff := cmp.Diff(want, d.String()); diff != "" {
		t.Error(diff)
	}
	d.Replace(parts[1], "")
	d.Replace(parts[4], "")
	const empty = "# T\n```sh\nls\n```\n```console\n```\ntext\n```sh\nrm x\n```\n```console\n```\n"
	if diff := cmp.Diff(empty, d.String()); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	p := &Part{Text: "make build\n# a comment\nkpt fn eval \\\n  --exec x\n\ncd there"}
	want := []string{"make build", "kpt fn eval \\\n  --exec x", "cd there"}
	if d := cmp.Diff(want, p.List()); d != "" {
		t.Error(d)
	}
}

func TestOutputs(t *testing.T) {
	console, diff := &Part{Lang: Console}, &Part{Lang: Diff}
	s := &Section{Parts: []*Part{{Lang: Commands}, {Text: "It prints"}, console, diff, {Lang: Commands}, {Lang: Commands},
		diff}}
	for i, want := range map[int][2]*Part{0: {console, diff}, 4: {nil, nil}, 5: {nil, diff}} {
		c, d := s.Outputs(i)
		if got := [2]*Part{c, d}; got != want {
			t.Errorf("part %d: got %v, want %v", i, got, want)
		}
	}
}
