// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck checks why manifests in testdata are refused. The comment in the last line of each says why; manifests
// without one are accepted. TestAdmission in e2e/plugin checks that an API server says the same.
func TestCheck(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no manifests: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := Check(t.Context(), text); err != nil {
				got = err.Error()
			}
			_, want, _ := strings.Cut(string(text), "\n# ")
			if want = strings.TrimSpace(want); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestOtherKinds checks that manifests of other kinds are accepted.
func TestOtherKinds(t *testing.T) {
	t.Parallel()
	for _, manifest := range []string{"", "{apiVersion: v1, kind: ConfigMap}", "{apiVersion: 1, kind: 2}"} {
		if err := Check(t.Context(), []byte(manifest)); err != nil {
			t.Errorf("%s: %v", manifest, err)
		}
	}
}

// TestMetadata checks that metadata which cannot be read is refused: kubectl does not even send it.
func TestMetadata(t *testing.T) {
	t.Parallel()
	err := Check(t.Context(), []byte("apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n"+
		"metadata: {name: web, labels: {tier: 1}}\n"))
	if want := "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"; err == nil ||
		err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
