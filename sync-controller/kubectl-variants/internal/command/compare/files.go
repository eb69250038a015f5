// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
)

// programVariable names the program that shows differences. kubectl uses the same environment variable.
const programVariable = "KUBECTL_EXTERNAL_DIFF"

// side is one side of a comparison: the files of a package revision, under the name of their directory.
type side struct {
	name  string
	files map[string]string
}

// plainArgument matches the arguments that the program may get, as in kubectl: nothing that a shell would expand.
var plainArgument = regexp.MustCompile(`^[a-zA-Z0-9-=]+$`)

// program returns the program that shows differences, with its arguments.
func program(getenv func(string) string) []string {
	words := strings.Fields(getenv(programVariable))
	if len(words) == 0 {
		return []string{"diff", "-u", "-N", "-r"}
	}
	out := words[:1:1]
	for _, word := range words[1:] {
		if plainArgument.MatchString(word) {
			out = append(out, word)
		}
	}
	return out
}

// run writes both sides to directories and runs a program that compares them and prints to the command's streams. Both
// names are relative to the common directory. The error is cli.ErrChanges if the sides differ.
func run(ctx context.Context, env *cli.Env, program []string, from, to side) error {
	path, err := exec.LookPath(program[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("cannot run %s, which is to show the differences: %w; install it, or name another program in %s",
			program[0], err, programVariable)
	}
	dir, err := os.MkdirTemp("", "kubectl-variants-diff-")
	if err != nil {
		return fmt.Errorf("cannot write the files to compare: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	from, to = shown(from, to)
	for _, s := range []side{from, to} {
		if err := s.write(dir); err != nil {
			return fmt.Errorf("cannot write the files to compare: %w", err)
		}
	}
	//nolint:gosec // the user names it, as for kubectl diff
	cmd := exec.CommandContext(ctx, path, slices.Concat(program[1:], []string{from.name, to.name})...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env.In, env.Out, env.ErrOut
	err = cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case ended && exit.ExitCode() == 1:
		return cli.ErrChanges
	}
	return fmt.Errorf("%s failed: %w", program[0], err)
}

// shown returns both sides in a form that is safe to show with any program: control characters and direction overrides
// are escaped. Backslashes beside them are doubled, so files that differ still do.
func shown(from, to side) (side, side) {
	names := slices.Concat(slices.Collect(maps.Keys(from.files)), slices.Collect(maps.Keys(to.files)))
	hidden := func(text string) bool { return krm.Visible(text) != text }
	hiddenName := slices.ContainsFunc(names, hidden)
	out := [2]side{{from.name, map[string]string{}}, {to.name, map[string]string{}}}
	for _, name := range names {
		changes := hidden(from.files[name]) || hidden(to.files[name])
		for i, s := range []side{from, to} {
			if text, there := s.files[name]; there {
				out[i].files[escaped(name, hiddenName)] = escaped(text, changes)
			}
		}
	}
	return out[0], out[1]
}

// escaped returns a text in a form that is safe to show. In texts with something to escape, it doubles the backslashes.
func escaped(text string, beside bool) string {
	if !beside {
		return text
	}
	return krm.Visible(strings.ReplaceAll(text, `\`, `\\`))
}

// write writes the files of a side to its directory in dir. A path that leads out of it is an error.
func (s *side) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.Mkdir(s.name, 0o700); err != nil {
		return err
	}
	for path, text := range s.files {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return fmt.Errorf("%s has the file %q, which is not in the package", s.name, path)
		}
		file := filepath.Join(s.name, filepath.FromSlash(path))
		if err := root.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
