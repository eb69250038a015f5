// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"github.com/gobwas/glob"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
)

// argoCDReads are the names of the files that Argo CD reads in a directory.
var argoCDReads = regexp.MustCompile(`^.*\.(yaml|yml|json|jsonnet)$`)

// source is what a tool is told to deploy: a directory of a checkout, without what it is to ignore or exclude.
type source struct {
	root, dir string
	ignore    string // of Flux
	exclude   string // of Argo CD
	recurse   bool   // of Argo CD
}

// flux returns what Flux applies of a source. Where there is no kustomization, its controller writes one of all files
// with YAML, and builds it.
func flux(t *testing.T, s source) string {
	t.Helper()
	var patterns []gitignore.Pattern
	for line := range strings.Lines(s.ignore) {
		patterns = append(patterns, gitignore.ParsePattern(strings.TrimSpace(line), nil))
	}
	ignored := gitignore.NewMatcher(patterns)
	dir := filepath.Join(s.root, s.dir)
	if isKustomization(dir) {
		return kustomized(t, dir)
	}
	var resources []string
	walk(t, dir, func(path string, e fs.DirEntry) error {
		relative, err := filepath.Rel(s.root, path)
		switch {
		case err != nil || path == dir:
		case e.IsDir() && isKustomization(path):
			resources = append(resources, path)
			return fs.SkipDir
		case e.IsDir() || ignored.Match(strings.Split(relative, "/"), false):
		case slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)):
			resources = append(resources, path)
		}
		return err
	})
	written := filepath.Join(dir, "kustomization.yaml")
	text := "resources:\n"
	for _, r := range resources {
		text += "- ." + strings.TrimPrefix(r, dir) + "\n"
	}
	write(t, written, text)
	defer func() { _ = os.Remove(written) }()
	return kustomized(t, dir)
}

// argoCD returns what Argo CD applies of a source: a directory that has no kustomization is taken file by file.
func argoCD(t *testing.T, s source) string {
	t.Helper()
	dir := filepath.Join(s.root, s.dir)
	if isKustomization(dir) {
		return kustomized(t, dir)
	}
	var texts []string
	walk(t, dir, func(path string, e fs.DirEntry) error {
		relative, err := filepath.Rel(dir, path)
		switch {
		case err != nil || e.IsDir() && (path == dir || s.recurse):
		case e.IsDir():
			return fs.SkipDir
		case !argoCDReads.MatchString(e.Name()) || s.exclude != "" && glob.MustCompile(s.exclude).Match(relative):
		default:
			if text := read(t, path); !strings.Contains(text, "+argocd:skip-file-rendering") {
				texts = append(texts, text)
			}
		}
		return err
	})
	return objects(t, strings.Join(texts, "\n---\n"))
}

func walk(t *testing.T, dir string, visit func(path string, e fs.DirEntry) error) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return visit(path, e)
	}); err != nil {
		t.Fatal(err)
	}
}

func isKustomization(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "kustomization.yaml"))
	return err == nil
}

// kustomized returns what kustomize builds, or the error that it ends with.
func kustomized(t *testing.T, dir string) string {
	t.Helper()
	tool, err := kpt.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(tool.Path), "kustomize"), "build", dir)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if _, said, found := strings.Cut(stderr.String(), "may not add resource with an already registered id: "); found {
		id, _, _ := strings.Cut(said, "'")
		return "twice: " + id
	} else if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	return objects(t, string(out))
}

// objects returns the kinds and names of the objects in a text.
func objects(t *testing.T, text string) string {
	t.Helper()
	var out []string
	for document := range strings.SplitSeq("\n"+text, "\n---\n") {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		if o.Kind != "" {
			out = append(out, o.Kind+" "+o.Metadata.Name)
		}
	}
	return strings.Join(out, ", ")
}

// siteFiles are added to the example: a blueprint with a kustomization, two without a package context, and a
// Repository whose packages need none.
const siteFiles = `set -e
cd ~/blueprints
for name in api cache db; do
  mkdir $name && for f in deployment.yaml Kptfile; do sed s/web/$name/ web/$f > $name/$f; done
done
printf '%s\n' 'apiVersion: kustomize.config.k8s.io/v1beta1' 'kind: Kustomization' 'resources: [deployment.yaml]' \
  > api/kustomization.yaml
git add -A && git commit -qm 'Write api, cache and db' && git tag api/v1 && git tag cache/v1 && git tag db/v1
git push -q origin main --tags
cd ~/fleet-in-git
(echo --- && sed '/deployment:/d; s/role: edge/role: bare/' london.yaml) >> fleet/repositories.yaml
for name in api db; do sed "/template/,\$d; s/web/$name/" fleet/set.yaml > fleet/$name.yaml; done
sed '/template/,$d; s/web/cache/; s/edge/bare/' fleet/set.yaml > fleet/cache.yaml
git add -A && git commit -qm 'Ask for api, cache and db' && git push -q origin main
variants sync fleet && git fetch -q
for branch in $(git branch -r --list 'origin/drafts/*'); do git merge -q --no-edit $branch; done
git push -q origin main && variants sync fleet
rm -rf ~/merged && git clone -q https://git.example.com/acme/fleet.git ~/merged`

