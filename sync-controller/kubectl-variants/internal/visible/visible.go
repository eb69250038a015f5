// SPDX-License-Identifier: Apache-2.0

// Package visible makes all texts of a value fit to be shown, before a command prints them: whoever may write a
// package, a status or a name could else clear a reviewer's screen, or hide a line of what is going to be approved.
package visible

import (
	"reflect"

	"github.com/package-variants/package-variants/functions/krm"
)

// All makes every text that a pointer leads to visible, as krm.Visible does, in fields, lists and maps: what is
// exported of a struct, and the keys of a map, too.
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

// copied returns a value as it may be shown, for what stands in a map, or in an interface, cannot be changed.
func copied(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	all(out)
	return out
}
