// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"maps"
	"reflect"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// restore adds to a value of a type, as it is written, the fields of the one that was read that the type does not know.
func restore(written, read *yaml.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Slice && written.Kind == yaml.SequenceNode && read.Kind == yaml.SequenceNode:
		for i := range min(len(written.Content), len(read.Content)) {
			restore(written.Content[i], read.Content[i], t.Elem())
		}
	case t.Kind() == reflect.Struct && written.Kind == yaml.MappingNode && read.Kind == yaml.MappingNode:
		fields := fieldsOf(t)
		for i := 0; i+1 < len(read.Content); i += 2 {
			key, value := read.Content[i], read.Content[i+1]
			if field, known := fields[key.Value]; !known {
				written.Content, written.Style = append(written.Content, key, value), 0
			} else if of := yaml.NewRNode(written).Field(key.Value); of != nil {
				restore(of.Value.YNode(), value, field)
			}
		}
	}
}

// fieldsOf returns the fields of a type by the names that they have in YAML.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if options == "inline" {
			maps.Copy(fields, fieldsOf(t.Field(i).Type))
		} else {
			fields[name] = t.Field(i).Type
		}
	}
	return fields
}
