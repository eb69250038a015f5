// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

const testdata = "../testdata"

// TestGolden runs the function on each directory of testdata: the package in it, with the functionConfig in
// _fnconfig.yaml, must give the ResourceList in _expected.yaml. A second run must change no item; it may have fewer
// results, because a conflict that was decided for the upstream is gone.
func TestGolden(t *testing.T) {
	t.Parallel()
	cases, err := os.ReadDir(testdata)
	if err != nil || len(cases) < 4 {
		t.Fatalf("cases %v, %v", cases, err)
	}
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(testdata, c.Name())
			config, err := os.ReadFile(filepath.Join(dir, "_fnconfig.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr, code := fntest.Run(merging.Run, fntest.List(t, string(config), fntest.ReadDir(t, dir)))
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			fntest.CheckOutcome(t, merging.Run, stdout, stderr, code)
			golden(t, filepath.Join(dir, "_expected.yaml"), string(stdout))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv(fntest.UpdateEnv) != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make golden writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

const (
	config  = "apiVersion: fn.kpt.dev/v1alpha1\nkind: MergeUpstream\nmetadata:\n  name: c\n"
	saved   = "apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevisionResources\nmetadata:\n  name: b.web.v1\nspec:\n"
	example = `no function config: pass one by --fn-config, or by configPath in a Kptfile pipeline, for example ` +
		`{apiVersion: fn.kpt.dev/v1alpha1, kind: MergeUpstream, metadata: {name: merge}, original: {name: ` +
		`blueprints.web.v1}, updated: {name: blueprints.web.v2}}`
)

// revision returns a revision in a config whose file a.yaml has the value in a.
func revision(field, value string) string {
	text := strings.ReplaceAll(cm+"data:\n  a: "+value+"\n  b: x\n", "\n", "\n      ")
	return field + ":\n  resources:\n    Kptfile: |\n      " + strings.ReplaceAll(kptfile, "\n", "\n      ") +
		"\n    a.yaml: |\n      " + text + "\n"
}

func TestFailures(t *testing.T) {
	t.Parallel()
	both := config + revision("original", "one") + revision("updated", "two")
	good := fntest.Files{"Kptfile": kptfile, "a.yaml": cmv1}
	for name, c := range map[string]struct {
		config string
		files  fntest.Files
		want   string
	}{
		"no config":       {"", good, example},
		"empty ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n", good, example},
		"wrong kind": {"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n", good,
			`Deployment "d": cannot configure this function: its config must be one of fn.kpt.dev/v1alpha1 MergeUpstream, not ` +
				`apps/v1 Deployment`},
		"misspelt field": {both + "onconflict: Stop\n", good,
			`MergeUpstream "c": onconflict: is not a field of this config: did you mean onConflict?`},
		"misspelt strategy": {both + "onConflict: stop\n", good,
			`MergeUpstream "c": onConflict: is "stop", but must be TakeUpstream, KeepLocal or Stop`},
		"a file is no text": {config + revision("original", "one") + "updated:\n  resources:\n    a.yaml: {a: b}\n", good,
			`MergeUpstream "c": updated.resources.a.yaml: is a map, but must be a string`},
		"commit is a number": {both + "upstreamLock:\n  git:\n    commit: 11\n", good,
			`MergeUpstream "c": upstreamLock.git.commit: is a number, but must be a string: put it in quotes`},
		"no original": {config + revision("updated", "two"), good,
			`MergeUpstream "c": original: is missing: give it resources, the files of that revision by path, or the name of a ` +
				`PackageRevisionResources that is saved in the package's directory`},
		"empty updated": {config + revision("original", "one") + "updated:\n  resources: {}\n", good,
			`MergeUpstream "c": updated: is missing: give it resources, the files of that revision by path, or the name of a ` +
				`PackageRevisionResources that is saved in the package's directory`},
		"nothing saved": {config + revision("original", "one") + "updated:\n  name: b.web.v2\n", good,
			`MergeUpstream "c": updated.resources: is missing, and no PackageRevisionResources is saved in the package's ` +
				`directory: save one there by kubectl get packagerevisionresources b.web.v2 -o yaml`},
		"another saved": {config + revision("original", "one") + "updated:\n  name: b.web.v2\n",
			fntest.Files{"Kptfile": kptfile, "a.yaml": cmv1, "v1.yaml": saved + "  resources: {a.yaml: x}\n"},
			`MergeUpstream "c": updated.name: is "b.web.v2", but those saved in the package's directory are b.web.v1`},
		"saved without files": {config + revision("original", "one") + "updated:\n  name: b.web.v1\n",
			fntest.Files{"Kptfile": kptfile, "a.yaml": cmv1, "v1.yaml": saved + "  revision: 1\n"},
			`v1.yaml: PackageRevisionResources "b.web.v1": spec.resources: is empty: a revision without files cannot be merged`},
		"saved is no such object": {config + revision("original", "one") + "updated:\n  name: b.web.v1\n",
			fntest.Files{"Kptfile": kptfile, "a.yaml": cmv1, "v1.yaml": saved + "  resource: {}\n"},
			`v1.yaml: PackageRevisionResources "b.web.v1": spec.resource: is not a field of this config: ` +
				`did you mean resources?`},
		"no Kptfile": {both, fntest.Files{"a.yaml": cmv1},
			"no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, selectors, " +
				"exclude) hide its Kptfile"},
		"original of another package": {both, fntest.Files{"Kptfile": kptfile, "d.yaml": deploy},
			"the package has no resource in common with the original upstream, nor with the updated one: " +
				"pass the revisions of the package that it was made from (upstreamLock in its Kptfile says which)"},
		"conflicts that stop": {both + "onConflict: Stop\n", fntest.Files{"Kptfile": kptfile,
			"a.yaml": cm + "data:\n  a: three\n  b: x\n"},
			`a.yaml: ConfigMap "settings": data.a: is three here, was one, and is two upstream: ` +
				`decide for one, or set onConflict to TakeUpstream or KeepLocal`},
		"removal that stops": {config + revision("original", "one") +
			"updated:\n  resources:\n    Kptfile: \"\"\nonConflict: Stop\n", fntest.Files{"Kptfile": kptfile, "a.yaml": cmMine},
			`a.yaml: ConfigMap "settings": is changed here, and removed upstream: ` +
				`decide for one, or set onConflict to TakeUpstream or KeepLocal`},
		"a lock without git": {both + "upstreamLock: {type: git}\n", good,
			`MergeUpstream "c": upstreamLock.git: is missing: give it repo, directory, ref and commit of the updated revision`},
		"an upstream without git": {both + "upstream: {type: git}\n", good,
			`MergeUpstream "c": upstream.git: is missing: give it repo, directory and ref of the updated revision`},
		"saved twice": {config + revision("original", "one") + "updated:\n  name: b.web.v1\n",
			fntest.Files{"Kptfile": kptfile, "a.yaml": cmv1, "v1.yaml": saved + "  resources: {a.yaml: x}\n",
				"v2.yaml": saved + "  resources: {a.yaml: z}\n"},
			`v2.yaml: PackageRevisionResources "b.web.v1": spec.resources: are not those of the one of the same name in ` +
				`v1.yaml: remove the one that is not meant`},
		"saved in a file of the upstream": {config + "original:\n  name: b.web.v1\n" + revision("updated", "two") +
			"    v1.yaml: |\n      " + strings.ReplaceAll(deploy, "\n", "\n      ") + "\n", fntest.Files{"Kptfile": kptfile,
			"a.yaml": cmv1, "v1.yaml": saved + "  resources:\n    a.yaml: x\n"},
			`v1.yaml: PackageRevisionResources "b.web.v1": is saved where the updated upstream has a file of its own: ` +
				`save it in another file`},
		"Kptfile that cannot be edited": {both + "upstream: {type: git, git: {ref: v2}}\n",
			fntest.Files{"Kptfile": kptfile + "upstream: []\n", "a.yaml": cmv1},
			`Kptfile: upstream: is a list, not a map: correct its type`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, merging.Run, c.config, c.files, c.want)
		})
	}
}

