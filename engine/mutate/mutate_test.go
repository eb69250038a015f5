// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/functions/krm"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

const (
	license = "# Copyright the authors.\n\n"

	rootKptfile = license + `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web # as upstream
pipeline:
  mutators:
  # Sets the team.
  - image: example.com/own:v1 # pinned
`
	packageContext = license + `apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
data:
  name: web
  region: us # where it runs
  gone: soon
`
	pointsFile = license + `apiVersion: v1
kind: ConfigMap
metadata:
  name: endpoints
  annotations:
    kpt.dev/config-injection: required
data:
  api: none # to be injected
---
# The team.
apiVersion: example.com/v1
kind: Team
metadata:
  name: team
  annotations:
    kpt.dev/config-injection: optional
spec:
    lead:   "no"
---
# Another document.
apiVersion: v1
kind: Secret
metadata: {name: untouched}
`
	// mentions is no YAML, and says all that makes a file relevant.
	mentions = "{{ if .x }}\nkptfile.kpt.dev: kpt.dev/config-injection: kpt.dev/injection-source\n\t{{ end }}: [\n"
)

// web returns a package in which all three functions have something to do.
func web(edits ...map[string]string) map[string]string {
	files := map[string]string{
		"Kptfile": rootKptfile, "package-context.yaml": packageContext, "points.yaml": pointsFile,
		"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name:   web}\n",
		"README.md":       mentions, "notes.txt": mentions, "web.yaml.tmpl": mentions, "Kptfile.bak": mentions,
		"broken.yaml": "{{ .x }}: [\n",
		// A subpackage has a Kptfile and a context of its own.
		"sub/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: sub\n",
		"sub/package-context.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\ndata:\n" +
			"  name: sub\n",
	}
	for _, edit := range edits {
		maps.Copy(files, edit)
	}
	return files
}

