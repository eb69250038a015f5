// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// TestRoundTrip decodes manifests without any field being left over, and finds them unchanged when encoded again.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"porch.yaml", "added.yaml", "config.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			var pv PackageVariant
			if err := yaml.UnmarshalStrict(in, &pv); err != nil {
				t.Fatal(err)
			}
			out, err := yaml.Marshal(pv.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain(t, in), plain(t, out)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func plain(t *testing.T, in []byte) any {
	t.Helper()
	var out any
	if err := yaml.Unmarshal(in, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestUnknownField(t *testing.T) {
	t.Parallel()
	var pv PackageVariant
	err := yaml.UnmarshalStrict([]byte("spec: {packageContext: {removeKey: [a]}}"), &pv)
	if err == nil {
		t.Error("a misspelt field was decoded without an error")
	}
}

func TestAddToScheme(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{variant.Kind, variant.Kind + "List"} {
		if !scheme.Recognizes(GroupVersion.WithKind(kind)) {
			t.Errorf("%s is not registered", GroupVersion.WithKind(kind))
		}
	}
}
