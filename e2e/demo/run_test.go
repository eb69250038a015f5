// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// TestRun runs the whole demo, in the cluster: it must show each step, print what the README of the example says, and
// leave nothing behind.
func TestRun(t *testing.T) {
	const maxLines = 400 // how much a newcomer reads
	temp := temporary(t)
	var out strings.Builder
	readmes := map[string]*walkthrough.Document{}
	err := run(t.Context(), &page{out: &out}, options{
		printed: func(c *chapter, section *walkthrough.Section, i int, results []walkthrough.Result) {
			readmes[c.dir] = c.readme
			if os.Getenv("UPDATE_GOLDEN") != "" {
				c.readme.Update(section, i, results)
			} else if differences := c.readme.Compare(section, i, results); differences != "" {
				t.Error(differences)
			}
		},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for dir, readme := range readmes {
		if os.Getenv("UPDATE_GOLDEN") == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join("..", "..", dir, "README.md"), []byte(readme.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expectLines(t, out.String(), maxLines,
		"A fleet in a cluster, from the first draft to an upgrade",
		"Starting up",
		"  fra          eu       prod     True",
		"  blueprints.web.v1 approved",
		"  web                      <none>                     True    VariantsReady",
		"  +  search: search.eu.example.com",
		`      message: injected resource "endpoints-eu" from cluster`,
		"   2 files changed, 2 insertions(+), 2 deletions(-)",
		"  web-bos-web-5qe2c96krp   bos.web.packagevariant-1   True    UpToDate",
		"  fra.web.packagevariant-1 approved",
		"  web-bos-web-5qe2c96krp   bos.web.packagevariant-1   blueprints.web.v2   True    NoConflicts",
		"  web-fra-web-cf92mn2dpf   fra.web.packagevariant-2   blueprints.web.v2   True    NoConflicts",
		"  web-lon-web-tmkmhdtf99   lon.web.packagevariant-1   blueprints.web.v2   True    LocalKept",
		"  web-nyc-web-9thqw2mht2   nyc.web.packagevariant-1   blueprints.web.v2   True    NoConflicts",
		"  fra-2/deployment.yaml:  replicas: 4",
		"  fra-2/deployment.yaml:        image: registry.example.com/web:1.5",
		"  lon-2/deployment.yaml:        image: registry.example.com/web:1.4.1",
		`          "field": "spec.template.spec.containers[name=web].image",`,
		`          "local": "registry.example.com/web:1.4.1",`,
		`          "updated": "registry.example.com/web:1.5"`,
		"A rollout in waves, from a canary to three regions",
		"  AwaitingApproval: catalog.checkout.v1",
		"  canary   AwaitingApproval        1       1       1       0",
		"  Stopped: catalog.checkout.v1",
		"  regions  Progressing             3       2       1       1",
		"  the package eu/checkout exists (eu.checkout.trial is Draft) and is not this variant's:",
		"  Complete: catalog.checkout.v1",
		"  regions  Complete                3       3       3       0",
		"  AwaitingApproval: catalog.checkout.v2",
		"What you have seen",
	)
	expectNothing(t, temp)
}

func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		env       map[string]string
		cancelled bool
		want      string
	}{
		"no environment": {env: map[string]string{"TOOLS_BIN": ""}, want: "TOOLS_BIN and SYNC_CONTROLLER"},
		"no tools":       {env: map[string]string{"TOOLS_BIN": "/nowhere/tools"}, want: "/nowhere/tools"},
		"no controller":  {env: map[string]string{"SYNC_CONTROLLER": "/nowhere"}, want: "run make demo-cluster"},
		"no git":         {env: map[string]string{"PATH": pathWith(t, "bash")}, want: "git is not on the PATH"},
		"interrupted":    {cancelled: true, want: "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			temp := temporary(t)
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancelled {
				cancel()
			}
			err := run(ctx, &page{out: &strings.Builder{}}, options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			expectNothing(t, temp)
		})
	}
}

// TestRunIsInterrupted interrupts the demo when the cluster runs.
func TestRunIsInterrupted(t *testing.T) {
	temp := temporary(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := run(ctx, &page{out: &strings.Builder{}}, options{
		printed: func(*chapter, *walkthrough.Section, int, []walkthrough.Result) { cancel() },
	})
	if err == nil || err.Error() != "interrupted" {
		t.Errorf("got error %v, want that it was interrupted", err)
	}
	expectNothing(t, temp)
}

// TestRunKeepsTheLogs lets the demo fail when the cluster runs: the controller ends, before it is ready or after the
// first commands.
func TestRunKeepsTheLogs(t *testing.T) {
	for name, c := range map[string]struct{ script, step string }{
		"at once": {"echo the end is near\nexit 3", "it was ready"},
		"later": {os.Getenv("SYNC_CONTROLLER") + ` "$@" & until [ -e "$0.end" ]; do sleep 0.1; done
			kill $!; wait; echo the end is near; exit 3`, ". "},
	} {
		t.Run(name, func(t *testing.T) {
			temp := temporary(t)
			binary := filepath.Join(t.TempDir(), "sync-controller")
			end := func(*chapter, *walkthrough.Section, int, []walkthrough.Result) {
				if err := os.WriteFile(binary+".end", nil, 0o600); err != nil {
					t.Error(err)
				}
			}
			if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("SYNC_CONTROLLER", binary)
			err := run(t.Context(), &page{out: &strings.Builder{}}, options{printed: end})
			if err == nil {
				t.Fatal("no error")
			}
			left := entries(t, temp)
			if len(left) != 1 {
				t.Fatalf("got %q, want one directory", left)
			}
			dir := filepath.Join(temp, left[0], logs)
			for _, want := range []string{c.step, "sync-controller ended", "the end is near",
				"Porch and the others are in " + dir} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error has no %q: %v", want, err)
				}
			}
			for _, name := range []string{"sync-controller.log", "porch.log", "kube-apiserver.log"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			expectNoProcess(t, temp)
		})
	}
}

// temporary returns the directory in which the demo makes its own.
func temporary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

func expectLines(t *testing.T, out string, maxLines int, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(out, line) {
			t.Errorf("the demo does not show %q:\n%s", line, out)
		}
	}
	all := strings.Split(out, "\n")
	if len(all) > maxLines {
		t.Errorf("the demo has %d lines, more than %d", len(all), maxLines)
	}
	for _, line := range all {
		if len(line) > 100 {
			t.Errorf("this line is longer than 100 characters:\n%s", line)
		}
	}
}

// expectNothing fails the test if the demo has left files or processes.
func expectNothing(t *testing.T, temp string) {
	t.Helper()
	if left := entries(t, temp); len(left) > 0 {
		t.Errorf("the demo leaves %q behind", left)
	}
	expectNoProcess(t, temp)
}

// expectNoProcess fails the test if a process runs whose arguments name a directory, where the system lists processes
// as files.
func expectNoProcess(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		if bytes.Contains(content, []byte(dir)) {
			t.Errorf("the demo leaves a process behind: %s", bytes.ReplaceAll(content, []byte{0}, []byte(" ")))
		}
	}
}

// pathWith returns a PATH on which there is nothing but a file of the given name.
func pathWith(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
