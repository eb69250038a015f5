// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
)

const (
	hostileKptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web, annotations: " +
		"{internal.config.kubernetes.io/path: Kptfile}}\n"
	hostileContext = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kptfile.kpt.dev, annotations: " +
		"{internal.config.kubernetes.io/path: package-context.yaml}}\ndata: {name: web}\n"
	hostilePoint = "apiVersion: e/v1\nkind: Team\nmetadata: {name: p, annotations: " +
		"{internal.config.kubernetes.io/path: point.yaml, kpt.dev/config-injection: required}}\n"
	hostileRevision = "apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nmetadata: {name: bp.web.v1, namespace: " +
		"fleet, annotations: {internal.config.kubernetes.io/path: r.yaml}}\nspec: {repository: bp, packageName: web, " +
		"revision: 1, lifecycle: Published, workspaceName: v1}\n"
	hostileRepository = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: r, namespace: " +
		"fleet, annotations: {internal.config.kubernetes.io/path: q.yaml}}\n"
	hostileVariant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: v, namespace: " +
		"fleet}\nspec: {packageContext: {data: {a: b}}, injectors: [{name: eu}], pipeline: {mutators: [{image: x}]}}\n"
	hostileSet = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: v, namespace: " +
		"fleet}\nspec:\n  upstream: {repo: bp, package: web, revision: 1}\n"
	oneTarget     = "  targets: [{repositories: [{name: r}]}]\n"
	hostileInject = "apiVersion: fn.kpt.dev/v1alpha1\nkind: InjectConfig\nmetadata: {name: v, namespace: " +
		"fleet}\ninjectors: [{name: eu}]\nresources:\n- apiVersion: e/v1\n  kind: Team\n  metadata: {name: eu, namespace: " +
		"fleet}\n"
	plainKptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n"
	plainX       = "apiVersion: v1\nkind: X\nmetadata: {name: x}\n"
	itemX        = "apiVersion: v1\nkind: X\nmetadata: {name: x, annotations: {internal.config.kubernetes.io/path: x.yaml}}\n"
)

// hostileFunction is a function with a config and items that it works with.
type hostileFunction struct {
	run    krm.Function
	config string
	items  []string
}

func hostileFunctions() map[string]hostileFunction {
	pkg := []string{hostileKptfile, hostileContext, hostilePoint}
	return map[string]hostileFunction{
		"apply-package-context": {packagecontext.Run, hostileVariant, pkg},
		"prepend-pipeline":      {pipeline.Run, hostileVariant, pkg},
		"inject-config":         {injection.Run, hostileVariant, pkg},
		"expand-variantset":     {expansion.Run, hostileSet + oneTarget, []string{hostileRevision, hostileRepository}},
		"merge-upstream": {merging.Run, mergeConfig(file("x.yaml", plainX), file("x.yaml", plainX)),
			[]string{hostileKptfile, itemX}},
	}
}

// mergeConfig returns a config of merge-upstream with the files and a Kptfile.
func mergeConfig(original, updated string) string {
	return "apiVersion: fn.kpt.dev/v1alpha1\nkind: MergeUpstream\nmetadata: {name: m}\noriginal:\n  resources:\n" +
		file("Kptfile", plainKptfile) + original + "updated:\n  resources:\n" + file("Kptfile", plainKptfile) + updated
}

var lineNumber = regexp.MustCompile(`line [0-9]+`)

func file(name, text string) string { return fmt.Sprintf("    %q: %q\n", name, text) }

// bomb returns lines of YAML in which each list has the one before it ten times.
func bomb(indent string) string {
	var out strings.Builder
	out.WriteString(indent + "a0: &a0 [x]\n")
	for i := range 30 {
		alias := fmt.Sprintf("*a%d", i)
		fmt.Fprintf(&out, "%[1]sa%[2]d: &a%[2]d [%[3]s]\n", indent, i+1, strings.TrimSuffix(strings.Repeat(alias+", ", 10), ", "))
	}
	return out.String()
}

