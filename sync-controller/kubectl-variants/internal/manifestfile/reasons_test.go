// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
)

// TestDamaged checks that a file that was truncated or badly merged is refused, with its line: a plan over half of a
// snapshot would be wrong.
func TestDamaged(t *testing.T) {
	t.Parallel()
	const (
		head    = "apiVersion: v1\nitems:\n"
		item    = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: one\n    namespace: fleet\n"
		tail    = "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
		damaged = ": the list that begins here is damaged, or has no kind: List at its end: write the file again"
		missing = ": it is no object: apiVersion or kind is missing"
	)
	for name, c := range map[string]struct{ text, want string }{
		"whole":             {head + item + tail, ""},
		"comments":          {head + "# one\n- apiVersion: v1\n  kind: ConfigMap\n# two\n  metadata:\n    name: one\n" + tail, ""},
		"dash on its own":   {head + "-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: one\n" + tail, ""},
		"object with items": {"apiVersion: example.com/v1\nkind: Shelf\nmetadata:\n  name: one\nitems:\n- a\n", ""},
		"conflict": {head + item + "<<<<<<< HEAD\n" + item + "=======\n" + item + ">>>>>>> branch\n" + tail,
			"cannot read FILE, line 2" + damaged},
		"conflict in an item": {head + strings.Replace(item, "    name", "<<<<<<< HEAD\n    name", 1) + tail,
			"cannot read FILE, line 2" + damaged},
		"end cut off":              {head + item, "cannot read FILE, line 2" + damaged},
		"all but the head cut off": {head, "cannot read FILE, line 2" + damaged},
		"end of the first of two":  {head + item + "---\n" + head + item + tail, "cannot read FILE, line 2" + damaged},
		"no YAML behind the items": {head + item + "nonsense\n" + tail, "cannot read FILE, line 2" + damaged},
		"without kind":             {head + item + strings.Replace(item, "  kind: ConfigMap\n", "", 1) + tail, "cannot read FILE, line 8" + missing},
		"no object":                {head + item + "- one\n" + tail, "cannot read FILE, line 8: it is a string, and no object"},
		"no YAML in an item":       {head + "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {\n" + tail, "cannot read FILE, line 5: did not find expected node content"},
		"flow, without kind":       {`{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "two"}}]}`, "cannot read FILE, line 1" + missing},
		"text":                     {"nonsense\n", "cannot read FILE, line 1: it is a string, and no object"},
		"a kind that is a map":     {"apiVersion: v1\nkind: {}\n", "cannot read FILE, line 1: kind is a map, but must be a string"},
		"flow, no object":          {`{"apiVersion": "v1", "kind": "List", "items": ["one"]}`, "cannot read FILE, line 1: it is a string, and no object"},
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
	if _, err := ReadFiles(types, path); err != nil {
		return strings.ReplaceAll(err.Error(), path, name)
	}
	return ""
}
