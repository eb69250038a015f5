// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
)

// TestCloseLeavesNothing closes a Runtime with a running container.
func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	noop := filepath.Join(t.TempDir(), "noop")
	if err := kpt.BuildNoop(filepath.Join("..", "..", "..", "functions"), noop); err != nil {
		t.Fatal(err)
	}
	r, err := New(noop)
	if errors.Is(err, ErrUnavailable) && !required() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Podman(nil, "run", "--detach", "--interactive", "--network", "none", Noop); err != nil {
		t.Error(err)
	}
	if pids, err := r.processes(); err != nil || len(pids) == 0 {
		t.Errorf("no process watches the container: %v, %v", pids, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if pids, err := r.processes(); err != nil || len(pids) > 0 {
		t.Errorf("there are still processes: %v, %v", pids, err)
	}
	if _, err := os.Stat(r.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil || strings.Contains(string(mounts), r.dir) {
		t.Errorf("there are still mounts: %s, %v", mounts, err)
	}
}

func TestUnavailable(t *testing.T) {
	for name, c := range map[string]struct{ podman, want string }{
		"no podman": {"", "no container runtime: podman is not on the PATH: " +
			"install it, for example by apt-get install podman runc"},
		"no OCI runtime": {
			"#!/bin/sh\necho 'Error: default OCI runtime \"crun\" not found' >&2\nexit 125\n",
			`no container runtime: podman is there, but cannot run a container here: podman import --quiet --change ` +
				`ENTRYPOINT ["/usr/local/bin/function"] - localhost/noop:test: exit status 125: Error: ` +
				`default OCI runtime "crun" not found`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bin, temp := t.TempDir(), t.TempDir()
			t.Setenv("PATH", bin)
			t.Setenv("TMPDIR", temp)
			if c.podman != "" {
				if err := os.WriteFile(filepath.Join(bin, "podman"), []byte(c.podman), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			r, err := New(os.Args[0])
			if r != nil || !errors.Is(err, ErrUnavailable) || err.Error() != c.want {
				t.Errorf("got error\n%v\nwant\n%s", err, c.want)
			}
			if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
				t.Errorf("it leaves %v, %v", entries, err)
			}
		})
	}
}

// TestSkipping checks that tests that need containers are skipped and reported where there are none, or fail if the
// environment says so.
func TestSkipping(t *testing.T) {
	const line = "SKIPPED: the tests that run functions as container images: no container runtime: why\n"
	for name, c := range map[string]struct {
		required string
		code     int
		want     string
	}{
		"not required":        {"", 0, line},
		"not required, fails": {"", 1, line},
		"required":            {"1", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "skipped")
			t.Setenv("REQUIRE_CONTAINERS", c.required)
			t.Setenv("SKIPPED", file)
			s := Shared{err: fmt.Errorf("%w: why", ErrUnavailable)}
			if got := s.Close(c.code); got != c.code {
				t.Errorf("got exit code %d, want %d", got, c.code)
			}
			got, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) || string(got) != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}
