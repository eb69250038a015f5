// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"

	"github.com/google/go-cmp/cmp"
)

const (
	kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	context = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\ndata:\n  name: web\n"
	point   = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: endpoints\n  annotations:\n" +
		"    kpt.dev/config-injection: required\n"

	setContext = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPackageContext\nmetadata:\n  name: context\ndata:\n" +
		"  region: eu\n"
	inject = "apiVersion: fn.kpt.dev/v1alpha1\nkind: InjectConfig\nmetadata:\n  name: inject\n  namespace: default\n" +
		"injectors:\n- name: eu\n"
	prepend = "apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata:\n  name: eu\npipeline:\n" +
		"  mutators:\n  - image: f\n"
	merge = "apiVersion: fn.kpt.dev/v1alpha1\nkind: MergeUpstream\nmetadata:\n  name: merge\n" +
		"original: {resources: {a.yaml: \"a: 1\"}}\nupdated: {resources: {a.yaml: \"a: 2\"}}\n"
	expand = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ExpandVariantSet\nmetadata:\n  name: web\n" +
		"  namespace: default\n" +
		"upstream: {repo: blueprints, package: web, revision: 1}\ntargets:\n- repositories: [{name: edge}]\n"
)

// failed is what kustomize prints last when a transformer fails.
const failed = "Error: couldn't execute function: exit status 1 \n"

