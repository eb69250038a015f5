// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnused checks that a plan says so if nothing follows from what -f names, and that this is no error.
func TestUnused(t *testing.T) {
	t.Parallel()
	const facts = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts, namespace: fleet}\ndata: {a: \"1\"}\n"
	for name, c := range map[string]struct{ manifest, want string }{
		"nobody uses it": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n", "No variant is affected.\n\nPlan: nothing.\n" +
			"Note: No set and no variant uses what -f names: ConfigMap (v1)\n"},
		"another kind": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n", "No variant is affected.\n\nPlan: nothing.\n" +
			"Note: No set and no variant uses what -f names: Deployment (apps/v1)\n"},
		"nothing changes": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts}\ndata: {a: \"1\"}\n",
			"No variant is affected.\n\nPlan: nothing.\n"},
		"a new Repository": {"apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: new}\n",
			"No variant is affected.\n\nPlan: nothing.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			if err := os.WriteFile(file, []byte(c.manifest), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := run(t, "-f", file, cluster, snapshotOf(t, facts))
			if err != nil || !strings.HasPrefix(got, c.want) {
				t.Errorf("%v, got:\n%s\nwant:\n%s", err, got, c.want)
			}
		})
	}
}
