// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func start(ctx context.Context, t *testing.T) *Session {
	t.Helper()
	s, err := Start(ctx, t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSession(t *testing.T) {
	s := start(t.Context(), t)
	for _, c := range []struct{ command, want string }{
		{"mkdir a && cd a && A=1", ""},
		{`basename "$PWD"; echo $A`, "a\n1\n"},
		{"echo out; echo err >&2; echo out", "out\nerr\nout\n"},
		{"printf 'no newline'", "no newline"},
		{"f() { echo f \"$1\"; }", ""},
		{"f \\\n  x", "f x\n"},
		{"cat", ""}, // standard input is empty, and not the commands that follow
	} {
		got, err := s.Run(c.command)
		if err != nil {
			t.Fatal(err)
		}
		if got.Output != c.want || got.Command != c.command {
			t.Errorf("%s: got %+v, want output %q", c.command, got, c.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

func TestSessionFailures(t *testing.T) {
	s := start(t.Context(), t)
	for command, want := range map[string]string{
		"echo why >&2; (exit 3)": "exit code 3\nwhy\n",
		"false | true":           "exit code 1\n",
		"no-such-command":        "exit code 127\n",
		"echo 'open":             "exit code ",
	} {
		if _, err := s.Run(command); err == nil || !strings.Contains(err.Error(), command+": "+want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	if r, err := s.Run("echo on"); err != nil || r.Output != "on\n" {
		t.Errorf("the session does not go on: %+v, %v", r, err)
	}
	if _, err := s.Run("exit 0"); err == nil || !strings.Contains(err.Error(), "the shell ended") {
		t.Errorf("got error %v, want one that says that the shell ended", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

func TestSessionIsKilled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := start(ctx, t)
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	if _, err := s.Run("sleep 60 | cat"); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	if err := s.Close(); err == nil {
		t.Error("closing tells nothing of the end")
	}
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("it took %s", d)
	}
}