// TestFailures checks what kustomize prints when a function fails: its sentences, then that it failed; nothing is
// built. The function does not know which file a resource is from, so the sentences name no file.
func TestFailures(t *testing.T) {
	t.Parallel()
	two := kustomization([]string{"Kptfile", "context.yaml"}, "first.yaml", "config.yaml")
	for name, c := range map[string]struct {
		files      tree.Tree
		config     string
		function   string
		generators bool
		want       string
	}{
		"no Kptfile": {
			files: tree.Tree{"context.yaml": context}, function: "apply-package-context", config: setContext,
			want: "no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, " +
				"selectors, exclude) hide its Kptfile\n" + failed,
		},
		"two Kptfiles": {
			files:    tree.Tree{"a.yaml": kptfile, "b.yaml": strings.Replace(kptfile, "web", "db", 1), "context.yaml": context},
			function: "prepend-pipeline", config: prepend,
			want: `Kptfile "db": could be the root package's Kptfile as well as Kptfile "web": ` +
				`run the function on one package at a time` + "\n" + failed,
		},
		"no package context": {
			files: tree.Tree{"Kptfile": kptfile}, function: "apply-package-context", config: setContext,
			want: `Kptfile "web": the package has no package context: add a ConfigMap named kptfile.kpt.dev to it (kpt pkg ` +
				`init writes one to package-context.yaml), and let no selector hide it` + "\n" + failed,
		},
		"two package contexts": {
			files: tree.Tree{"Kptfile": kptfile, "a.yaml": context,
				"b.yaml": strings.Replace(context, "kptfile.kpt.dev\n", "kptfile.kpt.dev\n  namespace: prod\n", 1)},
			function: "apply-package-context", config: setContext,
			want: `ConfigMap "kptfile.kpt.dev": is a second package context; the first is ConfigMap "kptfile.kpt.dev": ` +
				`remove one of the two` + "\n" + failed,
		},
		"two mistakes in a config": {
			files: tree.Tree{"Kptfile": kptfile, "context.yaml": context}, function: "apply-package-context",
			config: setContext + "  replicas: 3\nremovekeys: []\n",
			want: `ApplyPackageContext "context": data.replicas: is a number, but must be a string: put it in quotes` + "\n" +
				`ApplyPackageContext "context": removekeys: is not a field of this config: did you mean removeKeys?` + "\n" +
				failed,
		},
		"the second transformer": {
			files: tree.Tree{"Kptfile": kptfile, "context.yaml": strings.Replace(context, "name: web", "[name]", 1),
				"first.yaml": configFor("prepend-pipeline", prepend), "kustomization.yaml": two},
			function: "apply-package-context", config: setContext,
			want: `ConfigMap "kptfile.kpt.dev": data: is a list, not a map: correct its type` + "\n" + failed,
		},
		"a point of no kind": {
			files: tree.Tree{"Kptfile": kptfile, "point.yaml": strings.Replace(point, "required", "perhaps",
				1)}, function: "inject-config", config: inject,
			want: `ConfigMap "endpoints": metadata.annotations.kpt.dev/config-injection: ` +
				`is "perhaps", but must be "required" or "optional"` + "\n" + failed,
		},
		"another function's config": {
			files: tree.Tree{"Kptfile": kptfile}, function: "expand-variantset", config: prepend,
			want: `PrependPipeline "eu": cannot configure this function: ` +
				`its config must be one of config.porch.kpt.dev/v1alpha2 PackageVariantSet, fn.kpt.dev/v1alpha1 ` +
				`ExpandVariantSet, not fn.kpt.dev/v1alpha1 PrependPipeline` + "\n" + failed,
		},
		"a merge without files": {
			files: tree.Tree{"Kptfile": kptfile, "context.yaml": context}, function: "merge-upstream", config: merge,
			want: `Kptfile "web": does not say which file it is from, and the files of a package are merged by their paths: ` +
				`run the function by kpt, not by kustomize` + "\n" + failed,
		},
		"a generator without a snapshot": {
			function: "expand-variantset", config: expand, generators: true,
			want: `ExpandVariantSet "web": upstream: there is no PackageRevision of blueprints/web with revision 1 in ` +
				`namespace "default": correct the upstream, or add the PackageRevision to the snapshot` + "\n" +
				strings.Replace(failed, " \n", "\n", 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := tree.Tree{}.Add(".", c.files).Add(".", tree.Tree{"config.yaml": configFor(c.function, c.config)})
			switch {
			case c.generators:
				files["./kustomization.yaml"] = "generators:\n- config.yaml\n"
			case c.files["kustomization.yaml"] == "":
				files["./kustomization.yaml"] = kustomization(resources(c.files), "config.yaml")
			}
			got := build(t, files, ".", plugins, executables)
			if diff := cmp.Diff(built{code: 1, stderr: c.want}, got, cmp.AllowUnexported(built{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestWarnings checks that a required injection point that is not filled shows on standard error. It is no failure, and
// kustomize shows no results of functions.
func TestWarnings(t *testing.T) {
	t.Parallel()
	got := build(t, tree.Tree{
		"point.yaml": point, "Kptfile": strings.Replace(kptfile, "  name",
			"  annotations: {config.kubernetes.io/local-config: \"true\"}\n  name", 1),
		"config.yaml": configFor("inject-config", inject), "kustomization.yaml": kustomization([]string{"Kptfile",
			"point.yaml"}, "config.yaml"),
	}, ".", plugins, executables)
	want := built{
		stdout: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    kpt.dev/config-injection: required\n" +
			"  name: endpoints\n",
		stderr: `warning: ConfigMap "endpoints": required injection point not filled (NoResourceSelected): ` +
			`no v1 ConfigMap named "eu" in namespace "default"` + "\n",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(built{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFlags checks that kustomize needs both flags to run functions: without one it refuses, but without the other it
// builds as if there were no functions, and does not say so.
func TestFlags(t *testing.T) {
	t.Parallel()
	files := tree.Tree{
		"Kptfile": kptfile, "context.yaml": context, "config.yaml": configFor("apply-package-context", setContext),
		"kustomization.yaml": kustomization([]string{"Kptfile", "context.yaml"}, "config.yaml"),
	}
	without := "apiVersion: v1\ndata:\n  name: web\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n---\n" + kptfile
	for name, c := range map[string]struct {
		flags []string
		want  built
	}{
		"both": {[]string{plugins, executables},
			built{stdout: strings.Replace(without, "  name: web\nkind", "  name: web\n  region: eu\nkind", 1)}},
		"only " + executables: {[]string{executables}, built{code: 1,
			stderr: "Error: external plugins disabled; unable to load external plugin 'ApplyPackageContext'\n"}},
		"only " + plugins: {[]string{plugins}, built{stdout: without}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := build(t, files, ".", c.flags...)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(built{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
