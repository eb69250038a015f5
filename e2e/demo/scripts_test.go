// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// script runs a script of hack with a PATH, and returns what it prints.
func script(t *testing.T, path, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "hack", name), args...)
	cmd.Env = append(os.Environ(), "PATH="+path, "LC_ALL=C")
	out, err := cmd.Output()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		t.Fatalf("%s: %v\n%s%s", name, err, out, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestFunctions checks what the first part of the demo shows, which runs the functions by themselves.
func TestFunctions(t *testing.T) {
	t.Parallel()
	bin := os.Getenv("FUNCTIONS_BIN")
	if bin == "" {
		t.Fatal("the environment variable FUNCTIONS_BIN must name the directory of the functions: run this by make")
	}
	tree.Golden(t, filepath.Join("testdata", "functions.txt"), script(t, os.Getenv("PATH"), "demo-functions.sh", bin))
}

// TestUsersKubectl checks which kubectl on the PATH the demo takes.
func TestUsersKubectl(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]bool{
		`"gitVersion": "v1.36.1",`:                      true,
		`"gitVersion": "v1.33.0-eks-1234567",`:          true,
		`"gitVersion": "v1.32.9",`:                      false,
		`"gitVersion": "v0.0.0-master+$Format:%H$",`:    false,
		"error: flag provided but not defined: -client": false,
		"": false,
	} {
		dir := t.TempDir()
		kubectl := filepath.Join(dir, "kubectl")
		text := fmt.Sprintf("#!/bin/sh\ncat <<'END'\n{\n  \"clientVersion\": {\n    %s\n  }\n}\nEND\n", says)
		if err := os.WriteFile(kubectl, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		expected := ""
		if want {
			expected = kubectl
		}
		if got := strings.TrimSpace(script(t, dir+":/usr/bin:/bin", "users-kubectl.sh")); got != expected {
			t.Errorf("a kubectl that says %s: %q, want %q", says, got, expected)
		}
	}
}

// TestAnnounce checks that a build is announced, and that nothing is printed otherwise.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	there := filepath.Join(t.TempDir(), "etcd")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := script(t, os.Getenv("PATH"), "announce.sh", there); got != "" {
		t.Errorf("all is there, and it says %q", got)
	}
	const want = `== Building from source first: functions (1 min), kubectl (1 min), porch (3 min).
== This takes about 5 minutes on two cores, once; the results stay in bin. A warm Go cache makes it faster.` +
		" A kubectl on the PATH that is not older would be used instead.\n"
	got := script(t, os.Getenv("PATH"), "announce.sh", "none/functions", there, "none/kubectl", "none/porch")
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestRunning checks that a long run says which packages are tested, and leaves no process behind when it is ended.
func TestRunning(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "hack", "running.sh"), "0.2")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(line, "== 0 min: ") || !slices.Contains(strings.Fields(line), "demo") {
		t.Errorf("it says %q", line)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, lines); err != nil { // which ends with the last process that could write to it
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
}
