// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdmission checks that a plan refuses the manifests that a real API server refuses, for the same reasons.
func TestAdmission(t *testing.T) {
	w := newWorld(t, "admission")
	paths, err := filepath.Glob(filepath.Join(root, "sync-controller", "kubectl-variants", "internal", "admission", "testdata",
		"*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no manifests: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		server := w.kubectl("create", "--dry-run=server", "-f", path)
		plan := w.kubectl("variants", "plan", "-f", path)
		_, why, refused := strings.Cut(strings.TrimSpace(string(text)), "\n# ")
		if (server.code != 0) != refused || strings.Contains(plan.errOut, "an API server refuses this ") != refused {
			t.Errorf("%s: the API server says %s\nand the plan %s", path, server.errOut, plan.errOut)
		}
		// Versions of Kubernetes differ in the value that they print beside the message of a rule.
		for reason := range strings.SplitSeq(strings.ReplaceAll(why, "Invalid value: ", "; "), "; ") {
			if !strings.Contains(server.errOut, reason) || !strings.Contains(plan.errOut, reason) {
				t.Errorf("%s is not refused for %s, but by the API server:\n%s\nand by the plan:\n%s", path, reason,
					server.errOut, plan.errOut)
			}
		}
	}
}
