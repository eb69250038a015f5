// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
)

const (
	one = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n  namespace: fleet\ndata:\n  a: |\n    - x\n\n    - y\n"
	two = "apiVersion: v1\nkind: Secret\nmetadata: {name: two, namespace: fleet}\n"
)

// TestReadFiles checks which objects are found in files, by kind and name, and at which lines.
func TestReadFiles(t *testing.T) {
	t.Parallel()
	const indented = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: one\n    namespace: fleet\n  data:\n    a: |\n      - x\n\n" +
		"      - y\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: two, namespace: fleet}\n"
	both := []string{"ConfigMap one", "Secret two"}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one":                      {one, []string{"ConfigMap one"}},
		"many documents":           {"# a comment\n---\n" + one + "---\n\n---\n" + two, both},
		"a list as kubectl writes": {"apiVersion: v1\nitems:\n" + indented + "kind: List\nmetadata:\n  resourceVersion: \"\"\n", both},
		"a list, its kind first":   {"apiVersion: v1\nkind: List\nitems:\n" + indented, both},
		"a list in flow style":     {`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "two"}}]}`, []string{"Secret two"}},
		"an empty list":            {"apiVersion: v1\nitems: []\nkind: List\n", nil},
		"two lists":                {"apiVersion: v1\nkind: List\nitems:\n" + indented + "---\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: three}\nkind: List\n", append(both, "Secret three")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "objects.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			files, err := ReadFiles(types, file)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range files.Objects {
				got = append(got, o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetName())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}
