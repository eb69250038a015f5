// SPDX-License-Identifier: Apache-2.0

// Package visible makes all texts of a value safe to print. Otherwise the author of a package, a status or a name could
// clear a reviewer's screen, or hide a line of what the reviewer approves.
package visible

import (
	"reflect"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
)

// Line returns a text on one line, with a single space between its words, and as visible as krm.Visible makes it.
func Line(text string) string { return krm.Visible(strings.Join(strings.Fields(text), " ")) }

// All makes every text reachable from a pointer visible, as krm.Visible does: in exported fields, lists and maps, and
// in map keys.
func All(pointer any) { all(reflect.ValueOf(pointer)) }

func all(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			all(v.Elem())
		}
	case reflect.Interface:
		if v.CanSet() && !v.IsNil() {
			v.Set(copied(v.Elem()))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(krm.Visible(v.String()))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				all(field)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all(v.Index(i))
		}
	case reflect.Map:
		allOfMap(v)
	default: // has no text
	}
}

func allOfMap(v reflect.Value) {
	for _, key := range v.MapKeys() {
		value := copied(v.MapIndex(key))
		v.SetMapIndex(key, reflect.Value{})
		v.SetMapIndex(copied(key), value)
	}
}

// copied returns a visible copy of a value, since values in a map or an interface cannot be changed in place.
func copied(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	all(out)
	return out
}