// many returns n lines of a format that takes their numbers.
func many(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// resourceList returns a ResourceList of these parts as text.
func resourceList(config string, items ...string) []byte {
	under := func(text string) string {
		return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
	}
	out := header + "functionConfig:\n  " + under(config) + "items:\n"
	for _, item := range items {
		out += "- " + under(item)
	}
	return []byte(out)
}

// TestHostileItems checks that each function refuses what no package can have, by resource, file and field.
func TestHostileItems(t *testing.T) {
	t.Parallel()
	const path = "metadata.annotations.internal.config.kubernetes.io/path"
	at := func(path string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: X, metadata: {name: x, annotations: {internal.config.kubernetes.io/path: %q}}}",
			path)
	}
	x := "apiVersion: v1\nkind: X\nmetadata: {name: x, annotations: {internal.config.kubernetes.io/path: x.yaml}}\n"
	deep := func(n int) string { return x + "spec: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n" }
	for name, c := range map[string]struct{ item, want string }{
		"outside":             {at("../x.yaml"), path + `: is "../x.yaml", which leads out of the package: files of a package are in its directory`},
		"outside in the end":  {at("a/../../x.yaml"), path + `: is "a/../../x.yaml", which leads out of the package: files of a package are in its directory`},
		"outside on Windows":  {at(`a\..\..\x.yaml`), path + `: is "a\\..\\..\\x.yaml", which leads out of the package: files of a package are in its directory`},
		"the one above":       {at(".."), path + `: is "..", which leads out of the package: files of a package are in its directory`},
		"absolute":            {at("/etc/x.yaml"), path + `: is "/etc/x.yaml", which is an absolute path: files of a package have paths that begin at its directory`},
		"absolute on Windows": {at(`C:\x.yaml`), path + `: is "C:\\x.yaml", which is an absolute path: files of a package have paths that begin at its directory`},
		"a share":             {at(`\\host\x.yaml`), path + `: is "\\\\host\\x.yaml", which is an absolute path: files of a package have paths that begin at its directory`},
		"NUL":                 {at("a\x00.yaml"), path + `: is "a\x00.yaml", which has control characters in it: rename the file`},
		"C1":                  {at("a\u009b.yaml"), path + `: is "a\u009b.yaml", which has control characters in it: rename the file`},
		"lines":               {at("a\n.yaml"), path + `: is "a\n.yaml", which has control characters in it: rename the file`},
		"long": {at(strings.Repeat("a/", 5000) + "x.yaml"),
			path + `: is "` + strings.Repeat("a/", 50) + `... (10006 bytes)", which is too long for a path`},
		"bomb":       {x + "spec:\n" + bomb("  "), "spec.a5[3]: is a YAML alias (*a4) by which aliases stand for more than 100000 values: write the values out"},
		"loop":       {x + "spec: &s {a: [*s]}\n", "spec.a[0]: is a YAML alias (*s) within its own anchor: write the value out"},
		"deep":       {deep(300), "spec" + strings.Repeat("[0]", 100) + "... (754 bytes): is nested deeper than 250 levels: make it flatter"},
		"long key":   {x + "spec: {a: {? " + strings.Repeat("k", 1<<20) + " : 1}}\n", "spec.a." + strings.Repeat("k", 100) + "... (1048576 bytes): is a key of 1048576 bytes: make it one of at most 1024"},
		"all levels": {deep(100000), ""},
	} {
		for function, f := range hostileFunctions() {
			t.Run(name+"/"+function, func(t *testing.T) {
				t.Parallel()
				want := "x.yaml: X \"x\": " + c.want
				switch {
				case strings.HasPrefix(c.want, path):
					want = "X \"x\": " + c.want
				case c.want == "":
					want = "failed to parse ResourceList as a single KubeObject: failed to parse input bytes: yaml: " +
						"line N: exceeded max depth of 10000"
				}
				list := resourceList(f.config, append(f.items, c.item)...)
				stdout, stderr, code := fntest.Run(f.run, list)
				if c.want == "" {
					stderr = lineNumber.ReplaceAllString(stderr, "line N")
				}
				if diff := cmp.Diff(want, strings.TrimSpace(stderr)); diff != "" || code != 1 {
					t.Errorf("exit code %d (-want +got):\n%s", code, diff)
				}
				if results := fntest.Parse(t, stdout).Results; len(results) != 1 || results[0].File != nil &&
					results[0].File.Path != "x.yaml" {
					t.Errorf("results: %v", results)
				}
			})
		}
	}
}

