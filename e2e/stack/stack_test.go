// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// serveDir names the environment variable that makes the test binary serve a stack in that directory.
	serveDir = "STACK_TEST_SERVE_DIR"
	// image is an image that a function of this repository replaces.
	image = "registry.example.com/apply-package-context:v1"
)

// TestPublish starts a stack, publishes a package with porchctl as a user does, and stops the stack.
func TestPublish(t *testing.T) {
	began := time.Now()
	s := starting(t, "")
	t.Logf("started in %s", time.Since(began).Round(time.Millisecond))
	for name, deployment := range map[string]bool{"blueprints": false, "deployments": true} {
		if err := s.RegisterRepository(t.Context(), Repository{Namespace: "default", Name: name,
			Deployment: deployment}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("repositories ready after %s", time.Since(began).Round(time.Millisecond))
	publish(t, s, "shop")
	t.Logf("published after %s", time.Since(began).Round(time.Millisecond))

	pids := s.PIDs()
	if want := len(s.Components()) + 1; len(pids) != want {
		t.Errorf("processes %v, want %d: etcd, and %q", pids, want, s.Components())
	}
	began = time.Now()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("stopped in %s", time.Since(began).Round(time.Millisecond))
	expectGone(t, pids)
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", s.Dir, err)
	}
}

// kptfile names a function whose binary the function-runner has.
const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: example
pipeline:
  mutators:
    - image: ` + image + `
      configMap:
        color: blue
`

// user returns a function that runs porchctl rpkg, and fails the test if that fails. It tries again, as a person would:
// after a restart of its database, Porch finds broken connections one request at a time.
func user(t *testing.T, s *Stack) func(args ...string) string {
	return func(args ...string) string {
		t.Helper()
		for {
			out, err := s.Porchctl(t.Context(), append([]string{"rpkg", "--namespace=default"}, args...)...)
			switch {
			case err == nil:
				return out
			case s.Cache() != DBCache || !strings.Contains(out, "unexpected EOF"):
				t.Fatal(err)
			default:
				t.Log(err)
			}
		}
	}
}

// publish creates a package with a function, and fails the test unless Porch renders and publishes it.
func publish(t *testing.T, s *Stack, pkg string) {
	t.Helper()
	name, porchctl := "blueprints."+pkg+".v1", user(t, s)
	porchctl("init", pkg, "--repository=blueprints", "--workspace=v1")
	dir := filepath.Join(t.TempDir(), pkg)
	porchctl("pull", name, dir)
	if err := os.WriteFile(filepath.Join(dir, "Kptfile"), []byte(kptfile), 0o600); err != nil {
		t.Fatal(err)
	}
	porchctl("push", name, dir)
	porchctl("propose", name)
	porchctl("approve", name)
	if out := porchctl("get", name, "--output=jsonpath={.spec.lifecycle}"); out != "Published" {
		t.Errorf("lifecycle %q, want Published", out)
	}
	published := filepath.Join(t.TempDir(), "published")
	porchctl("pull", name, published)
	context, err := os.ReadFile(filepath.Join(published, "package-context.yaml"))
	if err != nil || !strings.Contains(string(context), "color: blue") {
		t.Errorf("the published package context is %q, %v, want what the function sets", context, err)
	}
}

// expectGone fails the test if a process still runs. A process that has ended but was not waited for does not count.
func expectGone(t *testing.T, pids map[string]int) {
	t.Helper()
	for name, pid := range pids {
		for deadline := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("%s (process %d) is left", name, pid)
				break
			}
		}
	}
}

// alive reports whether a process is running.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// TestSignals checks that nothing is left of a stack whose process is interrupted or killed.
func TestSignals(t *testing.T) {
	chosen, err := choose(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		if signal == syscall.SIGKILL && runtime.GOOS != "linux" {
			continue // elsewhere a process gets no signal at its parent's death
		}
		t.Run(signal.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "stack")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), serveDir+"="+dir)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var pids map[string]int
			if err := json.NewDecoder(out).Decode(&pids); err != nil || len(pids) != len(chosen.Components())+1 {
				t.Errorf("processes %v, %v, want etcd and %q", pids, err, chosen.Components())
			}
			if pid := pids[Postgres]; pid != 0 {
				backends, err := children(pid)
				if err != nil || len(backends) == 0 {
					t.Errorf("the processes of PostgreSQL are %v, %v", backends, err)
				}
				for _, backend := range backends {
					pids["process of PostgreSQL "+strconv.Itoa(backend)] = backend
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Error(err)
			}
			var ended *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != signal {
				t.Errorf("the process ended with %v, want %s", err, signal)
			}
			expectGone(t, pids)
			if _, err := os.Stat(dir); signal != syscall.SIGKILL && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is left: %v", dir, err)
			}
		})
	}
}

// TestMain runs the tests; with serveDir set, it is the process of TestSignals that serves a stack.
func TestMain(m *testing.M) {
	dir := os.Getenv(serveDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Start(context.Background(), Options{Dir: dir})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(s.PIDs())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	time.Sleep(time.Minute)
}

// TestFailure checks that an error names the component that failed and shows its log, and that nothing is left running.
func TestFailure(t *testing.T) {
	chosen, err := choose(t.Context(), Options{Porch: Pinned})
	if err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	for _, name := range []string{"etcd", "porch", "porchctl", "function-runner", "git-server", "kubectl"} {
		if err := os.Symlink(chosen.tools.path(name), filepath.Join(broken, name)); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!/bin/sh\necho the disk is full >&2\nexit 3\n"
	if err := os.WriteFile(filepath.Join(broken, "kube-apiserver"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOOLS_BIN", broken)
	dir := filepath.Join(t.TempDir(), "stack")
	s, err := Start(context.Background(), Options{Dir: dir})
	if err == nil {
		_ = s.Stop()
		t.Fatal("started without kube-apiserver")
	}
	want := "kube-apiserver ended before it was ready: exit status 3\nthe end of its log:\n  the disk is full"
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", dir, err)
	}
}
