// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var _ T = testing.TB(nil) // every test is a T

// TestRun checks that a run ends and is cleaned up like a test.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(t T, say func(string))
		said []string
		err  string
	}{
		{"what succeeds", func(t T, say func(string)) {
			t.Logf("%d things", 2)
			say("done")
		}, []string{"done"}, ""},
		{"what fails goes on", func(t T, say func(string)) {
			t.Error("a", 1)
			t.Errorf("b %d", 2)
			if t.Failed() {
				say("failed")
			}
		}, []string{"failed"}, "a1\nb 2"},
		{"what fails for good ends", func(t T, say func(string)) {
			defer say("the end")
			end := t.Fatalf
			end("no %s", "more")
			say("never")
		}, []string{"the end"}, "no more"},
		{"the last to be cleaned up is the first", func(t T, say func(string)) {
			t.Cleanup(func() { say("first") })
			t.Cleanup(func() { say("second") })
		}, []string{"second", "first"}, ""},
		{"what fails in the cleaning up keeps nothing from being cleaned up", func(t T, say func(string)) {
			t.Cleanup(func() { say("first") })
			t.Cleanup(func() { t.Fatal("second") })
			t.Fatal("do")
		}, []string{"first"}, "do\nsecond"},
		{"the context ends before the cleaning up", func(t T, say func(string)) {
			t.Cleanup(func() { say(t.Context().Err().Error()) })
		}, []string{"context canceled"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var said []string
			var log strings.Builder
			err := Run(t.Context(), &log, func(t T) { c.do(t, func(s string) { said = append(said, s) }) })
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != c.err {
				t.Errorf("error %q, want %q", message, c.err)
			}
			if diff := cmp.Diff(c.said, said); diff != "" {
				t.Errorf("what was said (-want +got):\n%s", diff)
			}
			if want := "2 things\n"; c.name == "what succeeds" && log.String() != want {
				t.Errorf("log %q, want %q", log.String(), want)
			}
		})
	}
}

// TestTempDir checks that directories exist until the run ends.
func TestTempDir(t *testing.T) {
	t.Parallel()
	var dir string
	err := Run(t.Context(), t.Output(), func(t T) {
		dir = t.TempDir()
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there at the end: %v", err)
	}
}

// TestInterrupt checks that the error of an interrupted run says so.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	err := Run(ctx, t.Output(), func(t T) {
		cancel(errors.New("the user has had enough"))
		<-t.Context().Done()
		t.Fatal("it was not done")
	})
	if want := "the user has had enough: it was not done"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
