// SPDX-License-Identifier: Apache-2.0

package injection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	fntest.Golden(t, "../testdata", injection.Run)
}

const (
	kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	config  = "apiVersion: fn.kpt.dev/v1alpha1\nkind: InjectConfig\nmetadata:\n  name: i\n  namespace: fleet\n"
	inject  = config + "injectors:\n- name: x\nresources:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n" +
		"    name: x\n  data:\n    a: new\n"
	variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: pv\nspec:\n"
	point   = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p\n  annotations:\n" +
		"    kpt.dev/config-injection: required\n"

	example = `no function config: pass one by --fn-config, or by configPath in a Kptfile pipeline, for example ` +
		`{apiVersion: fn.kpt.dev/v1alpha1, kind: InjectConfig, metadata: {name: inject, namespace: fleet}, injectors: ` +
		`[{name: eu}], resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: fleet}, data: {api: ` +
		`api.eu.example.com}}]}`
)

// pkg returns a package with the given resources.
func pkg(resources string) fntest.Files {
	return fntest.Files{"Kptfile": kptfile, "points.yaml": resources}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		files  fntest.Files
		want   string
	}{
		"no config": {"", pkg(point), example},
		"empty ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n", pkg(point),
			example},
		"wrong kind": {"apiVersion: fn.kpt.dev/v1alpha1\nkind: Inject\nmetadata:\n  name: i\n", pkg(point),
			`Inject "i": cannot configure this function: its config must be one of fn.kpt.dev/v1alpha1 InjectConfig, ` +
				`config.porch.kpt.dev/v1alpha1 PackageVariant, not fn.kpt.dev/v1alpha1 Inject`},
		"key in both": {inject + "  binaryData:\n    a: AAE=\n", pkg(point),
			`points.yaml: ConfigMap "p": binaryData.a: is a key of data, too, after ConfigMap "x" is injected, and no ConfigMap ` +
				`can have one key in both: remove it from one of them`},
		"key in both with the point's own": {inject, pkg(point + "binaryData: {a: AAE=}\n"),
			`points.yaml: ConfigMap "p": binaryData.a: is a key of data, too, after ConfigMap "x" is injected, and no ConfigMap ` +
				`can have one key in both: remove it from one of them`},
		"binary value that is no string": {inject + "  binaryData:\n    b: 1\n", pkg(point),
			`ConfigMap "x": binaryData.b: is a number, but must be a string: put it in quotes`},
		"misspelt field": {config + "injector: []\n", pkg(point),
			`InjectConfig "i": injector: is not a field of this config: did you mean injectors?`},
		"misspelt field of an injector": {variant + "  injectors:\n  - nam: x\n", pkg(point),
			`PackageVariant "pv": spec.injectors[0].nam: is not a field of this config: did you mean name?`},
		"injector without name": {variant + "  injectors:\n  - kind: ConfigMap\n", pkg(point),
			`PackageVariant "pv": spec.injectors[0].name: is missing: set it`},
		"resource without kind": {config + "resources:\n- apiVersion: v1\n  metadata: {name: x}\n", pkg(point),
			`InjectConfig "i": resources[0].kind: is missing: each entry must be a whole object, as kubectl get ` +
				`-o yaml shows it`},
		"resource is no object": {config + "resources:\n- text\n", pkg(point),
			`InjectConfig "i": resources[0].apiVersion: is missing: each entry must be a whole object, as kubectl get ` +
				`-o yaml shows it`},
		"unreadable objects without type and message": {config + "unreadable:\n- name: x\n", pkg(point),
			"InjectConfig \"i\": unreadable[0].apiVersion: is missing: set it\nInjectConfig \"i\": unreadable[0].kind: " +
				"is missing: set it\nInjectConfig \"i\": unreadable[0].message: is missing: set it"},
		"unreadable is a map": {config + "unreadable: {}\n", pkg(point),
			`InjectConfig "i": unreadable: is a map, but must be a list`},
		"injection point is no text": {variant + "  injectors:\n  - {name: x, injectionPoint: [p]}\n", pkg(point),
			`PackageVariant "pv": spec.injectors[0].injectionPoint: is a list, but must be a string`},
		"point is the Kptfile": {inject,
			fntest.Files{"Kptfile": kptfile + "  annotations: {kpt.dev/config-injection: required}\n"},
			`Kptfile: Kptfile "web": metadata.annotations.kpt.dev/config-injection: ` +
				`stands on a Kptfile, into which nothing can be injected: mark another resource as the injection point`},
		"point is a subpackage's Kptfile": {inject, fntest.Files{"Kptfile": kptfile,
			"sub/Kptfile": kptfile + "  annotations: {kpt.dev/config-injection: optional}\n"},
			`sub/Kptfile: Kptfile "web": metadata.annotations.kpt.dev/config-injection: ` +
				`stands on a Kptfile, into which nothing can be injected: mark another resource as the injection point`},
		"no Kptfile": {inject, fntest.Files{"a.yaml": point},
			"no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, selectors, " +
				"exclude) hide its Kptfile"},
		"two root Kptfiles": {inject, fntest.Files{"a/Kptfile": kptfile, "b/Kptfile": kptfile},
			`b/Kptfile: Kptfile "web": could be the root package's Kptfile as well as a/Kptfile: ` +
				`run the function on one package at a time`},
		"wrong annotation": {inject,
			pkg("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p\n  annotations:\n" +
				"    kpt.dev/config-injection: mandatory\n"),
			`points.yaml: ConfigMap "p": metadata.annotations.kpt.dev/config-injection: ` +
				`is "mandatory", but must be "required" or "optional"`},
		"wrong source annotation": {inject,
			pkg("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p\n  annotations:\n" +
				"    kpt.dev/injection-source: \"yes\"\n"),
			`points.yaml: ConfigMap "p": metadata.annotations.kpt.dev/injection-source: ` +
				`is "yes", but must be "true" or "false"`},
		"point and source": {inject, pkg(point + "    kpt.dev/injection-source: \"true\"\n"),
			`points.yaml: ConfigMap "p": metadata.annotations.kpt.dev/config-injection: stands on an injection source: ` +
				`a resource cannot be both, remove one of the two annotations`},
		"point without name": {inject,
			pkg("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    kpt.dev/config-injection: required\n"),
			`points.yaml: ConfigMap "": metadata.name: is missing: an injection point needs a name`},
		"two points of one name": {inject, fntest.Files{"Kptfile": kptfile, "a.yaml": point, "b.yaml": point},
			`b.yaml: ConfigMap "p": metadata.annotations.kpt.dev/config-injection: ` +
				`is on a second injection point of kind ConfigMap and name "p", the first is in a.yaml: ` +
				`the conditions of the two could not be told apart, rename one`},
		"all that is wrong with points": {inject,
			pkg(point + "---\n" + point +
				"---\napiVersion: v1\nkind: A\nmetadata: {name: b, annotations: {kpt.dev/config-injection: x}}\n"),
			"points.yaml: ConfigMap \"p\": metadata.annotations.kpt.dev/config-injection: " +
				"is on a second injection point of kind ConfigMap and name \"p\", the first is in points.yaml: " +
				"the conditions of the two could not be told apart, rename one\n" +
				"points.yaml: A \"b\": metadata.annotations.kpt.dev/config-injection: " +
				"is \"x\", but must be \"required\" or \"optional\""},
		"field of a point is aliased": {inject, pkg(point + "data: &d {a: b}\nx: *d\n"),
			`points.yaml: ConfigMap "p": data: has a YAML anchor (&d) that is used elsewhere, so that an edit would change ` +
				`the other place too: write the values out`},
		"field of a point stands twice": {inject, pkg(point + "data: {}\ndata: {}\n"),
			`points.yaml: ConfigMap "p": data: stands twice: remove one of the two`},
		"key of a point stands twice": {inject, pkg(point + "data:\n  a: x\n  a: z\n"),
			`points.yaml: ConfigMap "p": data.a: stands twice: remove one of the two`},
		"data with a number": {inject + "    port: 80\n    tls: true\n", pkg(point),
			"ConfigMap \"x\": data.port: is a number, but must be a string: put it in quotes\n" +
				"ConfigMap \"x\": data.tls: is a boolean, but must be a string: put it in quotes"},
		"data with null, a map and a number as key": {inject + "    none:\n    map: {}\n    1: x\n", pkg(point),
			"ConfigMap \"x\": data.none: is null, but must be a string: give it a value or remove it\n" +
				"ConfigMap \"x\": data.map: is a map, but must be a string\n" +
				"ConfigMap \"x\": data: has the key \"1\", which is a number: put it in quotes"},
		"data of a source with a number": {variant + "  injectors: [{name: x}]\n",
			pkg(point + "---\n" + source("x", "data: {a: '1', b: 2}\n")),
			`points.yaml: ConfigMap "x": data.b: is a number, but must be a string: put it in quotes`},
		"two sources of one name": {variant + "  injectors: [{name: x}]\n", fntest.Files{"Kptfile": kptfile, "a.yaml": point,
			"b.yaml": source("x", "data: {a: '1'}\n"), "c.yaml": source("x", "data: {a: '2'}\n"), "d.yaml": source("x", "")},
			"c.yaml: ConfigMap \"x\": " + twice("in b.yaml") + "\nd.yaml: ConfigMap \"x\": " + twice("in b.yaml")},
		"two objects of one name": {inject + "- {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: fleet}, data: " +
			"{a: b}}\n", pkg(point),
			`ConfigMap "x": ` + twice("resources[0]")},
		"source has an alias": {variant + "  injectors: [{name: x}]\n",
			pkg(point + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {kpt.dev/injection-source: " +
				"\"true\"}}\ndata: {a: &v b, c: *v}\n"),
			`points.yaml: ConfigMap "x": data.c: is a YAML alias (*v), which cannot be copied into another resource: ` +
				`write the value out`},
		"status is a scalar": {inject, fntest.Files{"Kptfile": kptfile + "status: text\n", "a.yaml": point},
			`Kptfile: Kptfile "web": status: is a string, not a map: correct its type`},
		"conditions are a map": {inject, fntest.Files{"Kptfile": kptfile + "status:\n  conditions: {}\n", "a.yaml": point},
			`Kptfile: Kptfile "web": status.conditions: is a map, not a list: correct its type`},
		"readiness gates are a map": {inject, fntest.Files{"Kptfile": kptfile + "info:\n  readinessGates: {}\n",
			"a.yaml": point},
			`Kptfile: Kptfile "web": info.readinessGates: is a map, not a list: correct its type`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, injection.Run, c.config, c.files, c.want)
		})
	}
}

