// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

const readme = `# Title

Intro.

## Set up

` + "```sh" + `
make build
` + "```" + `

## 1. Step

Do this:

` + "```sh" + `
one
two
` + "```" + `

` + "```console" + `
what they printed once
` + "```" + `

` + "```yaml" + `
a: 1
` + "```" + `

## The end

Bye.
`

// recorder is a shell that says which command it got, and fails at one of them.
type recorder struct {
	failing  string
	commands []string
}

var errBoom = errors.New("boom")

func (r *recorder) Run(command string) (walkthrough.Result, error) {
	r.commands = append(r.commands, command)
	if command == r.failing {
		return walkthrough.Result{}, errBoom
	}
	return walkthrough.Result{Command: command, Output: "this is " + command + "\n"}, nil
}

func TestTour(t *testing.T) {
	doc, err := walkthrough.Parse(readme)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		failing, want string
		commands      []string
	}{
		"all goes well": {
			commands: []string{"one", "two"},
			want: "Title\n=====\n\nIntro.\n\n1. Step\nDo this:\n\n  $ one\n    this is one\n  $ two\n    this is two\n\n" +
				"    a: 1\n\nThe end\nBye.\n\n",
		},
		"a command fails": {
			failing:  "one",
			commands: []string{"one"},
			want:     "Title\n=====\n\nIntro.\n\n1. Step\nDo this:\n\n  $ one\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			shell := &recorder{failing: c.failing}
			err := tour(doc, &page{out: &out}, shell)
			if c.failing == "" && err != nil || c.failing != "" && !errors.Is(err, errBoom) {
				t.Errorf("got error %v", err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "1. Step\n") {
				t.Errorf("the error does not name the step: %v", err)
			}
			if d := cmp.Diff(c.want, out.String()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.commands, shell.commands); d != "" {
				t.Error(d)
			}
		})
	}
}

// maxLines is how much a newcomer reads.
const maxLines = 155

// TestRun runs the whole demo: it must show the variant and leave nothing behind.
func TestRun(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var out strings.Builder
	if err := run(t.Context(), &page{out: &out}, false); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, line := range []string{
		"From a fleet to the package of one site", `    [PASS] "inject-config" in`, "    +  site: fra # where it runs",
		"    +  namespace: gateway-fra", "    no file has changed", "What you have seen",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the demo does not show %q:\n%s", line, out.String())
		}
	}
	if n := strings.Count(out.String(), "\n"); n > maxLines {
		t.Errorf("the demo has %d lines, more than %d", n, maxLines)
	}
	if left := entries(t, temp); len(left) > 0 {
		t.Errorf("the demo leaves %q behind", left)
	}
}

func TestRunKeepsTheDirectory(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var out strings.Builder
	if err := run(t.Context(), &page{out: &out}, true); err != nil {
		t.Fatal(err)
	}
	left := entries(t, temp)
	if len(left) != 1 {
		t.Fatalf("got %q, want one directory", left)
	}
	dir := filepath.Join(temp, left[0])
	if _, err := os.Stat(filepath.Join(dir, "variant-of-a-fleet", "fra", "Kptfile")); err != nil {
		t.Error(err)
	}
	if !strings.HasSuffix(out.String(), "The directory is kept: "+dir+"\n") {
		t.Errorf("the demo does not say where: %s", out.String())
	}
}

func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		env       map[string]string
		cancelled bool
		want      string
	}{
		"no environment": {env: map[string]string{"KPT": ""}, want: "KPT and FUNCTIONS_BIN"},
		"no kpt":         {env: map[string]string{"KPT": "/nowhere/kpt"}, want: "/nowhere/kpt"},
		"no functions":   {env: map[string]string{"FUNCTIONS_BIN": "/nowhere"}, want: "run make demo"},
		"no git":         {env: map[string]string{"PATH": pathWith(t, "bash")}, want: "git is not on the PATH"},
		"interrupted":    {cancelled: true, want: "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancelled {
				cancel()
			}
			if err := run(ctx, &page{out: &strings.Builder{}}, false); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			if left := entries(t, temp); len(left) > 0 {
				t.Errorf("the demo leaves %q behind", left)
			}
		})
	}
}

// pathWith returns a PATH on which there is nothing but a file of the given name.
func pathWith(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
