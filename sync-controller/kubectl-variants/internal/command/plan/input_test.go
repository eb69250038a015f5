// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/plans"
)

// snapshotOf returns a directory with the tests' snapshot and an added file.
func snapshotOf(t *testing.T, added string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"cluster.yaml", "contents.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "snapshot", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "added.yaml"), []byte(added), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// planOf returns the plan of a command, and how the command ended.
func planOf(t *testing.T, args ...string) (*plans.Plan, error) {
	t.Helper()
	out, ended := run(t, append(args, "-o", "json")...)
	plan := &plans.Plan{}
	if err := json.Unmarshal([]byte(out), plan); err != nil {
		t.Fatalf("%v, %v:\n%s", ended, err, out)
	}
	return plan, ended
}

// TestAllNamespaces checks that -A plans the variants of all namespaces, and refuses -f and --namespace.
func TestAllNamespaces(t *testing.T) {
	t.Parallel()
	const there = "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: web, namespace: NAMESPACE, " +
		"uid: u1, generation: 1}\nspec:\n  upstream: {repo: none, package: web, revision: 1}\n  downstream: {repo: none, package: web}\n" +
		"status: {observedGeneration: 1}\n"
	const repository = "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: other, namespace: other}\n"
	snapshot := snapshotOf(t, strings.ReplaceAll(there, "NAMESPACE", "fleet")+strings.ReplaceAll(there, "NAMESPACE", "other")+repository)
	var got []string
	plan, _ := planOf(t, "-A", cluster, snapshot)
	for _, v := range plan.Variants {
		got = append(got, v.Namespace+"/"+v.Name)
	}
	if diff := cmp.Diff([]string{"fleet/web", "other/web"}, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	const want = "-A is of all namespaces as they are: leave out -f and --namespace, or -A"
	for _, more := range [][]string{{"-f", "testdata/fleet"}, {"--namespace", "fleet"}} {
		if _, err := run(t, append(more, "-A", cluster, snapshot)...); err == nil || err.Error() != want {
			t.Errorf("with %s: error %v, want %s", more, err, want)
		}
	}
}
