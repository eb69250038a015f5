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
		"fleet/bom.yaml":         "\ufeff# Copyright\n" + strings.Replace(variant, "name: web", "name: web\n  namespace: bom", 1),
		"fleet/dots.yaml":        "# nothing\n...\n" + strings.Replace(variant, "name: web", "name: web\n  namespace: dots", 1) + "...\n# end\n",
		"fleet/web.json":         "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"json\"}\n}\n",
		"fleet/values.yaml":      "replicas: 3\n---\n- a\n---\ntext\n---\nkind: Repository\n---\napiVersion: v1\nkind: List\nitems: [1]\n",
		"fleet/kustomize.yml":    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n",
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
	wantEqual(t, "", problems(m, nil))
	wantEqual(t, []string{"web"}, m.Packages)
	wantEqual(t, []string{"ConfigMap /json", "PackageVariant bom/web", "PackageVariantSet default/all", "Repository default/blueprints", "Repository default/edge",
		"ConfigMap default/eu", "PackageVariant default/web", "PackageVariant dots/web", "PackageVariant other/web"}, names)
	wantEqual(t, 4, len(m.Variants))
	wantEqual(t, "web", m.Variants[1].Spec.Upstream.Package)
	wantEqual(t, "all", m.Sets[0].Name)
	wantEqual(t, filepath.Join(dir, "blueprints.git"), m.Repositories[0].Remote)
	wantEqual(t, "../blueprints.git", m.Repositories[0].Address)
	edge := m.Repositories[1]
	wantEqual(t, []any{"https://git.example.com/edge", "live", "eu", true, "eu", "https://git.example.com/edge"},
		[]any{edge.Address, edge.Branch, edge.Directory, edge.Deployment, edge.Labels["region"], edge.Remote})
	gk := schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "PackageVariant"}
	wantEqual(t, "deep/web.yml, line 9", m.Place(gk, "other", "web"))
	wantEqual(t, "dots.yaml, line 3", m.Place(gk, "dots", "web"))
	wantEqual(t, "bom.yaml, line 2", m.Place(gk, "bom", "web"))
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

// TestProblemOfSource has objects that are not taken: they are not injected, and nothing is selected where their labels
// may decide. The others are as they were.
func TestProblemOfSource(t *testing.T) {
	t.Parallel()
	m, err := read(directory(t, map[string]string{"a.yaml": variant, "b.yaml": "kind: Cluster\napiVersion: example.com/v1\n" +
		"metadata: {name: good}\n---\nkind: Cluster\napiVersion: example.com/v1\nmetadata: {name: bad, labels: {a: 1}}\n" +
		"---\nkind: Region\napiVersion: example.com/v1\nmetadata: {name: good}\n"}))
	if err != nil {
		t.Fatal(err)
	}
	const problem = "b.yaml, line 5: Cluster bad: metadata.labels[a]: YAML takes it for 1, which is no string: put it in quotes"
	cluster := objects.Kind{APIVersion: "example.com/v1", Kind: "Cluster", Namespace: "default"}
	region := objects.Kind{APIVersion: "example.com/v1", Kind: "Region", Namespace: "default"}
	for r, want := range map[objects.Reference]string{{Kind: cluster}: problem, {Kind: cluster, Name: "bad"}: problem,
		{Kind: cluster, Name: "good"}: "<nil>", {Kind: region}: "<nil>"} {
		wantEqual(t, want, fmt.Sprint(m.Source().Use(t.Context(), types.NamespacedName{}, []objects.Reference{r})))
	}
}

// problems returns why a directory is not read, or which objects are not taken.
func problems(m *Manifests, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var all []string
	for i := range m.Problems {
		all = append(all, m.Problems[i].Err.Error())
	}
	return strings.Join(all, "\n")
}

