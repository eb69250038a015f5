// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

const (
	mergedMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	mergedPod  = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: web\n"
	mergedFile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	mergedWork = "apiVersion: x.io/v1\nkind: Work\nmetadata:\n  name: w\n"
)

// mergeCase is a file in the versions of a merge; without a name it is a.yaml, and without a text it is missing. The
// results are those besides the one that the config has no upstreamLock.
type mergeCase struct {
	file                           string
	original, updated, local, want string
	results                        []string
}

// tracked returns a resource with the comment by which kpt recognizes it.
func tracked(text, name string) string {
	return strings.Replace(text, "metadata:\n", "metadata: # kpt-merge: /"+name+"\n", 1)
}

func hiddenFrom(comment string) string {
	return `a.yaml: has the comment "` + comment + `" upstream, which kpt does not show to functions: if it is not here, ` +
		"copy it from the updated upstream"
}

var mergeCases = map[string]mergeCase{
	"comments and quotes from upstream": {
		original: mergedMap + "data:\n  a: one\n  b: yes\n",
		updated:  mergedMap + "data:\n  # above\n  a: one # kpt-set: ${a}\n  b: \"yes\"\n",
		local:    tracked(mergedMap, "a") + "data:\n  a: mine\n  b: yes\n",
		want:     tracked(mergedMap, "a") + "data:\n  # above\n  a: mine # kpt-set: ${a}\n  b: \"yes\"\n"},
	"around an alias": {
		original: mergedWork + "spec:\n  a: &x 1\n  b: *x\n  c: 1\n", updated: mergedWork + "spec:\n  a: &x 1\n  b: *x\n  c: 2\n",
		local: mergedWork + "spec:\n  a: &x 1\n  b: *x\n  c: 1\n  d: 1\n",
		want:  mergedWork + "spec:\n  a: &x 1\n  b: *x\n  c: 2\n  d: 1\n"},
	"copy with the mark of another": {
		original: mergedMap, updated: mergedMap + "data:\n  a: x\n",
		local: tracked(mergedMap, "a") + "---\n" + strings.Replace(tracked(mergedMap, "a"), "name: a", "name: copy", 1),
		want: tracked(mergedMap, "a") + "data:\n  a: x\n---\n" +
			strings.Replace(tracked(mergedMap, "a"), "name: a", "name: copy", 1)},
	"functions swapped, one edited": {file: "Kptfile",
		original: mergedFile + "pipeline:\n  mutators:\n  - image: a/b:v1\n    configMap:\n      a: x\n  - image: a/c:v1\n",
		updated:  mergedFile + "pipeline:\n  mutators:\n  - image: a/c:v2\n  - image: a/b:v2\n    configMap:\n      a: x\n",
		local:    mergedFile + "pipeline:\n  mutators:\n  - image: a/b:v1\n    configMap:\n      a: mine\n  - image: a/c:v1\n",
		want:     mergedFile + "pipeline:\n  mutators:\n  - image: a/c:v2\n  - image: a/b:v2\n    configMap:\n      a: mine\n"},
	"functions moved and changed, of different order of keys": {file: "Kptfile",
		original: mergedFile + "pipeline:\n  mutators:\n  - image: a/b:v1\n    name: b\n  - name: c\n    image: a/c:v1\n",
		updated:  mergedFile + "pipeline:\n  mutators:\n  - image: a/c:v2\n    name: c\n  - image: a/b:v2\n    name: b\n",
		local:    mergedFile + "pipeline:\n  mutators:\n  - image: a/b:v1\n    name: b\n  - name: c\n    image: a/c:v1\n",
		want:     mergedFile + "pipeline:\n  mutators:\n  - name: c\n    image: a/c:v2\n  - image: a/b:v2\n    name: b\n",
		results: []string{`Kptfile: Kptfile "web": if this file begins with a comment and an empty line, such as a license, kpt ` +
			"drops that comment in this run: put it back without the empty line; if not, nothing is lost"}},
	"probe removed upstream": {
		original: mergedPod + "    livenessProbe:\n      httpGet:\n        path: /a\n", updated: mergedPod,
		local: mergedPod + "    livenessProbe:\n      httpGet:\n        path: /a\n      periodSeconds: 1\n",
		want:  mergedPod + "    livenessProbe:\n      httpGet:\n        path: /a\n      periodSeconds: 1\n",
		results: []string{`a.yaml: Pod "p": spec.containers[name=web].livenessProbe: is ` +
			`{"httpGet":{"path":"/a"},"periodSeconds":1} here, was {"httpGet":{"path":"/a"}}, and is removed upstream: ` +
			"the package stays as it is there"}},
	"file that is no resource": {file: "values.txt", original: "a: 1\n", updated: "a: 2\n", local: "a: 1\n", want: "a: 1\n",
		results: []string{"values.txt: changed upstream, but is not among the resources that a function gets: " +
			"copy it from the updated upstream"}},
	"comment at the foot": {
		original: mergedMap + "data:\n  a: one\n# foot\n", updated: mergedMap + "data:\n  a: one\n  b: x\n# end\n",
		local: mergedMap + "data:\n  a: one\n# foot\n", want: mergedMap + "data:\n  a: one\n  b: x\n# end\n"},
	"comment at the foot of what stays": {
		original: mergedMap + "data:\n  a: one\n  b: x\nimmutable: true\n", updated: mergedMap + "data:\n  a: one\n",
		local: mergedMap + "data:\n  a: one\n  b: x\nimmutable: true\n# mine\n", want: mergedMap + "data:\n  a: one\n# mine\n"},
	"new file": {updated: "# Copyright\n\n# of a\n" + mergedMap + "# foot\n\n# end\n---\n# of none\n",
		want:    "# Copyright\n# of a\n" + mergedMap + "# foot\n# end\n",
		results: []string{hiddenFrom("# of none")}},
	"header and end changed": {
		original: "# Copyright 1\n\n" + mergedMap + "data:\n  a: one\n\n# end 1\n",
		updated:  "# Copyright 2\n\n" + mergedMap + "data:\n  a: two\n\n# end 2\n",
		local:    "# Copyright 1\n\n" + mergedMap + "data:\n  a: one\n\n# end 1\n",
		want:     "# Copyright 1\n" + mergedMap + "data:\n  a: two\n\n# end 1\n",
		results:  []string{hiddenFrom("# Copyright 2"), hiddenFrom("# end 2")}},
	"first resource removed": {
		original: "# Copyright\n\n" + mergedMap + "---\n# of p\n" + mergedPod, updated: "# Copyright\n\n# of p\n" + mergedPod,
		local: "# Copyright\n\n" + mergedMap + "---\n# of p\n" + mergedPod + "    tty: true\n",
		want:  "# of p\n" + mergedPod + "    tty: true\n", results: []string{hiddenFrom("# Copyright")}},
	"comment changed here, key removed upstream": {
		original: mergedMap + "data:\n  a: one\n  b: x # c\n", updated: mergedMap + "data:\n  a: one\n",
		local: mergedMap + "data:\n  a: one\n  b: x # mine\n", want: mergedMap + "data:\n  a: one\n  b: x # mine\n",
		results: []string{`a.yaml: ConfigMap "a": data.b: is commented # mine here, was x, and is removed upstream: ` +
			"the package stays as it is there"}},
}