// merged returns a checkout of what is on the branch of the example, and of one version, when all is merged.
func merged(t *testing.T) (branch, version string) {
	t.Helper()
	s := startShell(t, inGit)
	for _, part := range find(parse(t, filepath.Join(root, "examples", inGit, "README.md")), setUp).Parts {
		if part.Lang == walkthrough.Commands {
			s.runAll(t, part.List())
		}
	}
	s.run(t, "bash <<'END'\n"+siteFiles+"\nEND")
	home := strings.TrimSpace(s.run(t, "echo ~"))
	version = filepath.Join(home, "version")
	s.run(t, "git clone -q --branch sites/fra/web/v1 https://git.example.com/acme/fleet.git ~/version 2>&1")
	return filepath.Join(home, "merged"), version
}

// followed is what the manifests in the directory follow tell a tool.
type followed struct {
	Spec struct {
		Ignore, Path string
		Source       argoCDSource
		Generators   []struct {
			Git struct{ Directories []struct{ Path string } }
		}
		Template struct{ Spec struct{ Source argoCDSource } }
	}
}

type argoCDSource struct {
	TargetRevision, Path string
	Directory            struct{ Exclude string }
}

// follows returns what a document of a file in the directory follow says.
func follows(t *testing.T, name string, document int) followed {
	t.Helper()
	var out followed
	text := strings.Split(read(t, filepath.Join(root, "examples", inGit, "follow", name)), "---\n")[document]
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDeployed holds what Flux and Argo CD apply of a fleet, by the rules of both: with the manifests of the example,
// and what the page about them says of others.
func TestDeployed(t *testing.T) {
	t.Parallel()
	const context, collision = "ConfigMap kptfile.kpt.dev", "twice: ConfigMap.v1.[noGrp]/kptfile.kpt.dev.[noNs]"
	branch, version := merged(t)
	ignore, one := follows(t, "flux.yaml", 0).Spec.Ignore, follows(t, "argo-cd.yaml", 0).Spec.Source
	for _, c := range []struct {
		name string
		tool func(*testing.T, source) string
		of   source
		want string
	}{
		{"Flux, the example", flux, source{dir: follows(t, "flux.yaml", 1).Spec.Path, ignore: ignore},
			"Deployment api, Deployment db, Deployment web"},
		{"Flux, a package", flux, source{dir: "sites/fra/web"}, "Deployment web"},
		{"Flux, a site", flux, source{dir: "sites/fra"}, collision},
		{"Flux, no context", flux, source{dir: "sites/lon"}, "Deployment cache"},
		{"Argo CD, the example", argoCD, source{root: version, dir: one.Path, exclude: one.Directory.Exclude},
			"Deployment web"},
		{"Argo CD, a package", argoCD, source{dir: "sites/fra/web"}, "Deployment web, " + context},
		{"Argo CD, a site", argoCD, source{dir: "sites/fra", recurse: true, exclude: "*package-context.yaml"},
			"Deployment api, Kustomization , Deployment db, Deployment web"},
		{"Argo CD, a site with a kustomization", argoCD, source{dir: "sites/fra", recurse: true,
			exclude: "{*package-context.yaml,*kustomization.yaml}"}, "Deployment api, Deployment db, Deployment web"},
		{"Argo CD, an exclude that is of no package", argoCD, source{dir: "sites/fra", recurse: true,
			exclude: "package-context.yaml"}, "Deployment api, Kustomization , " + context + ", Deployment db, " + context +
			", Deployment web, " + context},
		{"Argo CD, a kustomization", argoCD, source{dir: "sites/fra/api"}, "Deployment api"},
		{"Argo CD, no context", argoCD, source{dir: "sites/lon/cache"}, "Deployment cache"},
	} {
		if c.of.root == "" {
			c.of.root = branch
		}
		if got := c.tool(t, c.of); got != c.want {
			t.Errorf("%s: it applies %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDeployedFleet holds the same of the ApplicationSet, which makes an application of each directory that it names.
func TestDeployedFleet(t *testing.T) {
	t.Parallel()
	branch, _ := merged(t)
	all := follows(t, "argo-cd-fleet.yaml", 0).Spec
	dirs, err := filepath.Glob(filepath.Join(branch, all.Generators[0].Git.Directories[0].Path))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, dir := range dirs {
		path := strings.TrimPrefix(dir, branch+"/")
		of := all.Template.Spec.Source
		got = append(got, fmt.Sprintf("%s: %s", path, argoCD(t, source{root: branch,
			dir: strings.ReplaceAll(of.Path, "{{.path.path}}", path), exclude: of.Directory.Exclude})))
	}
	want := []string{"sites/fra/api: Deployment api", "sites/fra/db: Deployment db", "sites/fra/web: Deployment web",
		"sites/lon/cache: Deployment cache", "sites/nyc/api: Deployment api", "sites/nyc/db: Deployment db",
		"sites/nyc/web: Deployment web"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
