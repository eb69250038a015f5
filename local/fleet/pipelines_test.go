// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/plans"
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
	w.kpt(`sed -i s/small/rendered/ "$3"/settings.yaml`)
	rendered := w.options()
	rendered.Render = true
	w.Equal("a plan", "edge.web.packagevariant-1", drafted(w.plan(rendered)))
	if err := os.Remove(filepath.Join(w.Cache, "kpt")); err != nil {
		t.Fatal(err)
	}
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
	w.Equal("a plan", "edge.web.packagevariant-1", drafted(w.plan(rendered)))
	w.Equal("rendered", []string{"other: UpToDate  edge.other.packagevariant-1", "web: UpToDate  edge.web.packagevariant-1"},
		lines(rendering()))
	if got := w.Remote.Git("show", strings.TrimPrefix(draft1, "heads/")+":edge/web/settings.yaml"); !strings.Contains(got,
		"size: rendered") {
		t.Error(got)
	}
	w.unchanged("another one", func() { rendering() })
}

// TestRenderedOnce has a blueprint with a pipeline of its own: kpt runs once for each draft, also if the variant changes
// nothing of it.
func TestRenderedOnce(t *testing.T) {
	plain := strings.Replace(web, "  packageContext: {data: {region: north}}\n", "", 1)
	for name, manifest := range map[string]string{"changed": web, "as it is": plain} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, manifest)
			log := filepath.Join(w.Cache, "runs")
			t.Setenv("KPT", filepath.Join(w.Cache, "kpt"))
			w.kpt(`echo run >> ` + log + `; sed -i 's/size: .*/&, rendered/' "$3"/settings.yaml`)
			for i, size := range []string{"large", "huge"} {
				w.Push("main", "Have a pipeline", map[string]string{"blueprints/web/settings.yaml": settings(size),
					"blueprints/web/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n" +
						"pipeline:\n  mutators:\n  - image: example.com/f:v1\n    name: f\n"},
					fmt.Sprintf("HEAD:refs/tags/blueprints/web/v%d", i+2))
				report, err := w.syncAt(func(o *Options) { o.Render = true })
				if err != nil || len(report.Failures) > 0 {
					t.Fatal(err, report)
				}
				draft := fmt.Sprintf("drafts/edge/web/packagevariant-%d", i+1)
				if got := w.Remote.Git("show", draft+":edge/web/settings.yaml"); !strings.Contains(got, "rendered") {
					t.Error(got)
				}
				runs, err := os.ReadFile(log)
				w.Equal("runs of kpt", strings.Repeat("run\n", i+1), string(runs))
				if err != nil {
					t.Error(err)
				}
				w.Merge(draft)
				if _, err := w.syncAt(func(o *Options) { o.Render = true }); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFirstCommit has a branch made for a package that is not made then: no revision was pushed.
func TestFirstCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piped)
	w.Push("main", "Have a branch of its own", map[string]string{"fleet/repositories.yaml": strings.NewReplacer(
		"branch: main, directory: edge", "branch: edge, createBranch: true, directory: edge", "ADDRESS", w.Remote.Address()).
		Replace(repositories)})
	report := w.sync()
	w.Equal("reason", "PackageRefused", report.Variants[0].Reason)
	w.Equal("happened", []string(nil), happened(report))
}

// drafted returns the drafts that a plan makes.
func drafted(p *plans.Plan) string {
	var all []string
	for _, v := range p.Variants {
		for _, d := range v.Drafts {
			all = append(all, d.Name)
		}
	}
	return strings.Join(all, " ")
}

// kpt has a program stand for kpt.
func (w *world) kpt(script string) {
	w.Helper()
	err := os.WriteFile(filepath.Join(w.Cache, "kpt"), []byte("#!/bin/sh\n[ \"$1 $2\" = 'fn render' ] || exit 9\n"+script+"\n"), 0o700)
	if err != nil {
		w.Fatal(err)
	}
}
