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
	// blueprint is the package that comes to all sites, with more files like its largest one, so that it has 22.
	blueprint, more = root + "/docs/getting-started/blueprint", 18
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
	text, err := os.ReadFile(filepath.Join(blueprint, "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range more {
		f.write("blueprints", map[string]string{fmt.Sprintf("web/part-%d.yaml", i): strings.ReplaceAll(string(text), "web\n",
			fmt.Sprintf("part-%d\n", i))})
	}
	f.push("blueprints", "tag", "web/v1")
	f.write("sites", map[string]string{"README.md": "The packages of all sites.\n"})
	f.push("sites")
	f.write("fleet", f.manifests("Manual"))
	f.push("fleet")
	return f
}

// directory returns the directory of a site: a hundred are beside each other.
func directory(i int) string { return fmt.Sprintf("sites-%d/site-%d", i/100, i) }

// manifests ask for a package at each site, which is a directory and a Repository of its own, with values of its own.
func (f *fleet) manifests(policy string) map[string]string {
	var repositories, objects strings.Builder
	repository := func(name, of, more, directory string) {
		fmt.Fprintf(&repositories, "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: %s%s}\n"+
			"spec: {type: git, git: {repo: %s, branch: main%s}}\n---\n", name, more, filepath.Join(f.dir, of+".git"), directory)
	}
	repository("blueprints", "blueprints", "", "")
	for i := range f.sites {
		repository(fmt.Sprintf("site-%d", i), "sites", ", labels: {role: site}", ", directory: "+directory(i))
		objects.WriteString(object(i, "pay"))
	}
	return map[string]string{
		"objects.yaml":      objects.String(),
		"repositories.yaml": repositories.String(),
		"set.yaml": `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: Repository, matchLabels: {role: site}}
    template:
      downstream: {package: web}
      approvalPolicy: ` + policy + `
      packageContext: {dataExprs: [{key: region, valueExpr: "'region-' + repository.name.substring(5)"}]}
      injectors: [{kind: ConfigMap, nameExpr: "repository.name"}]
`}
}