// TestMerge checks what merge-upstream and kpt make of a package, and that a second run leaves it so.
func TestMerge(t *testing.T) {
	t.Parallel()
	for name, c := range mergeCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.file == "" {
				c.file = "a.yaml"
			}
			version := func(text string) tree.Tree {
				files := tree.Tree{"Kptfile": mergedFile}
				if text != "" {
					files[c.file] = text
				}
				return files
			}
			config, err := json.Marshal(map[string]any{"apiVersion": "fn.kpt.dev/v1alpha1", "kind": "MergeUpstream",
				"metadata": map[string]any{"name": "m"}, "original": map[string]any{"resources": version(c.original)},
				"updated": map[string]any{"resources": version(c.updated)}})
			if err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(write(t, tree.Tree{"config.yaml": string(config)}), "config.yaml")
			dir := write(t, version(c.local))
			for run, want := range [][]string{c.results, nil} {
				out, err := tool.Eval(dir, "merge-upstream", at)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "not the merged package", version(c.want), tree.Load(t, dir))
				if diff := cmp.Diff(want, told(out.String())); run == 0 && diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// told returns the messages of the results that kpt prints.
func told(printed string) []string {
	var out []string
	_, results, _ := strings.Cut(printed, "[Results]: ")
	for _, message := range regexp.MustCompile(`(?m)(?:^|, )\[\w+\][^:]*: `).Split(results, -1) {
		if message = strings.TrimSpace(message); message != "" && !strings.Contains(message, "upstreamLock") {
			out = append(out, message)
		}
	}
	return out
}
