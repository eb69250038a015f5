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

// TestDemo checks what the demo without a cluster prints, that it fails if anything is not as its page says, and that it
// leaves nothing behind. The page is what TestGettingStarted in e2e/start makes of it.
func TestDemo(t *testing.T) {
	t.Parallel()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		return // the page may be about to change
	}
	for name, c := range map[string]struct{ old, new, want, fails string }{
		"all goes well": {want: "lon/web: with blueprints.web.v2, both sides changed"},
		"another output": {old: "+  payment: pay.eu", new: "+  payment: to.eu", want: "== 4. ",
			fails: "demo: 4. A value changes in one region: this is not (>) what docs/getting-started.md shows (<)\n"},
		"an output too many": {old: "cat rollout.yaml >> fleet/set.yaml\n", new: "cat rollout.yaml >> fleet/set.yaml\necho x\n",
			want: "$ echo x\nx\n", fails: "> x\n"},
		"a command fails": {old: "git show origin/drafts", new: "git show no", want: "\nfatal: ",
			fails: "\ndemo: 2. A draft is a branch: exit code 128 of: git show no/"},
		"the set-up fails": {old: "cp -r", new: "false", fails: "\ndemo: the set-up: exit code 1 of: false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			out, stderr, err := demo(t, temp, c.old, c.new)
			if !strings.Contains(out, c.want) || !strings.Contains(stderr, c.fails) || (err == nil) != (c.fails == "") {
				t.Errorf("want %q and %q, got %v\n%s\n%s", c.want, c.fails, err, out, stderr)
			}
			if left := entries(t, temp); len(left) > 0 {
				t.Errorf("the demo leaves %q behind", left)
			}
			if c.fails == "" {
				expectLines(t, out, 300, "  payment: payment.eu.example.com # who takes the money",
					"+  payment: pay.eu.example.com # who takes the money", "+        image: registry.example.com/web:1.5",
					"variants sync --render has kpt run the pipelines")
			}
		})
	}
}

// demo runs the demo with its page changed, and with a directory for temporary files.
func demo(t *testing.T, temp, old, changed string) (stdout, stderr string, err error) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const page, program = "docs/getting-started.md", "hack/demo.sh"
	clone := tree.Tree{}
	for _, file := range []string{page, program} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		clone[file] = string(content)
	}
	if !strings.Contains(clone[page], old) {
		t.Fatalf("%s has no %q", page, old)
	}
	clone[page] = strings.Replace(clone[page], old, changed, 1)
	dir := t.TempDir()
	err = clone.Write(dir)
	const copied = "docs/getting-started"
	err = errors.Join(err, os.Symlink(filepath.Join(root, "bin"), filepath.Join(dir, "bin")),
		os.CopyFS(filepath.Join(dir, copied), os.DirFS(filepath.Join(root, copied))))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, program))
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
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
	const small = "== The disk may be too small: 1 GB are free, and this needs about 2 GB with empty caches of Go.\n"
	for gigabytes, want := range map[int]string{50: want, 1: want + small} {
		dir := t.TempDir()
		df := fmt.Sprintf("#!/bin/sh\necho Filesystem\necho disk 0 0 %d 0 /\n", gigabytes<<20)
		if err := os.WriteFile(filepath.Join(dir, "df"), []byte(df), 0o755); err != nil {
			t.Fatal(err)
		}
		got := script(t, dir+":"+os.Getenv("PATH"), "announce.sh", "none/functions", there, "none/kubectl", "none/porch")
		if got != want {
			t.Errorf("got:\n%swant:\n%s", got, want)
		}
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