// twice is what is said of a second ConfigMap of one name.
func twice(first string) string {
	return "stands twice among the objects to inject, the first is " + first + ", and the two differ in data: remove one of " +
		"them"
}

// source returns a ConfigMap that is kept in a package as an object of the cluster.
func source(name, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
		", annotations: {kpt.dev/injection-source: \"true\"}}\n" + data
}

// TestUnmet checks what is said about a point that is unfilled for another reason than a missing object.
func TestUnmet(t *testing.T) {
	t.Parallel()
	const secret = "; a Secret cannot be filled, because only spec, or data of a ConfigMap, is copied: take the annotation off"
	pointOf := func(apiVersion, kind string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind +
			"\nmetadata: {name: p, annotations: {kpt.dev/config-injection: required}}\n"
	}
	named := func(apiVersion, kind, namespace string) string {
		return "resources: [{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: x, namespace: " + namespace +
			"}, spec: {a: b}}]\n"
	}
	const x, nowhere = "injectors: [{name: x}]\n", "apiVersion: fn.kpt.dev/v1alpha1\nkind: InjectConfig\nmetadata: {name: i}\n"
	for name, c := range map[string]struct{ config, point, want string }{
		"a Secret": {config + x + "resources: [{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {a: b}}]\n",
			pointOf("v1", "Secret"), `(FieldMissing): Secret "x" has no spec` + secret},
		"no Secret": {config + x + "resources: []\n", pointOf("v1", "Secret"),
			`(NoResourceSelected): no v1 Secret named "x" in namespace "fleet"` + secret},
		"no injectors for a Secret": {config, pointOf("v1", "Secret"), "(NoInjectors): the variant has no injectors" + secret},
		"a kind of that name in another group": {config + x + named("example.com/v1", "Secret", "fleet"),
			pointOf("example.com/v2", "Secret"), `(NoResourceSelected): no example.com/v2 Secret named "x" in namespace "fleet", ` +
				`only one of example.com/v1: let the point and the object have the same version`},
		"another version": {config + x + named("example.com/v1", "Team", "fleet"), pointOf("example.com/v1beta1", "Team"),
			`(NoResourceSelected): no example.com/v1beta1 Team named "x" in namespace "fleet", only one of example.com/v1: ` +
				`let the point and the object have the same version`},
		"another version of another namespace": {config + x + named("example.com/v1", "Team", "other"),
			pointOf("example.com/v1beta1", "Team"),
			`(NoResourceSelected): no example.com/v1beta1 Team named "x" in namespace "fleet"`},
		"another group": {config + x + named("example.org/v1", "Team", "fleet"), pointOf("example.com/v1", "Team"),
			`(NoResourceSelected): no example.com/v1 Team named "x" in namespace "fleet"`},
		"an injector for another version": {config + "injectors: [{name: x, version: v1}]\n",
			pointOf("example.com/v1beta1", "Team"), `(NoResourceSelected): no injector is for example.com/v1beta1 Team, only one ` +
				`for version "v1"`},
		"a config without a namespace": {nowhere + x + named("example.com/v1", "Team", "fleet"),
			pointOf("example.com/v1", "Team"), `(NoResourceSelected): no example.com/v1 Team named "x" without a namespace, only ` +
				`one in namespace "fleet": set metadata.namespace of the config to the namespace of the objects`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := injection.Run(yaml.MustParse(c.config), fntest.Nodes(t, pkg(c.point)))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range out.Results {
				_, said, _ := strings.Cut(r.Message, "not filled ")
				got = append(got, said)
			}
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestSourcesThatAgree checks that one object may stand in the package twice, if it is the same.
func TestSourcesThatAgree(t *testing.T) {
	t.Parallel()
	items := fntest.Nodes(t, fntest.Files{"Kptfile": kptfile, "a.yaml": point,
		"b.yaml": source("x", "data: {a: '1', b: x}\n"), "c.yaml": source("x", "data:\n  b: x # same\n  a: \"1\"\n")})
	if out, err := injection.Run(yaml.MustParse(variant+"  injectors: [{name: x}]\n"), items); err != nil ||
		len(out.Results) > 0 {
		t.Errorf("%v, %v", out.Results, err)
	}
}

// TestConditionsOfOthers checks that gates and conditions stay which only begin as those of points do.
func TestConditionsOfOthers(t *testing.T) {
	t.Parallel()
	for name, ours := range map[string]bool{
		"config.injection.ConfigMap.a": true, "config.injection.Team.a.b": true, "config.injection.mine": false,
		"config.injection.mine.too": false, "config.injection.Mine": false, "config.injection.Mine.": false,
		"config.injection.": false, "config.injection": false, "config.injected.Team.a": false,
	} {
		tail := "info: {readinessGates: [{conditionType: " + name + "}]}\nstatus: {conditions: [{type: " + name +
			", status: \"True\"}]}\n"
		items := fntest.Nodes(t, fntest.Files{"Kptfile": kptfile + tail})
		out, err := injection.Run(yaml.MustParse(config), items)
		if err != nil {
			t.Fatal(err)
		}
		if stays := strings.HasSuffix(out.Items[0].MustString(), tail); stays == ours {
			t.Errorf("%s stays: %v\n%s", name, stays, out.Items[0].MustString())
		}
	}
}

// TestInputUnchanged checks that the pure function leaves what it is given as it was.
func TestInputUnchanged(t *testing.T) {
	t.Parallel()
	items := fntest.Nodes(t, pkg(point+"data: {a: old}\n"))
	before := make([]string, len(items))
	for i := range items {
		before[i] = items[i].MustString()
	}
	config := fntest.Nodes(t, fntest.Files{"config.yaml": inject})[0]
	out, err := injection.Run(config, items)
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if diff := cmp.Diff(before[i], items[i].MustString()); diff != "" {
			t.Errorf("the input was changed (-before +after):\n%s", diff)
		}
	}
	if out.Items[1] == items[1] || out.Items[0] == items[0] {
		t.Error("an edited item is not a copy")
	}
}

// TestUnmetWithoutFiles checks what is said about an unfilled point whose file is not known.
func TestUnmetWithoutFiles(t *testing.T) {
	t.Parallel()
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" +
		"functionConfig: {apiVersion: fn.kpt.dev/v1alpha1, kind: InjectConfig, metadata: {name: i}}\n" +
		"items:\n- {apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: web}}\n" +
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: p, annotations: {kpt.dev/config-injection: required}}}\n"
	stdout, stderr, code := fntest.Run(injection.Run, []byte(list))
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	want := fn.Results{{
		Severity: fn.Warning, ResourceRef: &fn.ResourceRef{APIVersion: "v1", Kind: "ConfigMap", Name: "p"},
		Message: `ConfigMap "p": required injection point not filled (NoInjectors): the variant has no injectors`,
	}}
	if diff := cmp.Diff(want, fntest.Parse(t, stdout).Results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// FuzzPoint checks that the function refuses a point, or fills it and finds nothing to do in a second run.
func FuzzPoint(f *testing.F) {
	for _, seed := range []string{
		"data: {a: old} # c\n", "data: # fill me\n  b: x\n", "data: # c\n# foot of data\n", "data:\n- x # l\n# foot\n",
		"data:\n  b: >-\n    x\n\n      y\n# foot\n",
		"data:\n  # c\n  a: old\n\n  # f\n  b: |\n    x\n", "data: null", "data: [a]", "data: &a {x: *a}",
		"---\napiVersion: v1\nkind: A\nmetadata: {name: b, annotations: {kpt.dev/config-injection: optional}}\nspec: *x\n",
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {kpt.dev/injection-source: \"true\"}}\n" +
			"data: {c: d}\n",
	} {
		f.Add(seed, "status: {conditions: [{type: config.injection.A.b}]}\n")
		f.Add(seed, "info:\n  readinessGates: # ours\n  - conditionType: config.injection.A.b # optional\n# foot\nstatus:\n"+
			"  conditions:\n  - {type: Rendered, message: \"a\\nb\"}\n  renderStatus: {errorSummary: x}\n")
	}
	f.Fuzz(func(t *testing.T, points, kptfileTail string) {
		files := fntest.Files{"Kptfile": kptfile + kptfileTail, "points.yaml": point + points}
		fntest.TryPackage(t, injection.Run, inject, files)
	})
}

func TestRelevant(t *testing.T) {
	t.Parallel()
	fntest.CheckRelevant(t, injection.Run, injection.Relevant)
}

func BenchmarkInProcess(b *testing.B) {
	fntest.BenchmarkInProcess(b, injection.Run, injection.Relevant)
}

// BenchmarkPoints measures packages with many injection points, in one process. The time for each point, ns/point, is
// to be the same for all of them.
func BenchmarkPoints(b *testing.B) {
	for _, n := range []int{1_000, 5_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var points strings.Builder
			for i := range n {
				points.WriteString(strings.Replace("---\n"+point+"data: {a: old} # c\n", "name: p", fmt.Sprint("name: p", i), 1))
			}
			list := fntest.List(b, inject, pkg(points.String()))
			for b.Loop() {
				if _, stderr, code := fntest.Run(injection.Run, list); code != 0 {
					b.Fatal(stderr)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/point")
		})
	}
}

func FuzzInput(f *testing.F) {
	fntest.FuzzInput(f, "../testdata", injection.Run)
}
