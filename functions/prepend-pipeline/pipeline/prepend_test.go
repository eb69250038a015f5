// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	fntest.Golden(t, "../testdata", pipeline.Run)
}

const (
	kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	config  = "apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata:\n  name: pv\n"
	variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: pv\nspec:\n"
	one     = config + "pipeline:\n  mutators:\n  - image: a\n"

	example = `no function config: pass one by --fn-config, or by configPath in a Kptfile pipeline, for example ` +
		`{apiVersion: fn.kpt.dev/v1alpha1, kind: PrependPipeline, metadata: {name: my-variant}, pipeline: {mutators: ` +
		`[{name: labels, image: "set-labels:v0.2", configMap: {tier: gold}}]}}`
)

// pkg returns a package whose Kptfile has the given tail.
func pkg(tail string) fntest.Files { return fntest.Files{"Kptfile": kptfile + tail} }

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		files  fntest.Files
		want   string
	}{
		"no config": {"", pkg(""), example},
		"empty ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n", pkg(""),
			example},
		"ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata: {a: b}\n", pkg(""),
			`ConfigMap "c": cannot configure this function: its config must be one of fn.kpt.dev/v1alpha1 PrependPipeline, ` +
				`config.porch.kpt.dev/v1alpha1 PackageVariant, not v1 ConfigMap`},
		"no name": {strings.Replace(one, "name: pv", "name: \"\"", 1), pkg(""),
			`PrependPipeline "": metadata.name: is missing: set it`},
		"misspelt field": {config + "pipeline:\n  mutator: []\n", pkg(""),
			`PrependPipeline "pv": pipeline.mutator: is not a field of this config: did you mean mutators?`},
		"misspelt field of a function": {config + "pipeline:\n  mutators:\n  - imge: a\n", pkg(""),
			`PrependPipeline "pv": pipeline.mutators[0].imge: is not a field of this config: did you mean image?`},
		"null function": {config + "pipeline:\n  mutators: [null]\n", pkg(""),
			`PrependPipeline "pv": pipeline.mutators[0]: is null, but must be a map: give it a value or remove it`},
		"dot in a function's name": {variant + "  pipeline:\n    validators:\n    - image: a\n      name: b.c\n", pkg(""),
			`PackageVariant "pv": spec.pipeline.validators[0].name: is "b.c", but must have no dot: ` +
				`its name in the Kptfile is read by the dots`},
		"neither image nor exec": {variant + "  pipeline:\n    mutators:\n    - name: a\n", pkg(""),
			`PackageVariant "pv": spec.pipeline.mutators[0]: has neither image nor exec: say which function to run`},
		"image and exec": {config + "pipeline:\n  mutators:\n  - {image: a, exec: b}\n", pkg(""),
			`PrependPipeline "pv": pipeline.mutators[0]: has both image and exec: decide for one`},
		"two configs": {config + "pipeline:\n  mutators:\n  - {image: a, configPath: a.yaml, configMap: {a: b}}\n", pkg(""),
			`PrependPipeline "pv": pipeline.mutators[0]: has both configPath and configMap, which kpt refuses: decide for one`},
		"no Kptfile": {one, fntest.Files{"a.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n"},
			"no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, selectors, " +
				"exclude) hide its Kptfile"},
		"two root Kptfiles": {one, fntest.Files{"a/Kptfile": kptfile, "b/Kptfile": kptfile},
			`b/Kptfile: Kptfile "web": could be the root package's Kptfile as well as a/Kptfile: ` +
				`run the function on one package at a time`},
		"pipeline is a scalar": {one, pkg("pipeline: text\n"),
			`Kptfile: Kptfile "web": pipeline: is a string, not a map: correct its type`},
		"pipeline is a list": {config, pkg("pipeline: []\n"),
			`Kptfile: Kptfile "web": pipeline: is a list, not a map: correct its type`},
		"mutators are a scalar": {one, pkg("pipeline:\n  mutators: text\n"),
			`Kptfile: Kptfile "web": pipeline.mutators: is a string, not a list: correct its type`},
		"validators are a map": {one, pkg("pipeline:\n  validators: {}\n"),
			`Kptfile: Kptfile "web": pipeline.validators: is a map, not a list: correct its type`},
		"pipeline stands twice": {one, pkg("pipeline: {}\npipeline: {}\n"),
			`Kptfile: Kptfile "web": pipeline: stands twice: remove one of the two`},
		"mutators are an alias": {one, pkg("x: &l [{image: b}]\npipeline:\n  mutators: *l\n"),
			`Kptfile: Kptfile "web": pipeline.mutators: is a YAML alias (*l), so that an edit would change the other place ` +
				`too: write the value out`},
		"function to remove is aliased": {config,
			pkg("pipeline:\n  mutators:\n  - &f {image: b, name: PackageVariant.pv..0}\n  validators:\n  - *f\n"),
			`Kptfile: Kptfile "web": pipeline.mutators[0]: has a YAML anchor (&f) that is used elsewhere, so that an edit ` +
				`would change the other place too: write the values out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, pipeline.Run, c.config, c.files, c.want)
		})
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]pipeline.Name{
		"PackageVariant.pv.fn.0":              {Variant: "pv", Function: "fn", Position: 0},
		"PackageVariant.pv..12":               {Variant: "pv", Function: "", Position: 12},
		"PackageVariant.a.b.c.fn.3":           {Variant: "a.b.c", Function: "fn", Position: 3},
		"PackageVariant.PackageVariant.x.y.1": {Variant: "PackageVariant.x", Function: "y", Position: 1},
	} {
		got, ok := pipeline.ParseName(s)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("ParseName(%q): %v (-want +got):\n%s", s, ok, diff)
		}
		if got.String() != s {
			t.Errorf("ParseName(%q).String() is %q", s, got)
		}
	}
	for _, s := range []string{"", "PackageVariant.", "PackageVariant.0", "PackageVariant.fn.0", "PackageVariant..fn.0",
		"PackageVariant.pv.fn.", "PackageVariant.pv.fn.x", "PackageVariant.pv.fn.-1", "PackageVariant.pv.fn.01",
		"PackageVariant.pv.fn.+1", "packagevariant.pv.fn.0", "pv.fn.0", "PackageVariant.pv.fn.99999999999999999999"} {
		if n, ok := pipeline.ParseName(s); ok {
			t.Errorf("ParseName(%q) gives %+v, want false", s, n)
		}
	}
}

// FuzzName checks that a name that parses is written back as it was, and that a name made of a variant and a function
// without a dot parses into them.
func FuzzName(f *testing.F) {
	f.Add("PackageVariant.a.b.fn.3", "a.b", "fn", 3)
	f.Add("PackageVariant...0", "", "", 0)
	f.Fuzz(func(t *testing.T, s, variant, function string, position int) {
		if n, ok := pipeline.ParseName(s); ok && n.String() != s {
			t.Errorf("%q is written back as %q", s, n)
		}
		if variant == "" || strings.Contains(function, ".") || position < 0 {
			return
		}
		want := pipeline.Name{Variant: variant, Function: function, Position: position}
		if got, ok := pipeline.ParseName(want.String()); !ok || got != want {
			t.Errorf("%q parses as %+v, %v", want, got, ok)
		}
	})
}

// FuzzKptfile checks that the function refuses a Kptfile or finds nothing to do in a second run, in which the variant's
// functions are the first ones of the pipeline.
func FuzzKptfile(f *testing.F) {
	for _, seed := range []string{
		"pipeline:\n  mutators:\n  # c\n  - image: a # l\n", "pipeline: {mutators: [{name: PackageVariant.pv..0}]}\n",
		"pipeline: null",
		"pipeline:\n  mutators: [a, null, [b], {name: [c]}]\n", "pipeline: &p {mutators: *p}\n", "? [pipeline]\n: x\n",
		"pipeline: # ours\n  mutators: # all\n  - name: PackageVariant.pv.gone.0 # c\n# foot\n",
		"pipeline:\n  mutators:\n  - image: a:b # pinned\nstatus:\n  renderStatus: {a: b}\n# foot\n",
		"pipeline:\n  validators:\n  - name: PackageVariant.pv.x.1\n  # f\n\n  - &a {}\n  - *a\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tail string) {
		fntest.TryPackage(t, pipeline.Run, config+"pipeline:\n  mutators: [{image: a}, {image: b, name: x}]\n", pkg(tail))
	})
}

func TestRelevant(t *testing.T) {
	t.Parallel()
	fntest.CheckRelevant(t, pipeline.Run, pipeline.Relevant)
}

func BenchmarkInProcess(b *testing.B) {
	fntest.BenchmarkInProcess(b, pipeline.Run, pipeline.Relevant)
}

func FuzzInput(f *testing.F) {
	fntest.FuzzInput(f, "../testdata", pipeline.Run)
}
