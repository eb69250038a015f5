// SPDX-License-Identifier: Apache-2.0

package inhand

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
)

// life is one process after the other over one directory.
type life struct {
	t      *testing.T
	dir    string
	ledger *Ledger
}

// text returns what writes inputs.
func text(inputs string) func(io.Writer) {
	return func(w io.Writer) { _, _ = io.WriteString(w, inputs) }
}

func (l *life) start() {
	l.ledger = Open(l.dir, fairqueue.NewShare(4, math.MaxInt64), logr.Discard())
}

// do does work, and returns "done", or why it was put off.
func (l *life) do(inputs string, work func()) string {
	l.t.Helper()
	done := "not done"
	err := l.ledger.Do("fleet", 1, text(inputs), func() { work(); done = "done" })
	if putOff, is := errors.AsType[*PutOffError](err); is {
		return fmt.Sprintf("%d deaths, wait %s", putOff.Deaths, putOff.Wait)
	}
	return done
}

// dies has a process die during work, beside which innocent work is in hand: the next one finds what it left.
func (l *life) dies(inputs ...string) {
	l.t.Helper()
	before := l.dir
	var within func(rest []string)
	within = func(rest []string) {
		if len(rest) > 0 {
			if got := l.do(rest[0], func() { within(rest[1:]) }); got != "done" {
				l.t.Errorf("%s: %s, want it in hand", rest[0], got)
			}
			return
		}
		l.dir = l.t.TempDir()
		if err := os.CopyFS(l.dir, os.DirFS(before)); err != nil {
			l.t.Fatal(err)
		}
	}
	within(inputs)
	l.start()
}

func (l *life) expect(inputs, want string) {
	l.t.Helper()
	if got := l.do(inputs, func() {}); got != want {
		l.t.Errorf("%s: %s, want %s", inputs, got, want)
	}
}

// files returns how many files there are.
func (l *life) files() int {
	l.t.Helper()
	files, err := os.ReadDir(l.dir)
	if err != nil {
		l.t.Fatal(err)
	}
	return len(files)
}

// TestDeaths checks that work that died is put off, then set aside and tried alone, and that what comes through is as
// any other.
func TestDeaths(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &life{t: t, dir: filepath.Join(t.TempDir(), "made")}
		l.start()
		l.dies("deadly", "innocent")
		time.Sleep(time.Hour) // a replica that does not lead yet
		l.expect("deadly", "1 deaths, wait 10s")
		l.expect("innocent", "1 deaths, wait 10s")
		l.expect("other", "done")
		l.expect("deadly, changed", "done")
		time.Sleep(10 * time.Second)
		l.dies("innocent", "deadly")
		l.expect("deadly", "2 deaths, wait 30s")
		l.expect("innocent", "2 deaths, wait 30s")
		l.expect("other", "done")
		time.Sleep(30 * time.Second)
		l.expect("innocent", "done")
		l.expect("innocent", "done")
		l.dies("deadly")
		l.expect("deadly", "3 deaths, wait 0s")
		time.Sleep(time.Hour)
		l.expect("deadly", "3 deaths, wait 0s")
		l.expect("innocent", "done")
		l.expect("deadly, changed", "done")
		l.dies("other")
		l.expect("deadly", "3 deaths, wait 0s")
		l.expect("other", "1 deaths, wait 10s")
		if n := l.files(); n != 2 {
			t.Errorf("%d files are left, want one for each work that died", n)
		}
	})
}

// TestEndedInOrder checks that work which is in hand when the process ends in order has not died, and that what died
// before still has.
func TestEndedInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &life{t: t, dir: t.TempDir()}
		l.start()
		l.dies("a")
		l.expect("a", "1 deaths, wait 10s")
		time.Sleep(10 * time.Second)
		l.do("a", func() {
			l.do("b", func() {
				l.ledger.Close()
				l.do("c", func() {
					ended := l.ledger
					l.start()
					l.expect("a", "1 deaths, wait 10s")
					l.expect("b", "done")
					l.expect("c", "done")
					l.ledger = ended
				})
			})
		})
	})
}

