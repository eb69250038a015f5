// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// TestRoundTrip decodes manifests without any field being left over, and finds them unchanged when encoded again, but for
// the counts of a status: they are told also where they are 0.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"porch.yaml", "added.yaml", "selected.yaml", "rollout.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			var set PackageVariantSet
			if err := yaml.UnmarshalStrict(in, &set); err != nil {
				t.Fatal(err)
			}
			out, err := yaml.Marshal(set.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			want := plain(t, in)
			if status, ok := want["status"].(map[string]any); ok {
				status["desired"], status["current"], status["ready"], status["injected"] = 0.0, 0.0, 0.0, 0.0
			}
			if diff := cmp.Diff(want, plain(t, out)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func plain(t *testing.T, in []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal(in, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAddToScheme(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{PackageVariantSetKind, PackageVariantSetKind + "List"} {
		if !scheme.Recognizes(GroupVersion.WithKind(kind)) {
			t.Errorf("%s is not registered", GroupVersion.WithKind(kind))
		}
	}
}