// TestHostileConfigs holds the same of configs.
func TestHostileConfigs(t *testing.T) {
	t.Parallel()
	aliases := func(name string) string { return strings.TrimSuffix(strings.Repeat("*"+name+", ", 1000), ", ") }
	all := hostileFunctions()
	for name, c := range map[string]struct {
		function, config string
		items            []string
		want             string
	}{
		"bomb in a part that is not read": {"apply-package-context", hostileVariant + "status:\n" + bomb("  "), nil,
			`PackageVariant "v": status.a5[3]: is a YAML alias (*a4) by which aliases stand for more than 100000 values: write the values out`},
		"lists of lists": {"expand-variantset", hostileSet + "  targets: [&t {repositories: [&r {name: r, packageNames: [&p a, " +
			aliases("p") + "]}, " + aliases("r") + "]}, " + aliases("t") + "]\n", nil,
			`PackageVariantSet "v": spec.targets[0].repositories[99]: is a YAML alias (*r) by which aliases stand for more than ` +
				`100000 values: write the values out`},
		"many keys": {"apply-package-context", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPackageContext\nmetadata: {name: " +
			"v}\ndata:\n" + many(20000, "  a%d: b\n"), nil, `ApplyPackageContext "v": data: has 20000 entries: use 10000 at most`},
		"many functions": {"prepend-pipeline", "apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata: {name: " +
			"v}\npipeline:\n  mutators:\n" + many(20000, "  - {image: i%d}\n"), nil,
			`PrependPipeline "v": pipeline.mutators: has 20000 entries: use 10000 at most`},
		"long key": {"inject-config", hostileVariant + "? " + strings.Repeat("k", 1<<20) + "\n: 1\n", nil,
			`PackageVariant "v": ` + strings.Repeat("k", 100) + `... (1048576 bytes): is a key of 1048576 bytes: make it one of at most 1024`},
		"number": {"inject-config", strings.Replace(hostileVariant, "spec: {", "spec: {dependsOn: [{name: a, "+
			"minRevision: 99999999999999999999}], ", 1), nil,
			`PackageVariant "v": spec.dependsOn[0].minRevision: is a number, but must be a whole number`},
		"number that fits a larger type": {"inject-config", strings.Replace(hostileVariant, "spec: {",
			"spec: {dependsOn: [{name: a, minRevision: 9999999999}], ", 1), nil,
			`PackageVariant "v": spec.dependsOn[0].minRevision: is 9999999999, which is out of range: use a smaller number`},
		"no number": {"prepend-pipeline", strings.Replace(hostileVariant, "spec: {", "spec: {dependsOn: [{name: a, "+
			"minRevision: 1e999999}], ", 1),
			nil, `PackageVariant "v": spec.dependsOn[0].minRevision: is a string, but must be a whole number`},
		"revision": {"expand-variantset", strings.Replace(hostileSet, "revision: 1", "revision: 99999999999999999999", 1) +
			oneTarget, nil,
			`PackageVariantSet "v": spec.upstream.revision: is not valid: revision "100000000000000000000" is out of range`},
		"namespace": {"expand-variantset", strings.Replace(hostileSet, "namespace: fleet", "namespace: ../../etc", 1) + oneTarget,
			nil, `PackageVariantSet "v": metadata.namespace: is "../../etc", which no namespace can have as its name: correct it`},
		"package": {"expand-variantset", hostileSet + "  targets: [{repositories: [{name: r, packageNames: [../../x]}]}]\n", nil,
			`PackageVariantSet "v": spec.targets[0].repositories[0].packageNames[0]: is "../../x", which Porch takes for no ` +
				`package: use lower-case letters, digits and '-', and a single '/' between the parts of a path; each part begins and ends with a letter or digit`},
		"object": {"inject-config", hostileInject + "  spec:\n" + bomb("    "), nil,
			`InjectConfig "v": resources[0].spec.a5[3]: is a YAML alias (*a4) by which aliases stand for more than 100000 ` +
				`values: write the values out`},
		"file of the upstream": {"merge-upstream", mergeConfig(file("x.yaml", plainX), file("x.yaml", plainX)+
			file("../../etc/y.yaml", strings.Replace(plainX, "name: x", "name: y", 1))), nil,
			`MergeUpstream "m": updated has the file "../../etc/y.yaml", which leads out of the package: files of a package are ` +
				`in its directory`},
		"file of the original": {"merge-upstream", mergeConfig(file("/x.yaml", plainX), file("x.yaml", plainX)), nil,
			`MergeUpstream "m": original has the file "/x.yaml", which is an absolute path: files of a package have paths that ` +
				`begin at its directory`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := all[c.function]
			_, stderr, code := fntest.Run(f.run, resourceList(c.config, f.items...))
			if diff := cmp.Diff(c.want, strings.TrimSpace(stderr)); diff != "" || code != 1 {
				t.Errorf("exit code %d (-want +got):\n%s", code, diff)
			}
		})
	}
}

