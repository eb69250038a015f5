// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"cmp"
	"fmt"
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

// conforms returns an error, which names the field, if a value is none of a type.
func conforms(value *yaml.Node, t reflect.Type, field string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Slice && value.Kind == yaml.SequenceNode:
		for i, element := range value.Content {
			if err := conforms(element, t.Elem(), fmt.Sprintf("%s[%d]", field, i)); err != nil {
				return err
			}
		}
		return nil
	case t.Kind() == reflect.Struct && value.Kind == yaml.MappingNode:
		fields := fieldsOf(t)
		for i := 0; i+1 < len(value.Content); i += 2 {
			of, known := fields[value.Content[i].Value]
			if !known {
				continue
			}
			if err := conforms(value.Content[i+1], of, field+"."+value.Content[i].Value); err != nil {
				return err
			}
		}
		return nil
	}
	if value.Decode(reflect.New(t).Interface()) == nil {
		return nil
	}
	wanted := map[reflect.Kind]string{reflect.Struct: "a map", reflect.Map: "a map of texts", reflect.Slice: "a list",
		reflect.String: "a text"}
	return fmt.Errorf("%s, in line %d, is not %s", strings.TrimPrefix(field, "."), value.Line,
		cmp.Or(wanted[t.Kind()], "of the type "+t.Kind().String()))
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
