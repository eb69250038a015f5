// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDeployments checks that a controller of one namespace is deployed as one of all namespaces is, but for its name,
// its lease and its namespace.
func TestDeployments(t *testing.T) {
	t.Parallel()
	read := func(path ...string) string {
		content, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "sync-controller"}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	var got []string
	for line := range strings.Lines(read("namespaced", "4-deployment.yaml")) {
		switch strings.TrimSpace(line) {
		case "app.kubernetes.io/instance: team-a", "- --namespace=team-a",
			"- --leader-election-id=package-variants-sync-controller-team-a":
		default:
			got = append(got, strings.ReplaceAll(line, "sync-controller-team-a", "sync-controller"))
		}
	}
	if diff := cmp.Diff(read("config", "6-deployment.yaml"), strings.Join(got, "")); diff != "" {
		t.Errorf("the Deployment of all namespaces (-) is not that of one (+):\n%s", diff)
	}
}
