// SPDX-License-Identifier: Apache-2.0

package packagecontext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/internal/node"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	fntest.Golden(t, "../testdata", packagecontext.Run)
}

const (
	kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	context = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n"
	config  = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPackageContext\nmetadata:\n  name: c\n"
	variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: pv\nspec:\n"

	example = `no function config: pass one by --fn-config, or by configPath in a Kptfile pipeline, for example ` +
		`{apiVersion: fn.kpt.dev/v1alpha1, kind: ApplyPackageContext, metadata: {name: context}, data: {region: ` +
		`eu-west}, removeKeys: [old-key]}`
)

// pkg returns a package with the given package context.
func pkg(packageContext string) fntest.Files {
	return fntest.Files{"Kptfile": kptfile, "package-context.yaml": packageContext}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	good := pkg(context + "data:\n  name: web\n")
	for name, c := range map[string]struct {
		config string
		files  fntest.Files
		want   string
	}{
		"no config": {"", good, example},
		"a key of binary data": {config + "data: {q: r}\n", pkg(context + "binaryData: {q: eHg=}\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": binaryData.q: is also set in data, and no ConfigMap can have ` +
				`one key in both: remove it here, or from what is set`},
		"empty ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n", good, example},
		"wrong kind": {"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n", good,
			`Deployment "d": cannot configure this function: its config must be one of fn.kpt.dev/v1alpha1 ` +
				`ApplyPackageContext, config.porch.kpt.dev/v1alpha1 PackageVariant, v1 ConfigMap, not apps/v1 Deployment`},
		"no kind": {"apiVersion: fn.kpt.dev/v1alpha1\nmetadata:\n  name: c\ndata: {a: b}\n", good,
			`the function config has no kind: it must be one of fn.kpt.dev/v1alpha1 ApplyPackageContext, ` +
				`config.porch.kpt.dev/v1alpha1 PackageVariant, v1 ConfigMap`},
		"no API version": {"kind: ConfigMap\nmetadata:\n  name: c\ndata: {a: b}\n", good,
			`ConfigMap "c": the function config has no apiVersion: it must be one of fn.kpt.dev/v1alpha1 ApplyPackageContext, ` +
				`config.porch.kpt.dev/v1alpha1 PackageVariant, v1 ConfigMap`},
		"wrong version": {strings.Replace(config, "v1alpha1", "v1", 1), good,
			`ApplyPackageContext "c": cannot configure this function: its config must be one of fn.kpt.dev/v1alpha1 ` +
				`ApplyPackageContext, config.porch.kpt.dev/v1alpha1 PackageVariant, v1 ConfigMap, not fn.kpt.dev/v1 ` +
				`ApplyPackageContext`},
		"misspelt field": {config + "removekeys: [a]\n", good,
			`ApplyPackageContext "c": removekeys: is not a field of this config: did you mean removeKeys?`},
		"misspelt field of a PackageVariant": {variant + "  packageContxt: {}\n", good,
			`PackageVariant "pv": spec.packageContxt: is not a field of this config: did you mean packageContext?`},
		"unknown field": {config + "zzz: 1\n", good,
			`ApplyPackageContext "c": zzz: is not a field of this config; it has apiVersion, data, kind, metadata, removeKeys`},
		"binary data": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nimmutable: true\nbinaryData: {a: Yg==}\n", good,
			`ConfigMap "c": binaryData: is not a field of this config; it has apiVersion, data, immutable, kind, metadata`},
		"data is a list": {config + "data: [a]\n", good,
			`ApplyPackageContext "c": data: is a list, but must be a map`},
		"value is a number": {config + "data:\n  replicas: 3\n", good,
			`ApplyPackageContext "c": data.replicas: is a number, but must be a string: put it in quotes`},
		"value is a date": {config + "data:\n  day: 2020-01-01\n", good,
			`ApplyPackageContext "c": data.day: is a date, but must be a string: put it in quotes`},
		"key is a number": {config + "data:\n  1: x\n", good,
			`ApplyPackageContext "c": data: has the key "1", which is a number: put it in quotes`},
		"value is null": {variant + "  packageContext:\n    data:\n      a: null\n", good,
			`PackageVariant "pv": spec.packageContext.data.a: is null, but must be a string: give it a value or remove it`},
		"key stands twice in the config": {config + "data:\n  a: x\n  a: y\n", good,
			`ApplyPackageContext "c": data.a: stands twice: remove one of the two`},
		"reserved keys": {config + "data:\n  name: x\nremoveKeys: [package-path]\n", good,
			"ApplyPackageContext \"c\": data.name: is set by kpt itself and cannot be changed: remove the key \"name\"\n" +
				"ApplyPackageContext \"c\": removeKeys[0]: is set by kpt itself and cannot be changed: " +
				"remove the key \"package-path\""},
		"set and removed": {variant + "  packageContext:\n    data:\n      a: x\n    removeKeys: [b, a]\n", good,
			`PackageVariant "pv": spec.packageContext.removeKeys[1]: asks to remove the key "a", which data sets: ` +
				`decide for one`},
		"invalid key": {config + "data:\n  a/b: x\n", good,
			`ApplyPackageContext "c": data.a/b: is "a/b", which no ConfigMap can have as a key: ` +
				`use up to 253 letters, digits, '-', '_' and '.'`},
		"no Kptfile": {config + "data: {a: x}\n", fntest.Files{"package-context.yaml": context},
			"no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, selectors, " +
				"exclude) hide its Kptfile"},
		"two root Kptfiles": {config + "data: {a: x}\n", fntest.Files{"a/Kptfile": kptfile, "b/Kptfile": kptfile},
			`b/Kptfile: Kptfile "web": could be the root package's Kptfile as well as a/Kptfile: ` +
				`run the function on one package at a time`},
		"no package context": {config + "data: {a: x}\n", fntest.Files{"Kptfile": kptfile},
			`Kptfile: Kptfile "web": the package has no package context: add a ConfigMap named kptfile.kpt.dev to it (kpt pkg ` +
				`init writes one to package-context.yaml), and let no selector hide it`},
		"package context of a subpackage only": {config + "data: {a: x}\n",
			fntest.Files{"Kptfile": kptfile, "sub/Kptfile": kptfile, "sub/cm.yaml": context},
			`Kptfile: Kptfile "web": the package has no package context: add a ConfigMap named kptfile.kpt.dev to it (kpt pkg ` +
				`init writes one to package-context.yaml), and let no selector hide it`},
		"two package contexts": {config + "data: {a: x}\n", fntest.Files{"Kptfile": kptfile, "a.yaml": context,
			"b.yaml": context},
			`b.yaml: ConfigMap "kptfile.kpt.dev": is a second package context; the first is in a.yaml: remove one of the two`},
		"context data is a list": {config + "data: {a: x}\n", pkg(context + "data: [a]\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data: is a list, not a map: correct its type`},
		"context data is a string": {config + "removeKeys: [a]\n", pkg(context + "data: text\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data: is a string, not a map: correct its type`},
		"context data stands twice": {config + "data: {a: x}\n", pkg(context + "data: {}\ndata: {}\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data: stands twice: remove one of the two`},
		"context key stands twice": {config + "data: {a: x}\n", pkg(context + "data:\n  a: 1\n  a: 2\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data.a: stands twice: remove one of the two`},
		"context data is an alias": {config + "data: {a: x}\n", pkg(context + "x: &d {b: c}\ndata: *d\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data: is a YAML alias (*d), so that an edit would change the ` +
				`other place too: write the value out`},
		"context data is aliased": {config + "data: {a: x}\n", pkg(context + "data: &d {b: c}\nx: *d\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data: has a YAML anchor (&d) that is used elsewhere, so that ` +
				`an edit would change the other place too: write the values out`},
		"value to remove is aliased": {config + "removeKeys: [a]\n", pkg(context + "data: {a: &v x, b: *v}\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data.a: has a YAML anchor (&v) that is used elsewhere, so ` +
				`that an edit would change the other place too: write the values out`},
		"context data has a merge key": {config + "data: {a: x}\n", pkg(context + "x: &d {b: c}\ndata: {<<: *d, a: y}\n"),
			`package-context.yaml: ConfigMap "kptfile.kpt.dev": data: has a YAML merge key (<<), so that "a" cannot be edited ` +
				`safely: write the merged keys out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, packagecontext.Run, c.config, c.files, c.want)
		})
	}
}

func TestNothingToDo(t *testing.T) {
	t.Parallel()
	// A PackageVariant without a package context asks for nothing, so that not even a Kptfile is needed.
	list := fntest.List(t, variant+"  upstream: {repo: r, package: p, revision: 1}\n",
		fntest.Files{"a.yaml": context + "data: [a]\n"})
	stdout, stderr, code := fntest.Run(packagecontext.Run, list)
	if diff := cmp.Diff(string(list), string(stdout)); diff != "" || code != 0 {
		t.Errorf("exit code %d, %s (-want +got):\n%s", code, stderr, diff)
	}
}

// FuzzContext checks that for any package context the function either refuses it or leaves every pair of data and no
// key of removeKeys in it, and finds nothing to do in a second run.
func FuzzContext(f *testing.F) {
	for _, seed := range []string{
		"data: {a: b}\n", "data:\n  # c\n  old: x # l\n\n  # foot\n", "data: null", "data: &a {x: *a}", "data: {? [a] : b}\n",
		"data: # c\n  old: x\n", "data: # c\n  old: x\n  # foot of old\n# foot of data\n", "data: # c\n# foot\n",
		"data:\n  a: >\n    x\n\n      y\n  old: |\n    \tx\n",
		"data: {<<: {a: b}}", "\"data\":\n  'old': |\n    x\n", "data: []", "!!map data: {}",
		"metadata: &m {name: kptfile.kpt.dev}\ndata: *m\n",
	} {
		f.Add(seed)
	}
	c := config + "data:\n  new: \"yes\"\n  old2: v\nremoveKeys: [old]\n"
	f.Fuzz(func(t *testing.T, tail string) {
		files := pkg(context + tail)
		stdout, ok := fntest.TryPackage(t, packagecontext.Run, c, files)
		if !ok {
			return
		}
		for _, o := range fntest.Parse(t, stdout).Items {
			if o.GetKind() != "ConfigMap" || o.GetName() != packagecontext.ConfigMapName {
				continue
			}
			data := node.Get(o.CopyToResourceNode().YNode(), "data")
			if node.GetString(data, "new") != "yes" || node.GetString(data, "old2") != "v" || node.Get(data, "old") != nil {
				t.Errorf("the package context is not as asked for in\n%s", stdout)
			}
		}
	})
}

func TestRelevant(t *testing.T) {
	t.Parallel()
	fntest.CheckRelevant(t, packagecontext.Run, packagecontext.Relevant)
}

func BenchmarkInProcess(b *testing.B) {
	fntest.BenchmarkInProcess(b, packagecontext.Run, packagecontext.Relevant)
}

func FuzzInput(f *testing.F) {
	fntest.FuzzInput(f, "../testdata", packagecontext.Run)
}