func spec(edits ...func(*variant.Spec)) *variant.Spec {
	s := &variant.Spec{
		PackageContext: &variant.PackageContext{Data: map[string]string{"region": "eu", "added": "yes"},
			RemoveKeys: []string{"gone"}},
		Pipeline: &variant.Pipeline{Mutators: []variant.Function{{Name: "labels", Image: "example.com/set-labels:v1",
			ConfigMap: map[string]string{"tier": "1"}}}},
		Injectors: []variant.InjectionSelector{{Name: "eu"}},
	}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

// object returns an object as the API serves it.
func object(t testing.TB, json string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(json), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

const (
	euConfigMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: fleet}, data: {api: ` +
		`api.eu.example.com}}`
	euTeam = `{apiVersion: example.com/v1, kind: Team, metadata: {name: eu}, spec: {lead: ada}}`
)

// request returns the request of the variant web-eu, in a cluster with the objects.
func request(t testing.TB, s *variant.Spec, cluster ...string) Request {
	r := Request{Name: "web-eu", Namespace: "fleet", Spec: s}
	for _, text := range cluster {
		r.Objects = append(r.Objects, object(t, text))
	}
	return r
}

// apply applies a request to the files, checks that a second time changes nothing, and returns the outcome.
func apply(t *testing.T, files map[string]string, r Request) Outcome {
	t.Helper()
	before := maps.Clone(files)
	out, err := Apply(t.Context(), Builtin{}, files, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, files); diff != "" {
		t.Errorf("the files given were changed, -want +got:\n%s", diff)
	}
	after := maps.Clone(files)
	maps.Copy(after, out.Files)
	again, err := Apply(t.Context(), Builtin{}, after, r)
	if err != nil {
		t.Fatalf("a second time: %v", err)
	}
	if len(again.Files) > 0 {
		t.Errorf("a second time changes %v:\n%s", again.Changed(), cmp.Diff(after, again.Files))
	}
	if diff := cmp.Diff(out.Points, again.Points); diff != "" {
		t.Errorf("the points a second time, -first +second:\n%s", diff)
	}
	return out
}

func TestApply(t *testing.T) {
	t.Parallel()
	out := apply(t, web(), request(t, spec(), euConfigMap, euTeam))
	want := map[string]string{
		"Kptfile": license + `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web # as upstream
info:
  readinessGates:
  - conditionType: config.injection.ConfigMap.endpoints
pipeline:
  mutators:
  - image: example.com/set-labels:v1
    configMap:
      tier: "1"
    name: PackageVariant.web-eu.labels.0
  # Sets the team.
  - image: example.com/own:v1 # pinned
status:
  conditions:
  - type: config.injection.ConfigMap.endpoints
    status: "True"
    reason: ConfigInjected
    message: injected resource "eu" from cluster
  - type: config.injection.Team.team
    status: "True"
    reason: ConfigInjected
    message: injected resource "eu" from cluster
`,
		"package-context.yaml": strings.NewReplacer("region: us", "region: eu", "  gone: soon\n",
			"  added: \"yes\"\n").Replace(packageContext),
		"points.yaml": strings.NewReplacer(
			"required\n", "required\n    kpt.dev/injected-resource-name: eu\n", "api: none", "api: api.eu.example.com",
			"optional\n", "optional\n    kpt.dev/injected-resource-name: eu\n", "    lead:   \"no\"",
			"    lead:   \"ada\"").Replace(pointsFile),
	}
	if diff := cmp.Diff(want, out.Files); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Kptfile", "package-context.yaml", "points.yaml"}, out.Changed()); diff != "" {
		t.Errorf("Changed, -want +got:\n%s", diff)
	}
	const injected = `injected resource "eu" from cluster`
	wantPoints := []decide.Point{
		{Condition: "config.injection.ConfigMap.endpoints", Required: true, Filled: true, Message: injected},
		{Condition: "config.injection.Team.team", Filled: true, Message: injected},
	}
	if diff := cmp.Diff(wantPoints, out.Points); diff != "" {
		t.Errorf("points, -want +got:\n%s", diff)
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	noContext := func(s *variant.Spec) { s.PackageContext = nil }
	noPipeline := func(s *variant.Spec) { s.Pipeline = nil }
	noInjectors := func(s *variant.Spec) { s.Injectors = nil }
	plain := map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name:   web}\n"}
	earlier := web(map[string]string{"Kptfile": strings.Replace(rootKptfile, "  # Sets",
		"  - image: example.com/old:v1\n    name: PackageVariant.web-eu.old.0\n"+
			"  - image: example.com/theirs:v1\n    name: PackageVariant.web-us.old.0\n  # Sets", 1)})
	for name, c := range map[string]struct {
		files map[string]string
		spec  *variant.Spec
		want  []string
	}{
		"nothing asked for": {plain, spec(noContext, noPipeline, noInjectors), nil},
		"no context needed": {plain, spec(noContext), []string{"Kptfile"}},
		"an empty context": {plain, spec(noPipeline, func(s *variant.Spec) { s.PackageContext = &variant.PackageContext{} }),
			nil},
		"to set only": {web(), spec(noPipeline, func(s *variant.Spec) { s.PackageContext.RemoveKeys = nil }),
			[]string{"Kptfile", "package-context.yaml", "points.yaml"}},
		"to remove only": {web(), spec(func(s *variant.Spec) { s.PackageContext.Data = nil }),
			[]string{"Kptfile", "package-context.yaml", "points.yaml"}},
		"a context as it is": {web(), spec(func(s *variant.Spec) {
			s.PackageContext = &variant.PackageContext{Data: map[string]string{"region": "us"}}
		}), []string{"Kptfile", "points.yaml"}},
		"a pipeline no more": {earlier, spec(noContext, noPipeline), []string{"Kptfile", "points.yaml"}},
		"of JSON": {web(map[string]string{"points.yaml": "",
			"p.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","annotations":{"kpt.dev/config-injection":"required"}}}`}), spec(noContext, noPipeline), []string{"Kptfile", "p.json"}},
		"in .yml, in other directory": {web(map[string]string{"points.yaml": "", "a b/p.yml": pointsFile}),
			spec(noContext, noPipeline), []string{"Kptfile", "a b/p.yml"}},
		"points of a subpackage": {web(map[string]string{"points.yaml": "", "sub/points.yaml": pointsFile}),
			spec(noContext, noPipeline), []string{"Kptfile", "sub/points.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := apply(t, c.files, request(t, c.spec, euConfigMap, euTeam))
			if diff := cmp.Diff(c.want, out.Changed()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strings.Contains(out.Files["Kptfile"], "PackageVariant.web-eu.old") ||
				strings.Contains(c.files["Kptfile"], "web-us") && !strings.Contains(out.Files["Kptfile"],
					"PackageVariant.web-us.old.0") {
				t.Errorf("the Kptfile is\n%s", out.Files["Kptfile"])
			}
		})
	}
}

func TestApplyErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no context": {map[string]string{"Kptfile": rootKptfile},
			`apply-package-context: Kptfile: Kptfile "web": the package has no package context: ` +
				"add a ConfigMap named kptfile.kpt.dev to it (kpt pkg init writes one to package-context.yaml), and let no " +
				"selector hide it"},
		"the context of a subpackage only": {map[string]string{"Kptfile": rootKptfile, "sub/Kptfile": rootKptfile,
			"sub/c.yaml": packageContext},
			`apply-package-context: Kptfile: Kptfile "web": the package has no package context: ` +
				"add a ConfigMap named kptfile.kpt.dev to it (kpt pkg init writes one to package-context.yaml), and let no " +
				"selector hide it"},
		"no Kptfile": {map[string]string{"package-context.yaml": packageContext},
			"apply-package-context: no Kptfile among the resources: run the function on a kpt package, and let no selector " +
				"(--match-*, selectors, exclude) hide its Kptfile"},
		"a template as YAML": {web(map[string]string{"a/broken.yaml": "kpt.dev/config-injection: {{ .x }}: y\n"}),
			"cannot read a/broken.yaml: MalformedYAMLError: yaml: mapping values are not allowed in this context"},
		"broken Kptfile": {web(map[string]string{"sub/Kptfile": "a: [\n"}),
			"cannot read sub/Kptfile: MalformedYAMLError: yaml: line 1: did not find expected node content"},
		"an impossible pipeline": {web(map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\n" +
			"metadata: {name: web}\npipeline: []\n"}),
			`prepend-pipeline: Kptfile: Kptfile "web": pipeline: is a list, not a map: correct its type`},
		"a wrong point": {web(map[string]string{"points.yaml": strings.Replace(pointsFile, "required", "maybe", 1)}),
			`inject-config: points.yaml: ConfigMap "endpoints": metadata.annotations.kpt.dev/config-injection: ` +
				`is "maybe", but must be "required" or "optional"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := Apply(t.Context(), Builtin{}, c.files, request(t, spec()))
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if out.Files != nil || out.Points != nil {
				t.Errorf("an outcome beside an error: %v", out)
			}
		})
	}
}

// TestApplyKeepsText checks that a document that changes keeps what is not to be changed in it, however it is written.
func TestApplyKeepsText(t *testing.T) {
	t.Parallel()
	const added = "  added: \"yes\"\n"
	for name, c := range map[string]struct{ file, before, want string }{
		"a comment between a key and an anchor": {"package-context.yaml",
			packageContext + "---\napiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: # c\n  &x\n  a:   b\n", ""},
		"a block with an indented line": {"package-context.yaml",
			strings.Replace(packageContext, "data:\n", "data:\n  a: >-\n    x\n\n      y\n", 1), ""},
		"line ends of Windows": {"package-context.yaml", strings.ReplaceAll(packageContext, "\n", "\r\n"), ""},
		"a comment behind a separator": {"package-context.yaml",
			"# c\n--- # d\n" + packageContext + "---   # e\napiVersion: v1\nkind: A\nmetadata: {name:  a}\n", ""},
		"JSON": {"p.json", "{\n    \"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"n\": 1.0,\n    \"metadata\": {\"name\": \"p\", " +
			"\"annotations\": {\"kpt.dev/config-injection\": \"required\"}}\n}\n", "{\n    \"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"n\": 1.0,\n    \"metadata\": {\"name\": \"p\", " +
			"\"annotations\": {\"kpt.dev/config-injection\": \"required\", \"kpt.dev/injected-resource-name\": \"eu\"}},\n    \"data\": {\n        " +
			"\"api\": \"api.eu.example.com\"\n    }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := web(map[string]string{c.file: c.before})
			if c.file == "p.json" {
				files["points.yaml"] = ""
			}
			out, err := Apply(t.Context(), Builtin{}, files, request(t, spec(), euConfigMap))
			want := c.want
			if want == "" {
				end := "\n"
				if strings.Contains(c.before, "\r") {
					end = "\r\n"
				}
				want = strings.NewReplacer("region: us", "region: eu", "  gone: soon"+end,
					strings.ReplaceAll(added, "\n", end)).Replace(c.before)
			}
			if diff := cmp.Diff(want, out.Files[c.file]); diff != "" || err != nil {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
		})
	}
}

func TestBuiltin(t *testing.T) {
	t.Parallel()
	_, err := Builtin{}.Run(t.Context(), "rm", nil, nil)
	if want := `there is no built-in function "rm"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// recorder is a Runtime that notes what it is asked, and fails at one function.
type recorder struct {
	Builtin
	fails     string
	functions []string
	configs   map[string]string
}

var errBoom = errors.New("boom")

func (r *recorder) Run(ctx context.Context, function string, config *kyaml.RNode,
	items []*kyaml.RNode) (krm.Output, error) {
	r.functions = append(r.functions, function)
	if r.configs == nil {
		r.configs = map[string]string{}
	}
	r.configs[function] = config.MustString()
	if function == r.fails {
		return krm.Output{}, errBoom
	}
	return r.Builtin.Run(ctx, function, config, items)
}

// TestKeptFiles checks that variants with the same files do not see each other's edits of them.
func TestKeptFiles(t *testing.T) {
	t.Parallel()
	var outcomes []map[string]string
	for _, region := range []string{"eu", "us", "eu"} {
		r := request(t, spec(func(s *variant.Spec) { s.PackageContext.Data = map[string]string{"region": region} }))
		outcome, err := Apply(t.Context(), Builtin{}, web(), r)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, outcome.Files)
	}
	if cmp.Equal(outcomes[0], outcomes[1]) || !cmp.Equal(outcomes[0], outcomes[2]) {
		t.Errorf("the first and the last of these, and no others, should be equal: %v", outcomes)
	}
}

