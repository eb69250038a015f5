// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/command"
	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/programs"
)

// TestVariantsRender has variants sync run the pipeline of a package by the real kpt, and the function by a program in
// the place of podman: it fails, it changes a value, and then there is nothing to do.
func TestVariantsRender(t *testing.T) {
	w := fleettest.New(t, fleettest.Web+"  pipeline: {mutators: [{image: example.com/f:v1, name: f}]}\n")
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("KRM_FN_RUNTIME", "podman")
	sync := func(code int, function string) string {
		t.Helper()
		script := "#!/bin/sh\n[ \"$1\" = run ] || exit 0\n" + function + "\n"
		if err := os.WriteFile(filepath.Join(bin, "podman"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		return syncFleet(w, code, "--render")
	}
	if said := sync(2, `echo "no such zone" >&2; exit 1`); !strings.Contains(said, "no such zone") {
		t.Error(said)
	}
	w.Equal("nothing was made", []string{"heads/package-variants"}, w.Refs())
	sync(0, "exec sed 's/size: small/size: rendered/'")
	made := w.Remote.Git("show", "drafts/edge/web/packagevariant-1:edge/web/settings.yaml")
	if !strings.Contains(made, "size: rendered\n") {
		t.Error(made)
	}
	before := w.Remote.Refs()
	sync(0, "exit 1")
	w.Equal("at rest", before, w.Remote.Refs())
}

// syncFleet runs variants sync, which has to end with an exit code, and returns what it prints.
func syncFleet(w *fleettest.World, code int, flags ...string) string {
	w.Helper()
	var out strings.Builder
	args := append([]string{"sync", filepath.Join(w.People.Dir, "fleet"), "--cache", w.Cache}, flags...)
	if got := command.Run(w.Context(), args, programs.Streams{Out: &out, Err: &out}); got != code {
		w.Errorf("exit code %d, want %d:\n%s", got, code, out.String())
	}
	return out.String()
}

// TestUpdate has kpt pkg update find the blueprint of a package, whose Repository is a directory, and its next version.
func TestUpdate(t *testing.T) {
	t.Parallel()
	w := fleettest.New(t, fleettest.Web)
	syncFleet(w, 0)
	w.Merge("drafts/edge/web/packagevariant-1")
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	cmd := exec.CommandContext(t.Context(), tool.Path, "pkg", "update", "edge/web@blueprints/web/v2")
	cmd.Dir = w.People.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", err, out)
	}
	settings, err := os.ReadFile(filepath.Join(w.People.Dir, "edge", "web", "settings.yaml"))
	if err != nil || !strings.Contains(string(settings), "size: large\n") {
		t.Error(string(settings), err)
	}
}
