// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/skipped"
)

// ErrUnavailable is wrapped by the error of New if PostgreSQL is not installed. It says what to install.
var ErrUnavailable = errors.New("no PostgreSQL: install it, for example by apt-get install postgresql")

// programs are the programs that identify a directory of PostgreSQL.
var programs = []string{"initdb", "postgres", "psql"}

// packaged matches the directories outside of the PATH into which distributions install PostgreSQL, one for each
// version.
var packaged = "/usr/lib/postgresql/*/bin"

// find returns the directory of PostgreSQL's programs: the one on the PATH, the one from pg_config, or the newest one
// of the distribution.
func find() (string, error) {
	var dirs []string
	if binary, err := exec.LookPath("initdb"); err == nil {
		if binary, err = filepath.EvalSymlinks(binary); err == nil {
			dirs = append(dirs, filepath.Dir(binary))
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	versions, err := filepath.Glob(packaged)
	if err != nil {
		return "", err
	}
	slices.SortFunc(versions, func(a, b string) int { return major(b) - major(a) })
	for _, dir := range append(dirs, versions...) {
		if !slices.ContainsFunc(programs, func(name string) bool { return !exists(filepath.Join(dir, name)) }) {
			return dir, nil
		}
	}
	return "", ErrUnavailable
}

// major returns the version in a path that matches packaged, 0 if there is none.
func major(dir string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0
	}
	return n
}

// Available returns ErrUnavailable if PostgreSQL is not installed.
func Available() error {
	_, err := find()
	return err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// report reports skipped tests, once.
var report = sync.OnceValue(func() error {
	return skipped.Report("the tests of Porch's DB cache", ErrUnavailable)
})

// Require skips and reports a test where PostgreSQL is not installed, or fails it if the environment has
// REQUIRE_POSTGRESQL.
func Require(t testing.TB) {
	t.Helper()
	err := Available()
	if err == nil {
		return
	}
	if !errors.Is(err, ErrUnavailable) {
		t.Fatal(err)
	}
	if err := Skip(); err != nil {
		t.Fatal(err)
	}
	t.Skip(err)
}

// Skip reports that tests are skipped for lack of PostgreSQL. It returns ErrUnavailable if the environment has
// REQUIRE_POSTGRESQL.
func Skip() error {
	if os.Getenv("REQUIRE_POSTGRESQL") != "" {
		return ErrUnavailable
	}
	return report()
}
