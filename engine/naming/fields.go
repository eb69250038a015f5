// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Field returns the YAML name that is closest to an unknown one among the fields of an object and of all below; "" if
// none is close.
func Field(o any, unknown string) string {
	names := slices.Sorted(slices.Values(fieldNames(reflect.TypeOf(o), map[reflect.Type]bool{})))
	return Nearest(unknown, names)
}

// fieldNames returns the YAML names of the fields of a type and of all types below it.
func fieldNames(t reflect.Type, seen map[reflect.Type]bool) []string {
	if k := t.Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Map {
		return fieldNames(t.Elem(), seen)
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
		names = append(names, fieldNames(f.Type, seen)...)
	}
	return names
}

// Mistyped says that a value is of another type than its field, in the words of YAML.
func Mistyped(wrong *json.UnmarshalTypeError) string {
	value, _, _ := strings.Cut(wrong.Value, " ") // a number comes with its digits
	value = strings.NewReplacer("object", "map", "array", "list").Replace(value)
	if wrong.Field == "" {
		return fmt.Sprintf("it is a %s, and no object", value)
	}
	return fmt.Sprintf("%s is a %s, but must be %s", wrong.Field, value, inYAML(wrong.Type))
}

// inYAML names the YAML form of a type's values.
func inYAML(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return inYAML(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map"
	default:
		return "a number"
	}
}