func TestConfigs(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	if _, err := Apply(t.Context(), r, web(), request(t, spec(func(s *variant.Spec) { s.Injectors = nil }))); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"apply-package-context": "apiVersion: fn.kpt.dev/v1alpha1\ndata:\n  added: \"yes\"\n  region: eu\n" +
			"kind: ApplyPackageContext\n" +
			"metadata:\n  name: web-eu\n  namespace: fleet\nremoveKeys:\n- gone\n",
		"prepend-pipeline": "apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata:\n  name: web-eu\n" +
			"  namespace: fleet\n" +
			"pipeline:\n  mutators:\n  - image: example.com/set-labels:v1\n    configMap:\n" +
			"      tier: \"1\"\n    name: labels\n",
		"inject-config": "apiVersion: fn.kpt.dev/v1alpha1\ninjectors: null\nkind: InjectConfig\nmetadata:\n  name: web-eu\n" +
			"  namespace: fleet\nresources: []\nunreadable: null\n",
	}
	if diff := cmp.Diff(want, r.configs); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"apply-package-context", "prepend-pipeline", "inject-config"}, r.functions); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r = &recorder{}
	if _, err := Apply(t.Context(), r, web(),
		request(t, spec(func(s *variant.Spec) { s.PackageContext = nil }))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"prepend-pipeline", "inject-config"}, r.functions); diff != "" {
		t.Errorf("without a package context, -want +got:\n%s", diff)
	}
}

