// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"reflect"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/bounds"
)

// Values returns how many values a template gives to a variant at most: pairs of maps, entries of lists with what is in
// them, and other fields. The memory of a variant depends on their number, whatever the length of their text.
func Values(t *v1alpha2.PackageVariantTemplate) int { return valuesOf(reflect.ValueOf(t)) }

func valuesOf(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			n = valuesOf(v.Elem())
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			n += valuesOf(field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += max(1, valuesOf(v.Index(i)))
		}
	case reflect.Map:
		n = v.Len()
	default:
		if !v.IsZero() {
			n = 1
		}
	}
	return n
}

// tooManyValues returns an error if templates give the variants of a set more values than a set may have.
func tooManyValues(path string, variants, values int) error {
	if values <= bounds.SetValues {
		return nil
	}
	return fieldErrorf(path, "give %d variants %d values in all by their templates, and a set may have %d: make the "+
		"templates smaller, select fewer, or split the set", variants, values, bounds.SetValues)
}
