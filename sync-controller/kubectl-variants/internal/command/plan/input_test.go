// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/dryrun"
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

// TestDoubts checks the notes about a snapshot that a plan cannot rely on.
func TestDoubts(t *testing.T) {
	t.Parallel()
	const variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: NAME}\nspec:\n" +
		"  upstream: {repo: REPO, package: web, revision: 1}\n  downstream: {repo: edge-1, package: NAME}\n"
	stale := strings.NewReplacer("{name: NAME}", "{name: old, namespace: fleet, uid: u1, generation: 3}", "NAME", "old", "REPO",
		"blueprints").Replace(variant) + "status: {observedGeneration: 2}\n"
	const ofStale = "The snapshot has the statuses of old from before the controller looked at their newest specs, so the plan " +
		"has what it does about those, too: write a new snapshot to leave that out"
	for name, c := range map[string]struct {
		repo, added string
		want        []string
	}{
		"none":  {"blueprints", strings.Replace(stale, "observedGeneration: 2", "observedGeneration: 3", 1), nil},
		"older": {"blueprints", stale, []string{ofStale}},
		"another cluster": {"elsewhere", "", []string{"The snapshot has none of the Repositories that -f names (elsewhere): it may be " +
			"of another cluster"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "variant.yaml")
			text := strings.NewReplacer("NAME", "new", "REPO", c.repo).Replace(variant)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			plan, _ := planOf(t, "-f", file, "--from", snapshotOf(t, c.added))
			if diff := cmp.Diff(append(c.want, dryrun.FromSnapshot), plan.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
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
	plan, _ := planOf(t, "-A", "--from", snapshot)
	for _, v := range plan.Variants {
		got = append(got, v.Namespace+"/"+v.Name)
	}
	if diff := cmp.Diff([]string{"fleet/web", "other/web"}, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	const want = "-A is of all namespaces as they are: leave out -f and --namespace, or -A"
	for _, more := range [][]string{{"-f", "testdata/fleet"}, {"--namespace", "fleet"}} {
		if _, err := run(t, append(more, "-A", "--from", snapshot)...); err == nil || err.Error() != want {
			t.Errorf("with %s: error %v, want %s", more, err, want)
		}
	}
}
