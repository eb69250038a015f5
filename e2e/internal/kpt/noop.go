// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main runs the tests of a package that needs the no-op function, which it builds first, and puts the binary's path
// into noop. The package is two directories below the module's root.
func Main(m *testing.M, noop *string) int {
	dir, err := os.MkdirTemp("", "noop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*noop = filepath.Join(dir, "noop")
	build := exec.Command("go", "build", "-o", *noop, ".")
	build.Dir = filepath.Join("..", "internal", "noop")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot build the no-op function: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