// TestHostileUpstream checks that a bomb among the files of an upstream, which is text there, is not expanded: the file
// is reported, and left as it is.
func TestHostileUpstream(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"bomb": plainX + bomb(""), "deep": plainX + "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n",
		"wide": plainX + "a:\n" + many(100_000, "- %d\n"), "wide map": plainX + "a:\n" + many(50_001, "  a%d: b\n"),
		"key": plainX + "? " + strings.Repeat("k", 1<<20) + "\n: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := resourceList(mergeConfig(file("x.yaml", plainX), file("x.yaml", text)), hostileKptfile, itemX)
			stdout, stderr, code := fntest.Run(merging.Run, list)
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			out := fntest.Parse(t, stdout)
			const want = "x.yaml: is changed upstream to what is not YAML of resources, or is too large, which a function " +
				"cannot write: the package stays as it is there, copy it from the updated upstream"
			if got := out.Results[0].Message; got != want {
				t.Errorf("got %q", got)
			}
			if diff := cmp.Diff(fntest.Parse(t, list).Items.String(), out.Items.String()); diff != "" {
				t.Errorf("the package changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestHostileNumbers checks that numbers too large for any type go from an object into a package unchanged.
func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	list := resourceList(hostileInject+"  spec: {a: 1e999999, b: 99999999999999999999, c: -1e999999, d: 1e308}\n",
		hostileKptfile, hostilePoint)
	stdout, stderr, code := fntest.Run(injection.Run, list)
	const want = "  spec:\n    a: 1e999999\n    b: 99999999999999999999\n    c: -1e999999\n    d: 1e308\n"
	if !strings.Contains(string(stdout), want) || code != 0 {
		t.Errorf("exit code %d, %s: there is no\n%sin\n%s", code, stderr, want, stdout)
	}
}

// TestHostileSizes bounds the memory that a run allocates over what is large, for each of the functions: what compares
// each element with each would not end here.
func TestHostileSizes(t *testing.T) { //nolint:paralleltest // it measures the process
	const n = 50_000
	for name, c := range map[string]struct {
		run    krm.Function
		config string
		items  []string
		code   int
	}{
		"context with many keys": {packagecontext.Run, hostileVariant, []string{hostileKptfile,
			strings.Replace(hostileContext, "data: {name: web}", "data:\n  name: web\n"+many(n, "  a%d: b\n"), 1)}, 0},
		"pipeline with many functions": {pipeline.Run, hostileVariant, []string{hostileKptfile + "pipeline:\n  mutators:\n" +
			many(n, "  - {image: a, name: b%d}\n")}, 0},
		"pipeline whose functions go": {pipeline.Run, "apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata: {name: v}\n",
			[]string{hostileKptfile + "pipeline:\n  mutators:\n" + many(n, "  - {image: a, name: PackageVariant.v..%d}\n")}, 0},
		"list becomes another": {injection.Run, hostileInject + "  spec:\n" + many(n, "  - b%d\n"),
			[]string{hostileKptfile, hostilePoint + "spec:\n" + many(n, "- a%d\n")}, 0},
		"list moves": {injection.Run, hostileInject + "  spec:\n" + many(n, "  - a%d\n"),
			[]string{hostileKptfile, hostilePoint + "spec:\n- x\n" + many(n, "- a%d\n")}, 0},
		"map becomes another": {injection.Run, hostileInject + "  spec:\n" + many(n, "    b%d: 1\n"),
			[]string{hostileKptfile, hostilePoint + "spec:\n" + many(n, "  a%d: 1\n")}, 0},
		"map gets other values": {injection.Run, hostileInject + "  spec:\n" + many(n, "    a%d: 2\n"),
			[]string{hostileKptfile, hostilePoint + "spec:\n" + many(n, "  a%d: 1\n")}, 0},
		"set with many repositories": {expansion.Run, hostileSet + "  targets:\n  - repositories:\n" + many(9_999, "    - name: r%d\n"),
			[]string{hostileRevision}, 1},
		"merge of a long list": {merging.Run, mergeConfig(file("x.yaml", plainX+"l:\n"+many(2000, "- {name: a%d, v: 1}\n")),
			file("x.yaml", plainX+"l:\n"+many(2000, "- {name: a%d, v: 2}\n"))),
			[]string{hostileKptfile, itemX + "l:\n" + many(2000, "- {name: a%d, v: 1}\n")}, 0},
		"merge of a very long list": {merging.Run, mergeConfig(file("x.yaml", plainX+"l:\n"+many(n, "- a%d\n")),
			file("x.yaml", plainX+"l:\n"+many(n, "- b%d\n"))), []string{hostileKptfile, itemX + "l:\n" + many(n, "- c%d\n")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			list := resourceList(c.config, c.items...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, stderr, code := fntest.Run(c.run, list)
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KB: %d MB allocated", len(list)>>10, allocated>>20)
			if code != c.code {
				t.Errorf("exit code %d: %.300s", code, stderr)
			}
			if allocated > 4<<30 {
				t.Error("that is too much")
			}
		})
	}
}
