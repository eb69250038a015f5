// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
)

// exampleDir is the example that the demo shows, from the root of the repository.
const exampleDir = "examples/variant-of-a-fleet"

// workplace is where the demo runs: a copy of the example, under git.
type workplace struct {
	readme *walkthrough.Document
	dir    string // the copy
	env    []string
}

// prepare makes the workplace in a temporary directory. A tool that is missing is an error that names it.
func prepare(ctx context.Context, temp string) (*workplace, error) {
	tool, err := tools()
	if err != nil {
		return nil, err
	}
	root, err := repository()
	if err != nil {
		return nil, err
	}
	example := filepath.Join(root, filepath.FromSlash(exampleDir))
	readme, err := os.ReadFile(filepath.Join(example, "README.md"))
	if err != nil {
		return nil, err
	}
	doc, err := walkthrough.Parse(string(readme))
	if err != nil {
		return nil, fmt.Errorf("%s/README.md: %w", exampleDir, err)
	}
	w := &workplace{
		readme: doc,
		dir:    filepath.Join(temp, filepath.Base(example)),
		env:    append(walkthrough.Environment(tool.Functions, filepath.Dir(tool.Path)), "TMPDIR="+temp),
	}
	if err := os.CopyFS(w.dir, os.DirFS(example)); err != nil {
		return nil, fmt.Errorf("cannot copy the example: %w", err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if err := quietly(ctx, w.dir, w.env, "git", args...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// tools returns kpt and the functions, once all that the demo runs is found.
func tools() (kpt.Tool, error) {
	tool, err := kpt.FromEnv()
	if err != nil {
		return tool, err
	}
	for _, file := range []string{tool.Path, tool.Functions} {
		if _, err := os.Stat(file); err != nil {
			return tool, fmt.Errorf("%w: run make demo, which builds it", err)
		}
	}
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			return tool, fmt.Errorf("%s is not on the PATH: the demo needs it, install it", name)
		}
	}
	return tool, nil
}

// repository returns the root of the repository that the working directory is in.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(exampleDir))); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository: there is no %s above it", start, exampleDir)
		}
	}
}

// quietly runs a command of which the user sees something only if it fails. When ctx is done, the command is told to
// end, so that it can end what it started.
func quietly(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
