// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/process"
)

// TestServer checks that a killed server keeps its data, that Recreate removes it, and that a stopped server leaves
// nothing behind.
func TestServer(t *testing.T) {
	Require(t)
	var port int
	if err := process.FreePorts(&port); err != nil {
		t.Fatal(err)
	}
	before := sharedMemory(t)
	s, err := New(t.Context(), t.TempDir(), port)
	if err != nil {
		t.Fatal(err)
	}
	schema := filepath.Join(t.TempDir(), "schema.sql")
	if err := os.WriteFile(schema, []byte("CREATE TABLE kept (n INTEGER);"), 0o600); err != nil {
		t.Fatal(err)
	}
	query := func(sql, want string) {
		t.Helper()
		if got, err := s.Query(t.Context(), sql); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, %v, want %q", sql, got, err, want)
		}
	}
	p := start(t, s)
	if err := s.Recreate(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	query("INSERT INTO kept VALUES (1)", "")
	p.Kill()
	if _, err := s.Query(t.Context(), "SELECT 1"); err == nil {
		t.Error("a server that was killed answers")
	}
	p = start(t, s)
	query("SELECT n FROM kept", "1")
	if err := s.Recreate(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	query("SELECT n FROM kept", "")
	p.Stop(10 * time.Second)
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", s.dir, err)
	}
	if after := sharedMemory(t); after > before {
		t.Errorf("%d segments of shared memory are left, there were %d", after, before)
	}
}

// start starts a server, and stops it when the test ends if it still runs.
func start(t *testing.T, s *Server) *process.Process {
	t.Helper()
	p, err := s.Program("postgres").Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := p.Await(ctx, "it was ready", s.Ready); err != nil {
		t.Fatal(err)
	}
	return p
}

// sharedMemory returns how many System V shared memory segments have no process attached.
func sharedMemory(t *testing.T) int {
	t.Helper()
	table, err := os.ReadFile("/proc/sysvipc/shm")
	if errors.Is(err, fs.ErrNotExist) {
		return 0 // not Linux
	}
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, line := range strings.Split(string(table), "\n") {
		if fields := strings.Fields(line); len(fields) > 6 && fields[6] == "0" { // nattch
			count++
		}
	}
	return count
}

// TestUnavailable checks that the error without PostgreSQL names the package to install.
func TestUnavailable(t *testing.T) {
	usual := packaged
	t.Cleanup(func() { packaged = usual })
	packaged = filepath.Join(t.TempDir(), "*", "bin")
	t.Setenv("PATH", t.TempDir())
	if _, err := New(t.Context(), t.TempDir(), 0); !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v, want %v", err, ErrUnavailable)
	}
}

// TestRemoveOrphans checks that the leftovers of a killed process are removed, but not a directory that a process
// holds.
func TestRemoveOrphans(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	held, lock, err := claim()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	orphan, err := os.MkdirTemp("", directories)
	if err != nil {
		t.Fatal(err)
	}
	young, err := os.MkdirTemp("", directories)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{held, orphan} {
		if err := os.Chtimes(dir, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeOrphans(); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{held: true, orphan: false, young: true} {
		if exists(dir) != want {
			t.Errorf("%s exists: %t, want %t", dir, !want, want)
		}
	}
}
