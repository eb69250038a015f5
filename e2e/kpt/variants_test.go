// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"os"
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
		var out strings.Builder
		args := []string{"sync", filepath.Join(w.People.Dir, "fleet"), "--cache", w.Cache, "--render"}
		if got := command.Run(t.Context(), args, programs.Streams{Out: &out, Err: &out}); got != code {
			t.Errorf("exit code %d, want %d:\n%s", got, code, out.String())
		}
		return out.String()
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
