// SPDX-License-Identifier: Apache-2.0

// Package admission says whether an API server would accept a manifest, without asking one: it applies the schemas and
// rules of the CustomResourceDefinitions with the API server's own code.
package admission

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/sync-controller/config/crds"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// kind checks the objects of one version of a kind.
type kind struct {
	structural *schema.Structural
	schema     schemavalidation.SchemaValidator
	rules      *cel.Validator
}

// kinds are the kinds of the CustomResourceDefinitions, by version. Their rules are compiled on first use.
var kinds = sync.OnceValues(load)

// Check returns why an API server would refuse to create the object of a YAML manifest. The error names the fields: of
// its metadata, of the schema of its kind, and of the rules in it. Check knows the kinds of this project and accepts
// all others. An object without a namespace is checked as if it had one.
func Check(ctx context.Context, manifest []byte) error {
	data, err := yaml.YAMLToJSON(manifest)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil { // it keeps integers as integers, which the schema requires
		return err
	}
	return CheckObject(ctx, object)
}

// CheckObject does what Check does, with the values that a manifest has in JSON.
func CheckObject(ctx context.Context, object map[string]any) error {
	all, err := kinds()
	if err != nil {
		return err
	}
	apiVersion, _ := object["apiVersion"].(string)
	name, _ := object["kind"].(string)
	compiled, known := all[runtimeschema.FromAPIVersionAndKind(apiVersion, name)]
	if !known {
		return nil
	}
	k, err := compiled()
	if err != nil {
		return err
	}
	return k.check(ctx, object)
}

func (k *kind) check(ctx context.Context, object map[string]any) error {
	problems, err := checkMetadata(object)
	if err != nil {
		return err
	}
	ofSchema := schemavalidation.ValidateCustomResource(nil, object, k.schema)
	ofSchema = append(ofSchema, listtype.ValidateListSetsAndMaps(nil, k.structural, object)...)
	problems = append(problems, ofSchema...)
	if len(ofSchema) == 0 { // the rules need an object that fits the schema
		broken, _ := k.rules.Validate(ctx, nil, k.structural, object, nil, celconfig.RuntimeCELCostBudget)
		problems = append(problems, broken...)
	}
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = problem.Error()
	}
	slices.Sort(texts) // the fields of a map are checked in any order
	return errors.New(strings.Join(texts, "; "))
}

// checkMetadata checks the metadata, which is the same in all kinds. It returns an error for metadata that cannot be
// read.
func checkMetadata(object map[string]any) (field.ErrorList, error) {
	metadata, _, err := objectmeta.GetObjectMeta(object, false)
	if err != nil {
		return nil, err
	}
	if metadata == nil {
		metadata = &metav1.ObjectMeta{}
	}
	if metadata.Namespace == "" {
		metadata.Namespace = metav1.NamespaceDefault
	}
	return validation.ValidateObjectMeta(metadata, true, validation.NameIsDNSSubdomain, field.NewPath("metadata")), nil
}

// load reads the CustomResourceDefinitions.
func load() (map[runtimeschema.GroupVersionKind]func() (*kind, error), error) {
	all := map[runtimeschema.GroupVersionKind]func() (*kind, error){}
	paths, err := fs.Glob(crds.Files, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := crds.Files.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(data, &crd); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, version := range crd.Spec.Versions {
			gvk := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
			all[gvk] = sync.OnceValues(func() (*kind, error) { return compile(version.Schema.OpenAPIV3Schema) })
		}
	}
	return all, nil
}

// compile makes a schema ready to check objects.
func compile(from *apiextensionsv1.JSONSchemaProps) (*kind, error) {
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(from, &props, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return nil, err
	}
	validator, _, err := schemavalidation.NewSchemaValidator(&props)
	if err != nil {
		return nil, err
	}
	return &kind{structural: structural, schema: validator,
		rules: cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}
