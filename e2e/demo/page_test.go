// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

func TestWrap(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":     {"", ""},
		"short":     {"a b", "a b"},
		"joined":    {"a\nb", "a b"},
		"exact":     {"abcd efgh", "abcd efgh"},
		"broken":    {"abcd efgh i", "abcd efgh\ni"},
		"long word": {"a bcdefghijklmn o", "a\nbcdefghijklmn\no"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, wrap(c.text, 9)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUnlink(t *testing.T) {
	const markdown = "See the [other examples](../README.md), [functions](../../functions) and " +
		"[kpt](https://kpt.dev), not [this]."
	const want = "See the other examples (examples/README.md), functions and kpt (https://kpt.dev), not [this]."
	if d := cmp.Diff(want, unlink(markdown, "examples/x")); d != "" {
		t.Error(d)
	}
}

func TestColours(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	device, err := os.Open(os.DevNull) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = device.Close() }()
	for name, c := range map[string]struct {
		file *os.File
		env  map[string]string
		want bool
	}{
		"file":          {file, nil, false},
		"device":        {device, nil, true},
		"NO_COLOR":      {device, map[string]string{"NO_COLOR": "1"}, false},
		"dumb terminal": {device, map[string]string{"TERM": "dumb"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := colours(c.file, func(key string) string { return c.env[key] }); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}

func TestPage(t *testing.T) {
	draw := func(colour bool) string {
		var out strings.Builder
		p := &page{out: &out, colour: colour}
		p.title("Title")
		p.heading("1. Step")
		p.prose("Some\n[text](../a).", "examples/x")
		p.quote("a:\n  b: 1")
		p.command("kpt fn render \\\n--allow-exec")
		p.output(walkthrough.Result{Command: "kpt fn render", Output: "[RUNNING] \"f\"\n[PASS] \"f\" in 100ms\n+ no diff\n"})
		p.command("git diff")
		p.output(walkthrough.Result{Command: "git diff",
			Output: "index 0a..0b\n--- a/x\n+++ b/x\n@@ -1 +1 @@ y\n-a\n+b\n \n c\n"})
		p.command("true")
		p.output(walkthrough.Result{Command: "true"})
		p.end()
		return out.String()
	}
	const want = `Title
=====

1. Step
Some text (examples/a).

  a:
    b: 1

$ kpt fn render \
  --allow-exec
  [PASS] "f" in 100ms
  + no diff
$ git diff
  --- a/x
  +++ b/x
  @@ -1 +1 @@ y
  -a
  +b

   c
$ true

`
	if d := cmp.Diff(want, draw(false)); d != "" {
		t.Errorf("plain:\n%s", d)
	}
	coloured := draw(true)
	for _, line := range []string{
		bold + "Title" + plain, bold + cyan + "1. Step" + plain, dim + "  b: 1" + plain, bold + "git diff" + plain,
		green + "[PASS] \"f\" in 100ms" + plain, plain + "+ no diff" + plain,
		bold + "--- a/x" + plain, cyan + "@@ -1 +1 @@ y" + plain, red + "-a" + plain, green + "+b" + plain,
	} {
		if !strings.Contains(coloured, line+"\n") {
			t.Errorf("in colour, there is no line that ends in %q:\n%q", line, coloured)
		}
	}
}