// TestProblems reads manifests that are not taken. All problems are told at once, with the line at which the object
// begins. What leaves unknown what a file holds is an error.
func TestProblems(t *testing.T) {
	t.Parallel()
	repository := func(spec string) string {
		return "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: edge}\nspec: " + spec + "\n"
	}
	set := func(spec string) string {
		return "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: web}\nspec: {upstream: " +
			"{repo: a, package: web, revision: 1}, targets: [{repositories: [{name: a}]}], " + spec + "}\n"
	}
	cluster := func(metadata string) string {
		return "apiVersion: example.com/v1\nkind: Cluster\nmetadata: " + metadata + "\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no manifest": {map[string]string{"a.yaml": "# nothing\n---\n"},
			"error: DIR has no manifests: no Repository, PackageVariantSet or PackageVariant in a YAML file"},
		"no YAML": {map[string]string{"a.yaml": variant + "---\n\na: [\n"},
			"error: a.yaml, line 10: it is not YAML: did not find expected node content"},
		"a key twice": {map[string]string{"a.yaml": "kind: A\nkind: B\n"},
			`error: a.yaml, line 2: it is not YAML: key "kind" already set in map`},
		"no JSON": {map[string]string{"a.yaml": variant, "b.json": "{\n\t\"a\": [}"},
			"error: b.json, line 1: it is not YAML: did not find expected node content"},
		"no name": {map[string]string{"a.yaml": strings.Replace(variant, "name: web", "labels: {}", 1)},
			"error: a.yaml, line 1: PackageVariant : metadata.name: it is missing"},
		"a name that is no string": {map[string]string{"a.yaml": strings.Replace(variant, "name: web", "name: 1", 1)},
			"error: a.yaml, line 1: PackageVariant : metadata.name: YAML takes it for 1, which is no string: put it in quotes"},
		"no apiVersion": {map[string]string{"a.yaml": strings.Replace(variant, "apiVersion", "apiversion", 1)},
			"error: a.yaml, line 1: it is no object: apiVersion or kind is missing"},
		"another kind": {map[string]string{"a.yaml": strings.Replace(variant, "PackageVariant", "PackageVarient", 1)},
			"error: a.yaml, line 1: PackageVarient web: kind: config.porch.kpt.dev/v1alpha1 has no PackageVarient here, but " +
				"PackageVariant, PackageVariantSet, Repository"},

		"a duration": {map[string]string{"a.yaml": set("rollout: {progressDeadline: 2days}")}, "a.yaml, line 1: PackageVariantSet web: a " +
			"duration cannot be read: time: unknown unit \"days\" in duration \"2days\": write it in hours, minutes and " +
			"seconds, such as 1h30m"},
		"a name of another kind that is no string": {map[string]string{"a.yaml": variant, "b.yaml": cluster("{name: n}")},
			"b.yaml, line 1: Cluster : metadata.name: YAML takes it for false, which is no string: put it in quotes"},
		"labels that are no strings": {map[string]string{"a.yaml": variant, "b.yaml": cluster("{name: a, labels: {b: 2, c: true, d: , e: x}}")},
			"b.yaml, line 1: Cluster a: metadata.labels[b]: YAML takes it for 2, which is no string: put it in quotes\n" +
				"metadata.labels[c]: YAML takes it for true, which is no string: put it in quotes"},
		"an annotation that is no string": {map[string]string{"a.yaml": strings.Replace(variant, "name: web", "{name: web, annotations: {a: 1}}", 1)},
			"a.yaml, line 1: PackageVariant web: metadata.annotations[a]: YAML takes it for 1, which is no string: put it in quotes"},
		"a label that none can be": {map[string]string{"a.yaml": variant, "b.yaml": cluster("{name: a, labels: {a: b c}}")},
			"b.yaml, line 1: Cluster a: metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of " +
				"alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or " +
				"'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
		"metadata that is none": {map[string]string{"a.yaml": variant, "b.yaml": cluster("{name: a, labels: [a]}")},
			"b.yaml, line 1: Cluster a: metadata.labels is a list, but must be a map"},
		"a field that is none": {map[string]string{"a.yaml": "# ours\n" + strings.Replace(variant, "package: web}", "pakage: web}", 1)},
			`a.yaml, line 2: PackageVariant web: unknown field "spec.downstream.pakage": did you mean "package"?`},
		"a value of another type": {map[string]string{"a.yaml": strings.Replace(variant, "package: web}", "package: [web]}", 1)},
			"a.yaml, line 1: PackageVariant web: spec.downstream.package is a list, but must be a string"},
		"no value": {map[string]string{"a.yaml": strings.Replace(variant, "package: web}", "package: }", 1)},
			"a.yaml, line 1: PackageVariant web: spec.downstream.package is missing: set it"},
		"a rule": {map[string]string{"a.yaml": strings.Replace(variant, "package: web}", "package: Web}", 1)},
			"a.yaml, line 1: PackageVariant web: spec.downstream.package is \"Web\", which Porch takes for no package: use " +
				"lower-case letters, digits and '-', and a single '/' between the parts of a path; each part begins and ends with a " +
				"letter or digit"},
		"a schema": {map[string]string{"a.yaml": set("suspend: ")},
			`a.yaml, line 1: PackageVariantSet web: spec.suspend must be of type boolean: "null"`},
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
		"a directory that no branch can have": {map[string]string{"a.yaml": repository("{git: {repo: a, directory: my sites}}")},
			`a.yaml, line 1: Repository edge: spec.git.directory: it is "my sites", which git takes for no part of the name of a ` +
				`branch: rename it`},
		"a branch that is none": {map[string]string{"a.yaml": repository("{git: {repo: a, branch: a..b}}")},
			`a.yaml, line 1: Repository edge: spec.git.branch: it is "a..b", which git takes for no part of the name of a ` +
				`branch: rename it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := directory(t, c.files)
			m, err := read(dir)
			wantEqual(t, c.want, strings.ReplaceAll(problems(m, err), dir, "DIR"))
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
