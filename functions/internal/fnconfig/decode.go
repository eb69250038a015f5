// SPDX-License-Identifier: Apache-2.0

package fnconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// decoder decodes a config and collects all errors in it.
type decoder struct {
	config *yaml.RNode
	errs   []error
}

func (d *decoder) errorf(path, format string, args ...any) {
	d.errs = append(d.errs, krm.Errorf(d.config, path, format, args...))
}

// decode sets v to what n holds. Null leaves v as it is; so does a v of type any, which stands for a field that the
// function has no use for.
func (d *decoder) decode(n *yaml.Node, v reflect.Value, path string, depth int) {
	n = node.Resolve(n)
	if depth > bounds.ConfigDepth { // an alias within its own anchor would never end
		d.errorf(path, "is nested too deep, or an alias within its own anchor: write the values out")
		return
	}
	if node.IsNull(n) || v.Kind() == reflect.Interface {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if entries(n) > bounds.ConfigEntries && !isOpen(v) {
		d.errorf(path, "has %d entries: use %d at most", entries(n), bounds.ConfigEntries)
		return
	}
	d.decodeValue(n, v, path, depth)
}

// decodeValue is decode of a value that is there.
func (d *decoder) decodeValue(n *yaml.Node, v reflect.Value, path string, depth int) {
	switch {
	case hasNotation(v):
		if err := unmarshal(n, v.Addr().Interface()); err != nil {
			d.errorf(path, "%s", misread(n, err))
		}
	case !fits(n, v.Kind()):
		d.errorf(path, "is %s, but must be %s%s", node.Describe(n), typeName(v.Kind()), quoteHint(n, v.Kind()))
	case v.Kind() == reflect.Struct:
		d.decodeStruct(n, v, path, depth)
	case v.Kind() == reflect.Map:
		d.decodeMap(n, v, path, depth)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
		for i, item := range n.Content {
			d.decodeItem(item, v.Index(i), node.Index(path, i), depth)
		}
	case v.Kind() == reflect.Bool:
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case v.CanInt():
		d.decodeInt(n, v, path)
	default:
		v.SetString(n.Value)
	}
}

// entries returns how many entries a list or map has; 0 for what is neither.
func entries(n *yaml.Node) int {
	switch n.Kind {
	case yaml.MappingNode:
		return len(n.Content) / 2
	case yaml.SequenceNode:
		return len(n.Content)
	}
	return 0
}

// isOpen reports whether v is a list whose elements are not decoded: objects of a cluster.
func isOpen(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Interface
}

// decodeInt decodes a whole number, in any of YAML's notations.
func (d *decoder) decodeInt(n *yaml.Node, v reflect.Value, path string) {
	var value int64
	if err := n.Decode(&value); err != nil || v.OverflowInt(value) {
		d.errorf(path, "%s", outOfRange(n))
		return
	}
	v.SetInt(value)
}

func (d *decoder) decodeStruct(n *yaml.Node, v reflect.Value, path string, depth int) {
	fields := fieldsOf(v)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := node.Resolve(n.Content[i]).Value
		field, known := fields[key]
		switch {
		case seen[key]:
			d.errorf(node.Join(path, key), "stands twice: remove one of the two")
		case !known:
			d.errorf(node.Join(path, key), "is not a field of this config%s", hint(key, fields))
		default:
			d.decode(n.Content[i+1], field, node.Join(path, key), depth+1)
		}
		seen[key] = true
	}
}

func (d *decoder) decodeMap(n *yaml.Node, v reflect.Value, path string, depth int) {
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Content)/2))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := node.Resolve(n.Content[i])
		at := node.Join(path, key.Value)
		name := reflect.ValueOf(key.Value)
		if key.ShortTag() != yaml.NodeTagString {
			d.errorf(path, "has the key %q, which is %s: put it in quotes", key.Value, node.Describe(key))
			continue
		}
		if v.MapIndex(name).IsValid() {
			d.errorf(at, "stands twice: remove one of the two")
		}
		value := reflect.New(v.Type().Elem()).Elem()
		d.decodeItem(n.Content[i+1], value, at, depth)
		v.SetMapIndex(name, value)
	}
}

// decodeItem decodes an element of a list or map, where null makes no sense.
func (d *decoder) decodeItem(n *yaml.Node, v reflect.Value, path string, depth int) {
	if node.IsNull(node.Resolve(n)) && v.Kind() != reflect.Interface {
		d.errorf(path, "is null, but must be %s: give it a value or remove it", typeName(v.Kind()))
		return
	}
	d.decode(n, v, path, depth+1)
}

// hasNotation reports whether the type of v has a notation of its own in JSON.
func hasNotation(v reflect.Value) bool {
	_, ok := v.Addr().Interface().(json.Unmarshaler)
	return ok
}

// unmarshal decodes a value whose type has a notation of its own.
func unmarshal(n *yaml.Node, into any) error {
	var value any
	if err := n.Decode(&value); err != nil {
		return err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// misread says why a value could not be decoded whose type has a notation of its own.
func misread(n *yaml.Node, err error) string {
	wrong, ofType := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ofType:
		return fmt.Sprintf("cannot be read: %s", err)
	case n.ShortTag() == yaml.NodeTagInt && wrong.Type.Kind() == reflect.Int32:
		return outOfRange(n)
	case wrong.Type.Kind() == reflect.Int32: // that of Kubernetes for an amount
		return fmt.Sprintf("is %s, but must be a whole number, or a percentage such as 20%%", node.Describe(n))
	default:
		kind := wrong.Type.Kind()
		return fmt.Sprintf("is %s, but must be %s%s", node.Describe(n), typeName(kind), quoteHint(n, kind))
	}
}

func outOfRange(n *yaml.Node) string {
	return fmt.Sprintf("is %s, which is out of range: use a smaller number", n.Value)
}

// kinds are the kinds of Go values that configs are made of, by the YAML tags that they are decoded from.
var kinds = map[reflect.Kind]struct{ tag, name string }{
	reflect.Struct: {yaml.NodeTagMap, "a map"},
	reflect.Map:    {yaml.NodeTagMap, "a map"},
	reflect.Slice:  {yaml.NodeTagSeq, "a list"},
	reflect.String: {yaml.NodeTagString, "a string"},
	reflect.Bool:   {yaml.NodeTagBool, "a boolean"},
	reflect.Int32:  {yaml.NodeTagInt, "a whole number"},
}

func fits(n *yaml.Node, kind reflect.Kind) bool { return kinds[kind].tag == n.ShortTag() }

func typeName(kind reflect.Kind) string { return kinds[kind].name }

func quoteHint(n *yaml.Node, kind reflect.Kind) string {
	if kind == reflect.String && n.Kind == yaml.ScalarNode {
		return ": put it in quotes"
	}
	return ""
}

// fieldsOf returns the fields of a struct by their JSON names, those of embedded structs included.
func fieldsOf(v reflect.Value) map[string]reflect.Value {
	fields := make(map[string]reflect.Value, v.NumField())
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			maps.Copy(fields, fieldsOf(v.Field(i)))
		case name != "" && name != "-":
			fields[name] = v.Field(i)
		}
	}
	return fields
}

// hint names the known field that is nearest to key if one is near, and otherwise all known fields.
func hint(key string, fields map[string]reflect.Value) string {
	best, distance := "", len(key)/3+2
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(key), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	if best != "" {
		return ": did you mean " + best + "?"
	}
	return "; it has " + strings.Join(names, ", ")
}
