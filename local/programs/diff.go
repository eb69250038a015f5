// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/review"
)

// Differ is the program that shows differences between two directories.
type Differ struct {
	// Variable is the environment variable that names the program, Default is the program otherwise, with its arguments.
	Variable string
	Default  []string
	// Start makes the process of the default program from its arguments; nil for the one on the PATH as it is.
	Start func(ctx context.Context, args ...string) *exec.Cmd
}

// plainArgument matches the arguments that the program may get, as in kubectl: nothing that a shell would expand.
var plainArgument = regexp.MustCompile(`^[a-zA-Z0-9-=]+$`)

// program returns the program, with its arguments.
func (d *Differ) program(getenv func(string) string) []string {
	words := strings.Fields(getenv(d.Variable))
	if len(words) == 0 {
		return d.Default
	}
	out := words[:1:1]
	for _, word := range words[1:] {
		if plainArgument.MatchString(word) {
			out = append(out, word)
		}
	}
	return out
}

// Run writes both sides to directories, has the program print how they differ to the streams, and reports whether they
// do. The names are relative to the common directory.
func (d *Differ) Run(ctx context.Context, to Streams, before, after review.Side) (bool, error) {
	program := d.program(os.Getenv)
	dir, err := os.MkdirTemp("", "variants-diff-")
	if err != nil {
		return false, fmt.Errorf("cannot write the files to compare: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	before, after = review.Shown(before, after)
	for _, s := range []review.Side{before, after} {
		if err := Write(dir, s.Name, s.Files); err != nil {
			return false, fmt.Errorf("cannot write the files to compare: %w", err)
		}
	}
	cmd, err := d.start(ctx, program, before.Name, after.Name)
	if err != nil {
		return false, fmt.Errorf("cannot run %s, which is to show the differences: %w; install it, or name another program "+
			"in %s", program[0], err, d.Variable)
	}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, to.In, to.Out, to.Err
	err = cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return false, nil
	case ended && exit.ExitCode() == 1:
		return true, nil
	}
	return false, fmt.Errorf("%s failed: %w", program[0], err)
}

// start returns the process of the program, with the names of the directories as its last arguments.
func (d *Differ) start(ctx context.Context, program []string, directories ...string) (*exec.Cmd, error) {
	args := slices.Concat(program[1:], directories)
	if d.Start != nil && slices.Equal(program, d.Default) {
		return d.Start(ctx, args...), nil
	}
	path, err := exec.LookPath(program[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	return exec.CommandContext(ctx, path, args...), err //nolint:gosec // the user names it, as for kubectl diff
}

// Pairs compares pairs of revisions one after the other, whose files it gets by their names, and reports whether any of
// them differ.
func (d *Differ) Pairs(ctx context.Context, to Streams, pairs []review.Pair,
	files func(name string) (map[string]string, error)) (differs bool, err error) {
	for _, p := range pairs {
		sides := [2]review.Side{{Name: p.From}, {Name: p.To}}
		for i := range sides {
			if sides[i].Name == "" {
				sides[i].Name = "nothing"
			} else if sides[i].Files, err = files(sides[i].Name); err != nil {
				return false, err
			}
		}
		is, err := d.Run(ctx, to, sides[0], sides[1])
		if err != nil {
			return false, err
		}
		differs = differs || is
	}
	return differs, nil
}
