// SPDX-License-Identifier: Apache-2.0

// Package harness lets programs use test helpers.
package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// T is the part of testing.TB that test helpers need. Its methods mean the same as there.
type T interface {
	Helper()
	Context() context.Context
	TempDir() string
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Run calls do in its own goroutine, as the testing package calls a test, and returns after all cleanups. The error
// joins all failures of do, and says if ctx ended and so interrupted it. Logs go to log.
func Run(ctx context.Context, log io.Writer, do func(T)) error {
	ctx, cancel := context.WithCancel(ctx)
	r := &run{ctx: ctx, log: log}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer r.cleanup()
		defer cancel()
		do(r)
	}()
	<-ended
	return errors.Join(r.failures...)
}

// run is one call of Run.
type run struct {
	ctx context.Context
	log io.Writer

	mu       sync.Mutex
	failures []error
	cleanups []func()
}

// Helper does nothing: failures name no line.
func (r *run) Helper() {}

// Context returns a context that ends before the cleanups are called.
func (r *run) Context() context.Context { return r.ctx }

// TempDir returns a new directory that is removed at the end.
func (r *run) TempDir() string {
	dir, err := os.MkdirTemp("", "harness-")
	if err != nil {
		r.Fatalf("cannot make a temporary directory: %v", err)
	}
	r.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			r.Errorf("cannot remove a temporary directory: %v", err)
		}
	})
	return dir
}

// Cleanup registers a function to call at the end, last in, first out.
func (r *run) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// cleanup calls the registered functions. If one fails, the others are still called.
func (r *run) cleanup() {
	r.mu.Lock()
	n := len(r.cleanups)
	if n == 0 {
		r.mu.Unlock()
		return
	}
	last := r.cleanups[n-1]
	r.cleanups = r.cleanups[:n-1]
	r.mu.Unlock()
	defer r.cleanup()
	last()
}

// Failed reports whether anything has failed.
func (r *run) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}

// Logf writes a line to the log.
func (r *run) Logf(format string, args ...any) { fmt.Fprintf(r.log, format+"\n", args...) }

// Error is a failure after which do goes on.
func (r *run) Error(args ...any) { r.fail(fmt.Sprint(args...)) }

// Errorf is a failure after which do goes on.
func (r *run) Errorf(format string, args ...any) { r.fail(fmt.Sprintf(format, args...)) }

// Fatal is a failure that ends do.
func (r *run) Fatal(args ...any) {
	r.fail(fmt.Sprint(args...))
	runtime.Goexit()
}

// Fatalf is a failure that ends do.
func (r *run) Fatalf(format string, args ...any) {
	r.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// fail records a failure. Failures after an interrupt are put down to it.
func (r *run) fail(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil && len(r.failures) == 0 {
		message = fmt.Sprintf("%v: %s", context.Cause(r.ctx), message)
	}
	r.failures = append(r.failures, errors.New(message))
}