// TestPanic checks that work that panics is not in hand any more: the controller goes on.
func TestPanic(t *testing.T) {
	t.Parallel()
	l := &life{t: t, dir: t.TempDir()}
	l.start()
	func() {
		defer func() { _ = recover() }()
		l.do("a", func() { panic("boom") })
	}()
	if n := l.files(); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// TestBrokenDirectory checks that work is done whatever is wrong with the directory, which is logged once.
func TestBrokenDirectory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dir    func(dir string) string
		breaks func(dir string) error
		logs   int
	}{
		"none":                {func(string) string { return "" }, nil, 0},
		"one that works":      {func(dir string) string { return dir }, nil, 0},
		"a file":              {func(string) string { return "inhand_test.go" }, nil, 1},
		"a file on the way":   {func(string) string { return "inhand_test.go/state" }, nil, 1},
		"it is removed":       {func(dir string) string { return dir }, os.RemoveAll, 1},
		"others write there":  {func(dir string) string { return dir }, litter, 0},
		"a name that is long": {func(dir string) string { return filepath.Join(dir, strings.Repeat("x", 300)) }, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged []string
			log := funcr.New(func(_, args string) { logged = append(logged, args) }, funcr.Options{})
			dir := c.dir(t.TempDir())
			l := &life{t: t, ledger: Open(dir, fairqueue.NewShare(4, math.MaxInt64), log)}
			if c.breaks != nil {
				if err := c.breaks(dir); err != nil {
					t.Fatal(err)
				}
			}
			l.expect("a", "done")
			l.expect("b", "done")
			l.ledger.Close()
			if len(logged) != c.logs {
				t.Errorf("logged %q, want %d lines", logged, c.logs)
			}
			l.ledger = Open(dir, fairqueue.NewShare(4, math.MaxInt64), logr.Discard())
			l.expect("a", "done")
			l.ledger = nil
			l.expect("a", "done")
		})
	}
}

// litter writes files that are not the Ledger's.
func litter(dir string) error {
	for _, name := range []string{"notes.txt", strings.Repeat("a", 32) + "-x", strings.Repeat("a", 32) + "-1.in-hand~"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// TestConditions checks what is said of work that was put off.
func TestConditions(t *testing.T) {
	t.Parallel()
	var got []string
	for deaths := 1; deaths <= setAside; deaths++ {
		c := (&PutOffError{Deaths: deaths}).Condition()
		got = append(got, c.Type+" "+c.Reason)
	}
	if diff := cmp.Diff([]string{"Reconciling Pending", "Stalled SetAside", "Stalled SetAside"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func BenchmarkDo(b *testing.B) {
	l := Open(b.TempDir(), fairqueue.NewShare(4, math.MaxInt64), logr.Discard())
	for b.Loop() {
		_ = l.Do("fleet", 1, text("a"), func() {})
	}
}

// TestBegin checks that what has begun is in hand until it ends, that other large work waits for it meanwhile, and that
// it is put off after the process has died of it.
func TestBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &life{t: t, dir: t.TempDir()}
		const memory = 1 << 20
		l.ledger = Open(l.dir, fairqueue.NewShare(4, 2*memory), logr.Discard())
		end, err := l.ledger.Begin("fleet", memory, text("deadly"))
		if err != nil || l.files() != 1 {
			t.Fatalf("%d files, error %v, want one for what is in hand", l.files(), err)
		}
		done := false
		go func() {
			_ = l.ledger.Do("other", memory, text("other"), func() { done = true })
		}()
		synctest.Wait()
		if done {
			t.Error("other large work does not wait")
		}
		left := t.TempDir()
		if err := os.CopyFS(left, os.DirFS(l.dir)); err != nil {
			t.Fatal(err)
		}
		end()
		synctest.Wait()
		if !done || l.files() != 0 {
			t.Errorf("other work is done: %t, and %d files are left, want none", done, l.files())
		}
		l.dir = left
		l.start()
		_, err = l.ledger.Begin("fleet", memory, text("deadly"))
		if putOff, is := errors.AsType[*PutOffError](err); !is || putOff.Deaths != 1 {
			t.Errorf("the error is %v, want that it is put off", err)
		}
		none := (*Ledger)(nil)
		if end, err = none.Begin("fleet", memory, text("any")); err != nil {
			t.Error(err)
		}
		end()
		none.Keep(memory)()
	})
}
