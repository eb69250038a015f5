// SPDX-License-Identifier: Apache-2.0

package script

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

const (
	root = "../.."
	// blueprint is the package that comes to all sites.
	blueprint = root + "/docs/getting-started/blueprint"
)

// fleet is a blueprint, a git repository for the packages of its sites, and one with the manifests that ask for them.
type fleet struct {
	testing.TB
	// dir has a directory for each git repository, and a clone of it.
	dir   string
	sites int
	env   []string
}

// newFleet returns a fleet with version 1 of the blueprint and no packages.
func newFleet(t testing.TB, sites int) *fleet {
	t.Helper()
	tool, err := kpt.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := &fleet{TB: t, dir: dir, sites: sites,
		env: append(walkthrough.Environment(filepath.Dir(tool.Path)), "HOME="+dir)}
	for _, name := range []string{"blueprints", "sites", "fleet"} {
		f.run("", "git", "init", "-q", "--bare", "-b", "main", name+".git")
		f.run("", "git", "init", "-q", "-b", "main", name)
		f.run(name, "git", "remote", "add", "origin", filepath.Join(dir, name+".git"))
	}
	if err := os.CopyFS(filepath.Join(dir, "blueprints", "web"), os.DirFS(blueprint)); err != nil {
		t.Fatal(err)
	}
	f.push("blueprints", "tag", "web/v1")
	f.write("sites", map[string]string{"README.md": "The packages of all sites.\n"})
	f.push("sites")
	f.write("fleet", f.manifests())
	f.push("fleet")
	return f
}

// manifests ask for a package at each site, with values of its own.
func (f *fleet) manifests() map[string]string {
	var names, objects strings.Builder
	for i := range f.sites {
		fmt.Fprintf(&names, "site-%d, ", i)
		fmt.Fprintf(&objects, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: site-%d}\ndata: {payment: pay-%d.example.com}\n---\n", i, i)
	}
	repository := func(name, more string) string {
		return "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: " + name + "}\nspec: {type: git, " +
			more + "git: {repo: " + filepath.Join(f.dir, name+".git") + ", branch: main}}\n---\n"
	}
	return map[string]string{
		"objects.yaml":      objects.String(),
		"repositories.yaml": repository("blueprints", "") + repository("sites", "deployment: true, "),
		"set.yaml": `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositories: [{name: sites, packageNames: [` + strings.TrimSuffix(names.String(), ", ") + `]}]
    template:
      packageContext: {dataExprs: [{key: region, valueExpr: "'region-' + target.package.substring(5)"}]}
      injectors: [{kind: ConfigMap, nameExpr: "target.package"}]
`}
}

// write writes files into a clone.
func (f *fleet) write(clone string, files tree.Tree) {
	f.Helper()
	if err := files.Write(filepath.Join(f.dir, clone)); err != nil {
		f.Fatal(err)
	}
}

// push pushes all of a clone, and a tag.
func (f *fleet) push(clone string, tag ...string) {
	f.Helper()
	f.run(clone, "git", "add", "-A")
	f.run(clone, "git", "commit", "-qm", "Change it")
	if len(tag) > 0 {
		f.run(clone, "git", tag...)
	}
	f.run(clone, "git", "push", "-q", "--tags", "origin", "main")
}

// secondVersion publishes version 2 of the blueprint.
func (f *fleet) secondVersion() {
	f.Helper()
	const file = "web/deployment.yaml"
	text, err := os.ReadFile(filepath.Join(f.dir, "blueprints", file))
	if err != nil {
		f.Fatal(err)
	}
	f.write("blueprints", map[string]string{file: strings.Replace(string(text), ":1.4", ":1.5", 1)})
	f.push("blueprints", "tag", "web/v2")
}

// merge merges the drafts of all sites.
func (f *fleet) merge(prefix, suffix string) {
	f.Helper()
	f.run("sites", "git", "fetch", "-q", "--prune")
	f.run("sites", "git", "checkout", "-q", "-B", "main", "origin/main")
	for i := range f.sites {
		f.run("sites", "git", "merge", "-q", "--no-edit", fmt.Sprintf("origin/%ssite-%d%s", prefix, i, suffix))
	}
	f.run("sites", "git", "push", "-q", "origin", "main")
}

