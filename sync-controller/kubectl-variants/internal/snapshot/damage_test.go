// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
)

// TestDamaged checks that a list that was truncated, badly merged or edited is refused, with file and line.
func TestDamaged(t *testing.T) {
	t.Parallel()
	const (
		head    = "apiVersion: v1\nitems:\n"
		item    = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: one\n    namespace: fleet\n"
		tail    = "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
		rewrite = ": the file is damaged: write the snapshot again, by kubectl get ... -o yaml"
		marker  = ": it has a conflict marker of git: resolve the conflict, or write the snapshot again, by kubectl get ... -o yaml"
	)
	for name, c := range map[string]struct{ text, want string }{
		"whole":             {head + item + tail, ""},
		"comments":          {head + "# one\n- apiVersion: v1\n  kind: ConfigMap\n# two\n  metadata:\n    name: one\n" + tail, ""},
		"dash on its own":   {head + "-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: one\n" + tail, ""},
		"object with items": {"apiVersion: example.com/v1\nkind: Shelf\nmetadata:\n  name: one\nitems:\n- a\n", ""},
		"conflict": {head + item + "<<<<<<< HEAD\n" + item + "=======\n" + item + ">>>>>>> branch\n" + tail,
			"cannot read FILE, line 8" + marker},
		"rest of a conflict": {head + item + ">>>>>>> branch\n" + tail, "cannot read FILE, line 8" + marker},
		"conflict in an item": {head + strings.Replace(item, "    name", "<<<<<<< HEAD\n    name", 1) + tail,
			"cannot read FILE, line 6" + marker},
		"end cut off":              {head + item, "cannot read FILE, line 2: this list has no kind: List" + rewrite},
		"all but the head cut off": {head, "cannot read FILE, line 2: this list has no kind: List" + rewrite},
		"begin cut off":            {"items:\n" + item + "kind: List\n", "cannot read FILE, line 1: this list has no apiVersion" + rewrite},
		"end of the first of two":  {head + item + "---\n" + head + item + tail, "cannot read FILE, line 2: this list has no kind: List" + rewrite},
		"without kind":             {head + item + strings.Replace(item, "  kind: ConfigMap\n", "", 1) + tail, "cannot read FILE, line 8: an item of the list has no kind" + rewrite},
		"without apiVersion":       {head + "- kind: ConfigMap\n  metadata:\n    name: one\n" + tail, "cannot read FILE, line 3: an item of the list has no apiVersion" + rewrite},
		"without metadata":         {head + "- apiVersion: v1\n  kind: ConfigMap\n" + tail, "cannot read FILE, line 3: an item of the list has no metadata.name" + rewrite},
		"no object":                {head + item + "- one\n" + tail, "cannot read FILE, line 8: an item of the list is no object" + rewrite},
		"no YAML in an item":       {head + "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {\n" + tail, "cannot read FILE, line 5: did not find expected node content" + rewrite},
		"no YAML behind the items": {head + item + "nonsense\n" + tail, "cannot read FILE, line 9: mapping values are not allowed in this context" + rewrite},
		"flow, without kind":       {`{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "two"}}]}`, "cannot read FILE, line 1: this list has no kind: List" + rewrite},
		"text":                     {"nonsense\n", "cannot read FILE, line 1: it is a string, and no object"},
		"a kind that is a map":     {"apiVersion: v1\nkind: {}\n", "cannot read FILE, line 1: kind is a map, but must be a string"},
		"flow, no object":          {`{"apiVersion": "v1", "kind": "List", "items": ["one"]}`, "cannot read FILE, line 1: an item of the list is no object" + rewrite},
		"flow, without metadata":   {`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret"}]}`, "cannot read FILE, line 1: an item of the list has no metadata.name" + rewrite},
		"revision without version": {"apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nmetadata: {name: one, namespace: fleet}\n",
			"cannot read FILE, line 1: PackageRevision one has no metadata.resourceVersion, which is its commit" + rewrite},
		"of a kind of ours, without namespace": {"apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: one, namspace: fleet}\n",
			"cannot read FILE, line 1: Repository one has no metadata.namespace" + rewrite},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "objects.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, refusal(t, file, "FILE")); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// refusal returns the error for a snapshot, with a name in place of its path; "" if there is none.
func refusal(t *testing.T, path, name string) string {
	t.Helper()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFiles(types, path, false); err != nil {
		return strings.ReplaceAll(err.Error(), path, name)
	}
	return ""
}
