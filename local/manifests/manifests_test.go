// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// directory returns one with files.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(dir string) (*Manifests, error) { return Read(os.DirFS(dir), dir) }

const variant = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: web
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge, package: web}
`

func wantEqual(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRead reads a fleet: several documents in a file, lists, directories, and what is no manifest beside it.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := directory(t, map[string]string{
		"fleet/repositories.yaml": `# Where packages are
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: RepositoryList
items:
- apiVersion: config.porch.kpt.dev/v1alpha1
  kind: Repository
  metadata: {name: edge, labels: {region: eu}}
  spec: {type: git, deployment: true, git: {repo: "https://git.example.com/edge", branch: live, directory: eu}}
- apiVersion: config.porch.kpt.dev/v1alpha1
  kind: Repository
  metadata: {name: blueprints}
  spec: {git: {repo: ../blueprints.git}}
`,
		"fleet/deep/web.yml":     variant + "---\n" + strings.Replace(variant, "name: web", "name: web\n  namespace: other", 1),
		"fleet/regions.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: eu, namespace: default, labels: {a: b}}\ndata: {zone: a}\n",
		"fleet/set.yaml":         "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata:\n  name: all\nspec:\n  upstream: {repo: blueprints, package: web, revision: 1}\n  targets:\n  - repositories:\n    - name: edge\n",
		"fleet/.hidden/bad.yaml": "a: [",
		"fleet/.hidden.yaml":     "a: [",
		"fleet/web/Kptfile":      "kind: Kptfile",
		"fleet/web/bad.yaml":     "a: [",
		"fleet/README.md":        "a: [",
	})
	m, err := read(filepath.Join(dir, "fleet"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range m.Objects {
		names = append(names, o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName())
	}
	wantEqual(t, []string{"PackageVariantSet default/all", "Repository default/blueprints", "Repository default/edge",
		"ConfigMap default/eu", "PackageVariant default/web", "PackageVariant other/web"}, names)
	wantEqual(t, 2, len(m.Variants))
	wantEqual(t, "web", m.Variants[1].Spec.Upstream.Package)
	wantEqual(t, "all", m.Sets[0].Name)
	wantEqual(t, filepath.Join(dir, "blueprints.git"), m.Repositories[0].Remote)
	wantEqual(t, "../blueprints.git", m.Repositories[0].Address)
	edge := m.Repositories[1]
	wantEqual(t, []any{"https://git.example.com/edge", "live", "eu", true, "eu", "https://git.example.com/edge"},
		[]any{edge.Address, edge.Branch, edge.Directory, edge.Deployment, edge.Labels["region"], edge.Remote})
	gk := schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "PackageVariant"}
	wantEqual(t, "deep/web.yml, line 9", m.Place(gk, "other", "web"))
	wantEqual(t, "", m.Place(gk, "other", "nothing"))
}

// TestSource finds the objects that may be injected.
func TestSource(t *testing.T) {
	t.Parallel()
	m, err := read(directory(t, map[string]string{"a.yaml": variant, "b.yaml": "apiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: eu, namespace: default, labels: {a: b}}\ndata: {zone: a}\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: eu, namespace: other}\n---\n" +
		"apiVersion: example.com/v1\nkind: Region\nmetadata: {name: eu}\nspec: {zones: 3}\n"}))
	if err != nil {
		t.Fatal(err)
	}
	s := m.Source()
	config := objects.Kind{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default"}
	region := objects.Kind{APIVersion: "example.com/v1", Kind: "Region", Namespace: "default"}
	if err := s.Use(t.Context(), types.NamespacedName{}, []objects.Reference{{Kind: config}, {Kind: region}}); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, 1, len(s.Objects(config)))
	wantEqual(t, map[string]string{"a": "b"}, s.Object(config, "eu").Labels)
	for kind, want := range map[objects.Kind]any{config: "a", region: int64(3)} {
		o, err := s.Read(t.Context(), objects.Reference{Kind: kind, Name: "eu"})
		if err != nil {
			t.Fatal(err)
		}
		got := o["data"]
		if got == nil {
			got = o["spec"]
		}
		for _, v := range got.(map[string]any) {
			wantEqual(t, want, v)
		}
	}
}

// TestProblems reads directories that cannot be read. All problems are told at once.
func TestProblems(t *testing.T) {
	t.Parallel()
	repository := func(spec string) string {
		return "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: edge}\nspec: " + spec + "\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no manifest": {map[string]string{"a.yaml": "# nothing\n---\n"},
			"DIR has no manifests: no Repository, PackageVariantSet or PackageVariant in a YAML file"},
		"no YAML": {map[string]string{"a.yaml": variant + "---\n\na: [\n"},
			"a.yaml, line 10: it is not YAML: did not find expected node content"},
		"a key twice": {map[string]string{"a.yaml": "kind: A\nkind: B\n"},
			`a.yaml, line 2: it is not YAML: key "kind" already set in map`},
		"a duration": {map[string]string{"a.yaml": "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\n" +
			"metadata: {name: web}\nspec: {rollout: {progressDeadline: 2days}}\n"}, "a.yaml, line 1: PackageVariantSet web: a " +
			"duration cannot be read: time: unknown unit \"days\" in duration \"2days\": write it in hours, minutes and " +
			"seconds, such as 1h30m"},
		"no object": {map[string]string{"a.yaml": "- a\n", "b.yaml": "a: b\n"},
			"a.yaml, line 1: it is no object, but a list or a value: begin it with apiVersion and kind, or move it elsewhere\n" +
				"b.yaml, line 1: it is no object: apiVersion or kind is missing; move what is no manifest elsewhere"},
		"no name": {map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\n"},
			"a.yaml, line 1: ConfigMap : metadata.name: it is missing"},
		"a name that is no string": {map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\n"},
			"a.yaml, line 1: ConfigMap : metadata.name: YAML takes it for false, which is no string: put it in quotes"},
		"a field that is none": {map[string]string{"a.yaml": "# ours\n" + strings.Replace(variant, "package: web}", "pakage: web}", 1)},
			`a.yaml, line 2: PackageVariant web: unknown field "spec.downstream.pakage": did you mean "package"?`},
		"a value of another type": {map[string]string{"a.yaml": strings.Replace(variant, "package: web}", "package: [web]}", 1)},
			"a.yaml, line 1: PackageVariant web: spec.downstream.package is a list, but must be a string"},
		"another version": {map[string]string{"a.yaml": strings.Replace(variant, "v1alpha1", "v1", 1)},
			"a.yaml, line 1: PackageVariant web: apiVersion: config.porch.kpt.dev/v1 has no PackageVariant here: PackageVariant and " +
				"Repository are of v1alpha1, PackageVariantSet of v1alpha2"},
		"twice": {map[string]string{"a.yaml": variant, "b.yaml": variant},
			"b.yaml, line 1: PackageVariant web: it is in a.yaml, line 1, too: remove one of them"},
		"no address": {map[string]string{"a.yaml": repository("{git: {branch: main}}")},
			"a.yaml, line 1: Repository edge: spec.git.repo: it is missing: it is the address of the git repository"},
		"OCI": {map[string]string{"a.yaml": repository("{type: oci}")},
			`a.yaml, line 1: Repository edge: spec.type: it is "oci", and packages are kept in git here`},
		"a directory outside": {map[string]string{"a.yaml": repository("{git: {repo: a, directory: edge/../../x}}")},
			`a.yaml, line 1: Repository edge: spec.git.directory: it is "edge/../../x", and has to be a directory of the git repository`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := directory(t, c.files)
			_, err := read(dir)
			if err == nil {
				t.Fatal("it is read")
			}
			wantEqual(t, c.want, strings.ReplaceAll(err.Error(), dir, "DIR"))
		})
	}
	dir := directory(t, map[string]string{"a.yaml": variant})
	for name, to := range map[string]string{"b.yaml": "none", "c": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := read(dir)
	wantEqual(t, "b.yaml is a symbolic link, which is not followed: put the file or the directory itself there\n"+
		"c is a symbolic link, which is not followed: put the file or the directory itself there", fmt.Sprint(err))
	if _, err := read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "there is no directory ") {
		t.Error(err)
	}
}

// TestExamples reads the manifests of the examples.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fleet-in-a-cluster", "rollout"} {
		if _, err := read("../../examples/" + name); err != nil {
			t.Error(err)
		}
	}
}
