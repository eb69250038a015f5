// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/yaml"
)

const (
	variantCRD    = "config.porch.kpt.dev_packagevariants.yaml"
	variantSetCRD = "config.porch.kpt.dev_packagevariantsets.yaml"
)

// crdDir is where controller-gen puts our CRDs.
var crdDir = filepath.Join("..", "..", "sync-controller", "config", "crds")

// readCRD returns the CRD in a file as the API server sees it, defaults set.
func readCRD(t *testing.T, path string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var external apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &external); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&external)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	var internal apiextensions.CustomResourceDefinition
	err = apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external,
		&internal, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &internal
}

// storedSchema returns the schema of the version that a cluster stores. A CRD with a single version has it at the top.
func storedSchema(t *testing.T, crd *apiextensions.CustomResourceDefinition) (string, *apiextensions.JSONSchemaProps) {
	t.Helper()
	i := slices.IndexFunc(crd.Spec.Versions,
		func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Storage })
	if i < 0 {
		t.Fatalf("%s stores no version", crd.Name)
	}
	version := crd.Spec.Versions[i]
	if version.Schema == nil {
		return version.Name, crd.Spec.Validation.OpenAPIV3Schema
	}
	return version.Name, version.Schema.OpenAPIV3Schema
}

// server validates objects of one CRD the way the API server does on create and update.
type server struct {
	kind     schema.GroupVersionKind
	strategy rest.RESTCreateUpdateStrategy
}

func newServer(t *testing.T, path string) server {
	t.Helper()
	crd := readCRD(t, path)
	version, props := storedSchema(t, crd)
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := schemavalidation.NewSchemaValidator(props)
	if err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}
	strategy := customresource.NewStrategy(nil, true, kind, validator, nil, structural, nil, nil, nil)
	return server{kind: kind, strategy: strategy}
}

// object returns an object of the server's kind with this spec.
func (s server) object(spec any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	if spec != nil {
		u.Object["spec"] = spec
	}
	u.SetGroupVersionKind(s.kind)
	u.SetNamespace("fleet")
	u.SetName("sample")
	u.SetResourceVersion("1")
	return u
}

func (s server) create(t *testing.T, obj *unstructured.Unstructured) field.ErrorList {
	t.Helper()
	return s.strategy.Validate(t.Context(), obj)
}

func (s server) update(t *testing.T, obj, old *unstructured.Unstructured) field.ErrorList {
	t.Helper()
	return s.strategy.ValidateUpdate(t.Context(), obj, old)
}

// parse returns the YAML of a spec as the server would see it after decoding.
func parse(t *testing.T, spec string) any {
	t.Helper()
	content, err := yaml.YAMLToJSONStrict([]byte(spec))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, spec)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"Any","spec":` + string(content) + `}`)); err != nil {
		t.Fatalf("%v in:\n%s", err, spec)
	}
	return u.Object["spec"]
}

// sentences returns the errors as the server prints them. It leaves out the one without a field, which says that CEL
// rules were passed over because of the others.
func sentences(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		if err.Field != "<nil>" {
			out = append(out, err.Error())
		}
	}
	slices.Sort(out)
	return out
}
