// SPDX-License-Identifier: Apache-2.0

// Package admission says why an API server would refuse an object, without asking one: by the schemas of the
// CustomResourceDefinitions, and by the rules of our kinds, which are in code, too.
package admission

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/engine/naming"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

// files are the CustomResourceDefinitions without descriptions, one in each YAML file.
//
//go:embed *.yaml
var files embed.FS

// schemas check the objects of our kinds.
var schemas = sync.OnceValues(load)

// load reads the CustomResourceDefinitions.
func load() (map[schema.GroupVersionKind]*validate.SchemaValidator, error) {
	all := map[schema.GroupVersionKind]*validate.SchemaValidator{}
	names, err := fs.Glob(files, "*.yaml")
	for _, name := range names {
		var crd struct {
			Spec struct {
				Group string
				Names struct{ Kind string }
				// Versions have the schemas.
				Versions []struct {
					Name   string
					Schema struct{ OpenAPIV3Schema *spec.Schema }
				}
			}
		}
		text, err := files.ReadFile(name)
		if err == nil {
			err = yaml.Unmarshal(text, &crd)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, version := range crd.Spec.Versions {
			typed(version.Schema.OpenAPIV3Schema)
			all[schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}] =
				validate.NewSchemaValidator(version.Schema.OpenAPIV3Schema, nil, "", strfmt.Default)
		}
	}
	return all, err
}

// typed gives what is an integer or a string its types, as an API server does.
func typed(s *spec.Schema) {
	if is, _ := s.Extensions.GetBool("x-kubernetes-int-or-string"); is {
		s.Type = []string{"integer", "string"}
	}
	for name, of := range s.Properties {
		typed(&of)
		s.Properties[name] = of
	}
	if s.Items != nil && s.Items.Schema != nil {
		typed(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		typed(s.AdditionalProperties.Schema)
	}
}

// CheckSchema returns why an object, with the values that it has in JSON, does not have the schema of its kind. Kinds
// without a CustomResourceDefinition here have any.
func CheckSchema(object map[string]any) error {
	all, err := schemas()
	if err != nil {
		return err
	}
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	of := all[schema.FromAPIVersionAndKind(apiVersion, kind)]
	if of == nil {
		return nil
	}
	problems := of.Validate(object).Errors
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = strings.TrimPrefix(strings.Replace(problem.Error(), " in body", "", 1), ".")
	}
	slices.Sort(texts) // the fields of a map are checked in any order
	return errors.New(strings.Join(slices.Compact(texts), "; "))
}

// CheckMetadata returns why the metadata of an object is none. An object of our group has a name as in DNS; what names
// other kinds may have is not known.
func CheckMetadata(object map[string]any, ours bool) error {
	of, isMap := object["metadata"].(map[string]any)
	if object["metadata"] != nil && !isMap {
		return errors.New("metadata: it is no map")
	}
	if err := checkTexts(of); err != nil {
		return err
	}
	data, err := json.Marshal(of)
	if err != nil {
		return err
	}
	var metadata metav1.ObjectMeta
	if err := json.Unmarshal(data, &metadata); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = errors.New("metadata." + naming.Mistyped(wrong))
		}
		return err
	}
	name := validation.NameIsDNSSubdomain
	if !ours {
		name = pathSegment
	}
	metadata.Namespace = cmp.Or(metadata.Namespace, metav1.NamespaceDefault)
	return validation.ValidateObjectMeta(&metadata, true, name, field.NewPath("metadata")).ToAggregate()
}

// pathSegment says why a name is none of an object of any kind: the API has it in the path of its address.
func pathSegment(name string, _ bool) (wrong []string) {
	if name == "." || name == ".." {
		return []string{"may not be '" + name + "'"}
	}
	for _, no := range []string{"/", "%"} {
		if strings.Contains(name, no) {
			wrong = append(wrong, "may not contain '"+no+"'")
		}
	}
	return wrong
}

// checkTexts returns which values of metadata YAML takes for no text.
func checkTexts(metadata map[string]any) error {
	check := func(at string, value any) error {
		if _, isText := value.(string); isText || value == nil {
			return nil
		}
		return fmt.Errorf("%s: YAML takes it for %v, which is no string: put it in quotes", at, value)
	}
	var errs []error
	for _, name := range []string{"name", "namespace"} {
		errs = append(errs, check("metadata."+name, metadata[name]))
	}
	for _, name := range []string{"labels", "annotations"} {
		values, _ := metadata[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			errs = append(errs, check("metadata."+name+"["+key+"]", values[key]))
		}
	}
	return errors.Join(errs...)
}
