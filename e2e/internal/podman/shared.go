// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/skipped"
)

// Shared is a Runtime with the functions' images that the tests of a package share. The zero value is ready to use. The
// package must be two directories below the repository's root.
type Shared struct {
	start   sync.Once
	runtime *Runtime
	err     error
}

// Get returns the Runtime, and starts it on the first call. If no container can run, it skips the test, or fails it if
// the environment has REQUIRE_CONTAINERS. With WITHOUT_CONTAINERS, which layers of tests have that leave this to
// another one, none runs.
func (s *Shared) Get(t *testing.T) *Runtime {
	t.Helper()
	r := s.Find(t)
	if r == nil {
		t.Skip("skipped: see above")
	}
	return r
}

// Find is Get for a test that does not need containers: if none can run, it reports that and returns nil.
func (s *Shared) Find(t *testing.T) *Runtime {
	t.Helper()
	s.start.Do(func() { s.runtime, s.err = start() })
	if errors.Is(s.err, ErrUnavailable) && !required() {
		t.Log(s.err)
		return nil
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.runtime
}

func required() bool { return os.Getenv("REQUIRE_CONTAINERS") != "" && !unwanted() }

func unwanted() bool { return os.Getenv("WITHOUT_CONTAINERS") != "" }

// start returns a Runtime with the images that make images has written.
func start() (*Runtime, error) {
	if unwanted() {
		return nil, fmt.Errorf("%w: WITHOUT_CONTAINERS is set", ErrUnavailable)
	}
	images, err := ImagesFromEnv()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "noop")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	noop := filepath.Join(dir, "noop")
	if err := kpt.BuildNoop(filepath.Join("..", "..", "functions"), noop); err != nil {
		return nil, err
	}
	r, err := New(noop)
	if err != nil {
		return nil, err
	}
	for _, function := range Functions {
		if err := r.Load(images.File(function)); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// Close removes the Runtime, if one was started, and returns the exit code for tests that ended with the given one. If
// tests were skipped for lack of containers, it reports that on standard error, which go test hides when all tests
// pass, and in the file that the environment names as SKIPPED, which make test shows at its end.
func (s *Shared) Close(code int) int {
	if s.runtime != nil {
		if err := s.runtime.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if errors.Is(s.err, ErrUnavailable) && !required() && !unwanted() {
		if err := skipped.Report("the tests that run functions as container images", s.err); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}
