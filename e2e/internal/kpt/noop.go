// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Main runs the tests of a package with the tool from the environment and an additional function "noop", which changes
// nothing. It sets t and returns the exit code. The package must be two directories below the module's root.
func Main(m interface{ Run() int }, t *Tool) int {
	dir, err := os.MkdirTemp("", "functions")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		*t, err = withNoop(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// withNoop returns the tool from the environment, with its functions and the no-op function in dir.
func withNoop(dir string) (Tool, error) {
	t, err := FromEnv()
	if err != nil {
		return t, err
	}
	entries, err := os.ReadDir(t.Functions)
	if err != nil {
		return t, fmt.Errorf("cannot find the functions: %w", err)
	}
	for _, entry := range entries {
		if err := os.Symlink(filepath.Join(t.Functions, entry.Name()), filepath.Join(dir, entry.Name())); err != nil {
			return t, err
		}
	}
	t.Functions = dir
	return t, BuildNoop(filepath.Join("..", "..", "functions"), t.Function("noop"))
}

// BuildNoop builds the no-op function of the module in the directory functions as a static binary, to the given file.
func BuildNoop(functions, file string) error {
	build := exec.Command("go", "build", "-o", file, "./internal/noop")
	build.Dir = functions
	build.Env = append(os.Environ(), "GOWORK=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the no-op function: %w\n%s", err, out)
	}
	return nil
}