// TestFolded checks that text of the upstream which no emitter writes as a block keeps its value.
func TestFolded(t *testing.T) {
	t.Parallel()
	const text = "  a: >-\n    one\n\n      two\n"
	local := fntest.Files{"Kptfile": kptfile, "a.yaml": cm + "data:\n  a: one\n", "b.yaml": deploy}
	files := func(field, a, b string) string {
		return field + ":\n  resources:\n    a.yaml: " + strconv.Quote(cm+"data:\n"+a) + "\n    b.yaml: " +
			strconv.Quote(deploy) + "\n" + b
	}
	added := strings.Replace(cm, "settings", "more", 1) + "data:\n" + text
	config := config + files("original", "  a: one\n", "") + files("updated", text,
		"    c.yaml: "+strconv.Quote(added)+"\n")
	stdout, stderr, code := fntest.Run(merging.Run, fntest.List(t, config, local))
	if code != 0 {
		t.Fatal(stderr)
	}
	got := map[string]string{}
	for _, item := range fntest.Parse(t, stdout).Items {
		if item.GetKind() == "ConfigMap" {
			got[item.GetName()], _, _ = item.NestedString("data", "a")
		}
	}
	if diff := cmp.Diff(map[string]string{"settings": "one\n\n  two", "more": "one\n\n  two"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWithoutPaths checks what users of kustomize read, which does not say where resources come from.
func TestWithoutPaths(t *testing.T) {
	t.Parallel()
	list := string(fntest.List(t, config+revision("original", "one")+revision("updated", "two"),
		fntest.Files{"Kptfile": kptfile, "a.yaml": cmv1}))
	list = strings.ReplaceAll(list, "annotations:\n", "annotations:\n      kustomize.config.k8s.io/id: '1'\n")
	_, stderr, code := fntest.Run(merging.Run, []byte(list))
	const want = "Kptfile \"web\": does not say which file it is from, and the files of a package are merged by their " +
		"paths: run the function by kpt, not by kustomize\n"
	if diff := cmp.Diff(want, stderr); diff != "" || code != 1 {
		t.Errorf("exit code %d, -want +got:\n%s", code, diff)
	}
}

// TestPaths checks where resources come to stand in a package that is not in the directory that kpt works on, and in
// one that is rendered.
func TestPaths(t *testing.T) {
	t.Parallel()
	const added = "    b.yaml: |\n      apiVersion: v1\n      kind: ConfigMap\n      metadata:\n        name: b\n"
	both := config + revision("original", "one") + revision("updated", "two") + added
	for name, c := range map[string]struct {
		dir, annotation string
		want            []string
	}{
		"at the top":     {"", "", []string{"Kptfile", "b.yaml", "a.yaml"}},
		"in a directory": {"x/y/", "", []string{"x/y/Kptfile", "x/y/b.yaml", "x/y/a.yaml"}},
		"rendered": {"", "internal.config.kubernetes.io/package-path: /home/x/web",
			[]string{"Kptfile", "b.yaml", "a.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fntest.Files{c.dir + "Kptfile": kptfile, c.dir + "a.yaml": cmMine}
			list := strings.ReplaceAll(string(fntest.List(t, both, files)), "annotations:\n",
				"annotations:\n      "+c.annotation+"\n")
			stdout, stderr, code := fntest.Run(merging.Run, []byte(list))
			if code != 0 {
				t.Fatal(stderr)
			}
			var got []string
			for _, item := range fntest.Parse(t, stdout).Items {
				got = append(got, item.PathAnnotation())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || !strings.Contains(string(stdout), "a: two\n    b: mine\n") {
				t.Errorf("paths -want +got:\n%s\n%s", diff, stdout)
			}
		})
	}
}
