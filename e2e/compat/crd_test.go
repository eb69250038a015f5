// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// porchCRDs returns the directory of Porch's own CRDs in the module cache.
func porchCRDs(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/nephio-project/porch")
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot find the Porch module: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "controllers", "config", "crd", "bases")
}

// TestServerAcceptsCRDs runs the API server's own check of a new CRD, which includes that the schema is structural,
// that each CEL rule compiles, and that the rules together stay within the cost limits.
func TestServerAcceptsCRDs(t *testing.T) {
	t.Parallel()
	for _, file := range []string{variantCRD, variantSetCRD} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			crd := readCRD(t, filepath.Join(crdDir, file))
			version, _ := storedSchema(t, crd)
			crd.Status.StoredVersions = []string{version}
			for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), crd) {
				t.Error(err)
			}
		})
	}
}

// TestNames fixes what users type. The short names must differ from those of built-in kinds: pv, for example, is the
// PersistentVolume's.
func TestNames(t *testing.T) {
	t.Parallel()
	cases := map[string]apiextensions.CustomResourceDefinitionNames{
		variantCRD: {
			Plural: "packagevariants", Singular: "packagevariant", ShortNames: []string{"pkgvar", "pkgvars"},
			Kind: "PackageVariant", ListKind: "PackageVariantList", Categories: []string{"porch"},
		},
		variantSetCRD: {
			Plural: "packagevariantsets", Singular: "packagevariantset", ShortNames: []string{"pvs", "pkgvarset"},
			Kind: "PackageVariantSet", ListKind: "PackageVariantSetList", Categories: []string{"porch"},
		},
	}
	for file, want := range cases {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			crd := readCRD(t, filepath.Join(crdDir, file))
			if diff := cmp.Diff(want, crd.Spec.Names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if crd.Spec.Scope != apiextensions.NamespaceScoped {
				t.Errorf("scope is %s", crd.Spec.Scope)
			}
			if crd.Spec.Subresources == nil || crd.Spec.Subresources.Status == nil {
				t.Error("status is no subresource")
			}
		})
	}
}

// TestCRDsHavePorchsFields finds each field of the stored versions of Porch's CRDs in ours, with the same type.
func TestCRDsHavePorchsFields(t *testing.T) {
	t.Parallel()
	// Porch's integer has become an integer or a string.
	changed := map[string]string{".spec.upstream.revision": "int-or-string"}
	dir := porchCRDs(t)
	for _, file := range []string{variantCRD, variantSetCRD} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			porchVersion, porchProps := storedSchema(t, readCRD(t, filepath.Join(dir, file)))
			version, props := storedSchema(t, readCRD(t, filepath.Join(crdDir, file)))
			if version != porchVersion {
				t.Fatalf("version is %s, Porch's is %s", version, porchVersion)
			}
			want, got := map[string]string{}, map[string]string{}
			flatten(porchProps, "", want)
			flatten(props, "", got)
			if len(want) < 20 {
				t.Fatalf("found only %d fields in Porch's CRD", len(want))
			}
			for path, porchType := range want {
				if t2, ok := changed[path]; ok {
					porchType = t2
				}
				if got[path] != porchType {
					t.Errorf("%s is of type %q, want %q", path, got[path], porchType)
				}
			}
		})
	}
}

// flatten puts the type of each field at and below props into out, by its path.
func flatten(props *apiextensions.JSONSchemaProps, path string, out map[string]string) {
	out[path] = props.Type
	if props.XIntOrString {
		out[path] = "int-or-string"
	}
	for name, child := range props.Properties {
		flatten(&child, path+"."+name, out)
	}
	if props.Items != nil && props.Items.Schema != nil {
		flatten(props.Items.Schema, path+"[]", out)
	}
	if props.AdditionalProperties != nil && props.AdditionalProperties.Schema != nil {
		flatten(props.AdditionalProperties.Schema, path+"{}", out)
	}
}
