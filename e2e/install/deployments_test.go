// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// deployment returns the text of a file below sync-controller.
func deployment(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "sync-controller"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestDeployments checks that a controller of one namespace is deployed as one of all namespaces is, but for its name,
// its lease and its namespace.
func TestDeployments(t *testing.T) {
	t.Parallel()
	var got []string
	for line := range strings.Lines(deployment(t, "namespaced", "4-deployment.yaml")) {
		switch strings.TrimSpace(line) {
		case "app.kubernetes.io/instance: team-a", "- --namespace=team-a",
			"- --leader-election-id=package-variants-sync-controller-team-a":
		default:
			got = append(got, strings.ReplaceAll(line, "sync-controller-team-a", "sync-controller"))
		}
	}
	if diff := cmp.Diff(deployment(t, "config", "6-deployment.yaml"), strings.Join(got, "")); diff != "" {
		t.Errorf("the Deployment of all namespaces (-) is not that of one (+):\n%s", diff)
	}
}

// TestMemoryOfDeployments checks that each Deployment tells the controller how much memory it may have.
func TestMemoryOfDeployments(t *testing.T) {
	t.Parallel()
	for _, path := range [][]string{{"config", "6-deployment.yaml"}, {"namespaced", "4-deployment.yaml"}} {
		first, _, _ := strings.Cut(deployment(t, path...), "\n---\n")
		var d appsv1.Deployment
		if err := yaml.UnmarshalStrict([]byte(first), &d); err != nil {
			t.Fatal(err)
		}
		c := d.Spec.Template.Spec.Containers[0]
		limit := corev1.EnvVar{Name: "GOMEMLIMIT", ValueFrom: &corev1.EnvVarSource{
			ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.memory"}}}
		if diff := cmp.Diff([]corev1.EnvVar{limit}, c.Env); diff != "" || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%v: memory limit %s, environment (-want +got):\n%s", path, c.Resources.Limits.Memory(), diff)
		}
	}
}