// took is what a program and those that it started took.
type took struct {
	wall, processor time.Duration
	// memory is the largest resident memory of one of them, in bytes.
	memory int64
}

// run runs a program in a clone.
func (f *fleet) run(clone, name string, args ...string) took {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), name, args...)
	cmd.Dir, cmd.Env = filepath.Join(f.dir, clone), f.env
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	t := took{wall: time.Since(began), processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		t.memory = usage.Maxrss * 1024
	}
	return t
}

// sync runs variants sync.
func (f *fleet) sync() took {
	f.Helper()
	binary := cmp.Or(os.Getenv("VARIANTS"), "variants")
	return f.run("", binary, "sync", "--cache", filepath.Join(f.dir, "cache"), "fleet")
}

// script runs the script for a version of the blueprint.
func (f *fleet) script(version string) took {
	f.Helper()
	script, err := filepath.Abs("testdata/fleet.sh")
	if err != nil {
		f.Fatal(err)
	}
	f.run("sites", "git", "fetch", "-q", "--prune")
	return f.run("sites", script, filepath.Join(f.dir, "blueprints.git"), version, fmt.Sprint(f.sites))
}

// ways are the ways to bring a blueprint to all sites: how that is done, and what the branches of drafts are called.
var ways = map[string]struct {
	bring          func(f *fleet, version string) took
	prefix, suffix func(version string) string
}{
	"sync": {func(f *fleet, _ string) took { return f.sync() }, func(string) string { return "drafts/" },
		func(version string) string { return "/packagevariant-" + strings.TrimPrefix(version, "v") }},
	"script": {(*fleet).script, func(string) string { return "draft/" }, func(string) string { return "" }},
}

// TestBoth checks that both ways bring the same values to the sites, and then the next version of the blueprint. An
// image that somebody repaired at one site survives that; in what the script makes, it does not have to.
func TestBoth(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2)
			for _, version := range []string{"v1", "v2"} {
				way.bring(f, version)
				f.merge(way.prefix(version), way.suffix(version))
				for file, want := range map[string]string{
					"package-context.yaml": "region: region-1", "endpoints.yaml": "payment: pay-1.example.com # who takes",
					"deployment.yaml": map[string]string{"v1": "image: registry.example.com/web:1.4", "v2": "web:1.5"}[version],
				} {
					text, err := os.ReadFile(filepath.Join(f.dir, "sites", "site-1", file))
					if err != nil || !strings.Contains(string(text), want) {
						t.Errorf("%s has no %q (%v):\n%s", file, want, err, text)
					}
				}
				if version == "v1" {
					f.secondVersion()
				}
			}
		})
	}
}

// BenchmarkFleet measures both ways, as processes: from nothing, with nothing to do, and an upgrade of all packages, once
// each. The script is measured for 50 sites only: people who have more do not run it for all at once.
func BenchmarkFleet(b *testing.B) {
	for _, c := range []struct {
		way   string
		sites int
	}{{"script", 50}, {"sync", 50}, {"sync", 1000}} {
		b.Run(fmt.Sprintf("%s/%d", c.way, c.sites), func(b *testing.B) {
			way := ways[c.way]
			for range b.N {
				f := newFleet(b, c.sites)
				first := way.bring(f, "v1")
				f.merge(way.prefix("v1"), way.suffix("v1"))
				way.bring(f, "v1")
				idle := way.bring(f, "v1")
				f.secondVersion()
				upgrade := way.bring(f, "v2")
				for name, took := range map[string]took{"first": first, "idle": idle, "upgrade": upgrade} {
					b.ReportMetric(float64(took.wall), name+"-ns/process")
					b.ReportMetric(float64(took.processor), name+"-cpu-ns/process")
				}
				b.ReportMetric(float64(max(first.memory, upgrade.memory)), "peak-B/process")
			}
		})
	}
}