// object returns the object of a site.
func object(i int, pay string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: site-%d}\ndata: {payment: %s-%d.example.com}\n---\n", i,
		pay, i)
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
func (f *fleet) merge(draft func(i int) string) {
	f.Helper()
	f.run("sites", "git", "fetch", "-q", "--prune")
	f.run("sites", "git", "checkout", "-q", "-B", "main", "origin/main")
	for i := range f.sites {
		f.run("sites", "git", "merge", "-q", "--no-edit", "origin/"+draft(i))
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

// way is a way to bring a blueprint to all sites: how that is done, what the branches of drafts are called, and where the
// packages are.
type way struct {
	bring func(f *fleet, version string) took
	draft func(version string, i int) string
	where func(i int) string
}

var ways = map[string]way{
	"sync": {func(f *fleet, _ string) took { return f.sync() }, func(version string, i int) string {
		return "drafts/" + directory(i) + "/web/packagevariant-" + strings.TrimPrefix(version, "v")
	}, func(i int) string { return directory(i) + "/web" }},
	"script": {(*fleet).script, func(_ string, i int) string { return fmt.Sprintf("draft/site-%d", i) },
		func(i int) string { return fmt.Sprintf("site-%d", i) }},
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
				f.merge(func(i int) string { return way.draft(version, i) })
				for file, want := range map[string]string{
					"package-context.yaml": "region: region-1", "endpoints.yaml": "payment: pay-1.example.com # who takes",
					"deployment.yaml": map[string]string{"v1": "image: registry.example.com/web:1.4", "v2": "web:1.5"}[version],
				} {
					text, err := os.ReadFile(filepath.Join(f.dir, "sites", way.where(1), file))
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

// steps are what is measured of a fleet.
type steps map[string]took

// measure measures the script: from nothing, with nothing to do, and an upgrade of all packages.
func (f *fleet) measureScript() steps {
	f.Helper()
	s := steps{"first": f.script("v1")}
	f.merge(func(i int) string { return ways["script"].draft("v1", i) })
	f.script("v1")
	s["idle"] = f.script("v1")
	f.secondVersion()
	s["upgrade"] = f.script("v2")
	return s
}

// measureSync measures variants sync. Between the first drafts and the rest, it publishes them.
func (f *fleet) measureSync() steps {
	f.Helper()
	s := steps{"first": f.sync()}
	for _, policy := range []string{"Automatic", "Manual"} {
		f.write("fleet", f.manifests(policy))
		f.push("fleet")
		f.sync()
	}
	s["idle"] = f.sync()
	changed := f.manifests("Manual")
	changed["objects.yaml"] = strings.Replace(changed["objects.yaml"], object(0, "pay"), object(0, "cash"), 1)
	f.write("fleet", changed)
	f.push("fleet")
	s["one"] = f.sync()
	f.secondVersion()
	s["upgrade"] = f.sync()
	return s
}

// measureFloor measures git alone: as many commits of as many files, each on a branch, by git fast-import, and one push.
func (f *fleet) measureFloor() steps {
	f.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(filepath.Join(f.dir, "blueprints", "web"), func(path string, _ os.DirEntry, err error) error {
		if text, failed := os.ReadFile(path); err == nil && failed == nil {
			files[filepath.Base(path)] = string(text)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	var stream strings.Builder
	for i := range f.sites {
		fmt.Fprintf(&stream, "commit refs/heads/drafts/%s\ncommitter A <a@example.com> 1767225600 +0000\ndata 5\nDraft\n"+
			"from refs/heads/main^0\n", directory(i))
		for name, text := range files {
			text = strings.ReplaceAll(text, ": none", fmt.Sprintf(": site-%d", i))
			fmt.Fprintf(&stream, "M 100644 inline %s/web/%s\ndata %d\n%s\n", directory(i), name, len(text), text)
		}
	}
	f.write("", map[string]string{"stream": stream.String()})
	return steps{"first": f.run("sites", "sh", "-c",
		"git fast-import --quiet < ../stream && git push -q origin 'refs/heads/drafts/*:refs/heads/drafts/*'")}
}

// age gives the repository of the sites a history of 10,000 commits, and a hundred files of a megabyte beside the sites.
func (f *fleet) age() {
	f.Helper()
	var stream strings.Builder
	for i := range 10_000 {
		from := ""
		if i == 0 {
			from = "from refs/heads/main^0\n"
		}
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata 4\nWork\n%s"+
			"M 100644 inline notes/%d\ndata 2\na\n\n", 1767225600+i, from, i%100)
		if i < 100 {
			text := strings.Repeat(fmt.Sprintf("%x", 7919*(i+1)), 1<<20/8)
			fmt.Fprintf(&stream, "M 100644 inline media/%d\ndata %d\n%s\n", i, len(text), text)
		}
	}
	f.write("", map[string]string{"stream": stream.String()})
	f.run("sites", "sh", "-c", "git fast-import --quiet --force < ../stream && git reset -q --hard && git push -q origin main")
}

// BenchmarkFleet measures a fleet of sites, each a directory and a Repository of its own in one git repository, as
// processes, each step once. The script is measured for 50 sites only: people who have more do not run it for all at
// once.
func BenchmarkFleet(b *testing.B) {
	aged := func(f *fleet) steps {
		f.age()
		return f.measureSync()
	}
	for _, c := range []struct {
		way     string
		sites   int
		measure func(*fleet) steps
	}{
		{"script", 50, (*fleet).measureScript},
		{"floor", 100, (*fleet).measureFloor}, {"sync", 100, (*fleet).measureSync},
		{"floor", 1000, (*fleet).measureFloor}, {"sync", 1000, (*fleet).measureSync}, {"aged", 1000, aged},
		{"floor", 10000, (*fleet).measureFloor}, {"sync", 10000, (*fleet).measureSync},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.way, c.sites), func(b *testing.B) {
			for range b.N {
				var peak int64
				for name, took := range c.measure(newFleet(b, c.sites)) {
					b.ReportMetric(float64(took.wall), name+"-ns/process")
					b.ReportMetric(float64(took.processor), name+"-cpu-ns/process")
					peak = max(peak, took.memory)
				}
				b.ReportMetric(float64(peak), "peak-B/process")
			}
		})
	}
}
