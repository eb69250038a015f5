// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/words"
)

// unknownField begins the decoder's error for an unknown field.
const unknownField = "json: unknown field "

// fieldOf returns the line of an unknown field, and a reason that suggests the field that may be meant.
func fieldOf(o any, kind, field string, text []byte, begin int) (int, string) {
	reason := fmt.Sprintf("a %s has no field %q", kind, field)
	names := slices.Sorted(slices.Values(fieldNames(reflect.TypeOf(o), map[reflect.Type]bool{})))
	if meant := words.Nearest(field, names, len(field)/3+1); meant != "" {
		reason += fmt.Sprintf(": did you mean %q?", meant)
	}
	before, _, found := bytes.Cut(text, []byte(field+":"))
	if !found {
		return begin, reason
	}
	return begin + bytes.Count(before, []byte("\n")), reason
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
