// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// piped is a variant whose package has a pipeline.
const piped = web + "  pipeline: {mutators: [{image: example.com/f:v1, name: f}]}\n"

// TestPipeline leaves a package alone of which nothing runs the functions, until something does.
func TestPipeline(t *testing.T) {
	w := newWorld(t, piped+another("other"))
	w.Equal("without its pipeline", []string{"other: UpToDate  edge.other.packagevariant-1", "web: PackageRefused",
		"PackageVariant default/web: " + needsKpt}, lines(w.sync()))
	w.idle()
	t.Setenv("KPT", filepath.Join(w.Cache, "kpt"))
	rendering := func() *Report {
		t.Helper()
		report, err := w.syncAt(func(o *Options) { o.Render = true })
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	_, err := w.syncAt(func(o *Options) { o.Render = true })
	w.Equal("no kpt", "--render needs kpt, which is not there: install it (https://kpt.dev), or set KPT to its path", err.Error())
	for _, tt := range []struct{ name, script, want string }{
		{"failed", `echo "boom in $3"; exit 3`, "PackageVariant default/web: nothing was saved, because the pipeline in the package's " +
			"Kptfile failed; correct the function or its config, in the upstream or in this variant: kpt fn render failed (exit status 3): boom in web"},
		{"no containers", `echo "docker must be running to use this command"; exit 1`, "PackageVariant default/web: will try again: kpt cannot run functions (exit status 1): start docker, or what KRM_FN_RUNTIME names: " +
			"docker must be running to use this command"},
	} {
		w.kpt(tt.script)
		report := rendering()
		w.Equal(tt.name, []string{tt.want}, report.Failures)
		w.Equal("refs", []string{"heads/drafts/edge/other/packagevariant-1", "heads/package-variants"}, w.Refs())
	}
	w.kpt(`sed -i s/small/rendered/ "$3"/settings.yaml`)
	o := w.options()
	o.Render = true
	w.Equal("a plan", "edge.web.packagevariant-1", w.plan(o).Variants[1].Drafts[0].Name)
	w.Equal("rendered", []string{"other: UpToDate  edge.other.packagevariant-1", "web: UpToDate  edge.web.packagevariant-1"},
		lines(rendering()))
	if got := w.Remote.Git("show", strings.TrimPrefix(draft1, "heads/")+":edge/web/settings.yaml"); !strings.Contains(got,
		"size: rendered") {
		t.Error(got)
	}
	w.unchanged("another one", func() { rendering() })
}

// kpt has a program stand for kpt.
func (w *world) kpt(script string) {
	w.Helper()
	err := os.WriteFile(filepath.Join(w.Cache, "kpt"), []byte("#!/bin/sh\n[ \"$1 $2\" = 'fn render' ] || exit 9\n"+script+"\n"), 0o700)
	if err != nil {
		w.Fatal(err)
	}
}