func TestRuntimeFails(t *testing.T) {
	t.Parallel()
	for _, function := range []string{ApplyPackageContext, PrependPipeline, InjectConfig} {
		_, err := Apply(t.Context(), &recorder{fails: function}, web(), request(t, spec()))
		if want := function + ": boom"; err == nil || err.Error() != want || !errors.Is(err, errBoom) {
			t.Errorf("got %v, want %s", err, want)
		}
		if failed, ok := errors.AsType[*FunctionError](err); !ok || failed.Function != function {
			t.Errorf("the error of %s is the %T %v", function, err, err)
		}
	}
}

// TestFunctionError checks which errors are failures over the files of a package, which the package or the variant
// heals.
func TestFunctionError(t *testing.T) {
	t.Parallel()
	wrongPoint := web(map[string]string{"points.yaml": strings.Replace(pointsFile, "required", "maybe", 1)})
	_, err := Apply(t.Context(), Builtin{}, wrongPoint, request(t, spec()))
	if failed, ok := errors.AsType[*FunctionError](err); !ok || failed.Function != InjectConfig {
		t.Errorf("the error of a wrong point is the %T %v", err, err)
	}
	_, err = Apply(t.Context(), Builtin{}, web(map[string]string{"sub/Kptfile": "a: [\n"}), request(t, spec()))
	if failed, ok := errors.AsType[*FunctionError](err); !ok || failed.Function != "" {
		t.Errorf("the error of a file that cannot be read is the %T %v", err, err)
	}
}

// adding is a Runtime whose functions add a resource.
type adding struct{ Builtin }

func (r adding) Run(ctx context.Context, function string, config *kyaml.RNode,
	items []*kyaml.RNode) (krm.Output, error) {
	out, err := r.Builtin.Run(ctx, function, config, items)
	out.Items = append(out.Items,
		kyaml.MustParse("kind: A\nmetadata: {annotations: {internal.config.kubernetes.io/path: "+
			"sub/a.yaml, internal.config.kubernetes.io/index: '1'}}\n"))
	return out, err
}

// TestAddedResource checks that the output of a function that adds a resource to a package is refused.
func TestAddedResource(t *testing.T) {
	t.Parallel()
	out, err := Apply(t.Context(), adding{}, web(), request(t, spec()))
	const want = "apply-package-context: the output has sub/a.yaml (document 2), which was not given to the function; " +
		"nothing of it is used: " +
		"name images of these functions by --function-registry and --function-version"
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" || out.Files != nil {
		t.Errorf("changed %v, -want +got:\n%s", out.Changed(), diff)
	}
}

func BenchmarkApply(b *testing.B) {
	for _, n := range []int{10, 100, 1_000} {
		files := web()
		for i := range n - len(files) {
			name := fmt.Sprintf("web-%04d", i)
			files[name+".yaml"] = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: " + name +
				"\nspec:\n  replicas: 3\n" +
				"  template:\n    spec:\n      containers:\n      - name: web\n        image: example.com/web:v1\n        env:\n" +
				strings.Repeat("        - name: A\n          value: b\n", 20)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := request(b, spec(), euConfigMap, euTeam)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Spec.PackageContext.Data["region"] = fmt.Sprint(i) // each variant of a blueprint has files of its own
				r.Spec.Pipeline.Mutators[0].ConfigMap["tier"] = fmt.Sprint(i)
				out, err := Apply(b.Context(), Builtin{}, files, r)
				if err != nil || len(out.Files) != 3 {
					b.Fatal(out.Changed(), err)
				}
			}
		})
	}
}
