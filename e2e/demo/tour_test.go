// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
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
			want: "Intro.\n\n1. Step\nDo this:\n\n$ one\n  this is one\n$ two\n  this is two\n\n" +
				"  a: 1\n\nThe end\nBye.\n\n",
		},
		"a command fails": {
			failing:  "one",
			commands: []string{"one"},
			want:     "Intro.\n\n1. Step\nDo this:\n\n$ one\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			shell := &recorder{failing: c.failing}
			blocks := 0
			shown := &chapter{readme: doc}
			err := shown.tour(doc.Sections, &page{out: &out}, shell, options{
				printed: func(*chapter, *walkthrough.Section, int, []walkthrough.Result) { blocks++ },
			})
			if wantBlocks := len(c.commands) / 2; blocks != wantBlocks {
				t.Errorf("told of %d blocks of commands, want %d", blocks, wantBlocks)
			}
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
