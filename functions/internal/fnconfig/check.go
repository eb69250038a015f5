// SPDX-License-Identifier: Apache-2.0

package fnconfig

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxDepth bounds the nesting of a config; an alias within its own anchor would never end.
const maxDepth = 100

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// checker compares a config with the Go type that it is to be decoded into.
type checker struct {
	config *yaml.RNode
	errs   []error
}

func (c *checker) err() error { return errors.Join(c.errs...) }

func (c *checker) errorf(path, format string, args ...any) {
	c.errs = append(c.errs, krm.Errorf(c.config, path, format, args...))
}

func (c *checker) check(n *yaml.Node, t reflect.Type, path string, depth int) {
	n = node.Resolve(n)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if depth > maxDepth {
		c.errorf(path, "is nested too deep, or an alias within its own anchor: write the values out")
		return
	}
	if node.IsNull(n) || t.Kind() == reflect.Interface {
		return
	}
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler):
		if err := decode(n, reflect.New(t).Interface()); err != nil {
			c.errorf(path, "cannot be read: %s", err)
		}
	case !fits(n, t):
		c.errorf(path, "is %s, but must be %s%s", node.Describe(n), typeName(t), quoteHint(n, t))
	case t.Kind() == reflect.Struct:
		c.checkStruct(n, t, path, depth)
	case t.Kind() == reflect.Map:
		c.checkMap(n, t, path, depth)
	case t.Kind() == reflect.Slice:
		for i, item := range n.Content {
			c.checkItem(item, t.Elem(), node.Index(path, i), depth)
		}
	}
}

func (c *checker) checkStruct(n *yaml.Node, t reflect.Type, path string, depth int) {
	fields := fieldsOf(t)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := node.Resolve(n.Content[i]).Value
		field, known := fields[key]
		switch {
		case seen[key]:
			c.errorf(node.Join(path, key), "stands twice: remove one of the two")
		case !known:
			c.errorf(node.Join(path, key), "is not a field of this config%s", hint(key, fields))
		default:
			c.check(n.Content[i+1], field, node.Join(path, key), depth+1)
		}
		seen[key] = true
	}
}

func (c *checker) checkMap(n *yaml.Node, t reflect.Type, path string, depth int) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := node.Resolve(n.Content[i]).Value
		if seen[key] {
			c.errorf(node.Join(path, key), "stands twice: remove one of the two")
		}
		seen[key] = true
		if k := node.Resolve(n.Content[i]); k.ShortTag() != yaml.NodeTagString {
			c.errorf(path, "has the key %q, which is %s: put it in quotes", key, node.Describe(k))
		}
		c.checkItem(n.Content[i+1], t.Elem(), node.Join(path, key), depth)
	}
}

// checkItem checks an element of a list or map, where null stands for nothing that the config could mean.
func (c *checker) checkItem(n *yaml.Node, t reflect.Type, path string, depth int) {
	if node.IsNull(node.Resolve(n)) && t.Kind() != reflect.Interface {
		c.errorf(path, "is null, but must be %s: give it a value or remove it", typeName(t))
		return
	}
	c.check(n, t, path, depth+1)
}

// fits reports whether n is of the kind of YAML value that decodes into a t.
func fits(n *yaml.Node, t reflect.Type) bool {
	tags := map[reflect.Kind][]string{
		reflect.Struct: {yaml.NodeTagMap}, reflect.Map: {yaml.NodeTagMap}, reflect.Slice: {yaml.NodeTagSeq},
		reflect.String: {yaml.NodeTagString}, reflect.Bool: {yaml.NodeTagBool},
		reflect.Int: {yaml.NodeTagInt}, reflect.Int32: {yaml.NodeTagInt}, reflect.Int64: {yaml.NodeTagInt},
		reflect.Float64: {yaml.NodeTagInt, yaml.NodeTagFloat},
	}
	return slices.Contains(tags[t.Kind()], n.ShortTag())
}

func quoteHint(n *yaml.Node, t reflect.Type) string {
	if t.Kind() == reflect.String && n.Kind == yaml.ScalarNode {
		return ": put it in quotes"
	}
	return ""
}

// fieldsOf returns the JSON names and types of a struct's fields, those of embedded structs included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			embedded := fieldsOf(f.Type)
			for k, v := range embedded {
				fields[k] = v
			}
		case name == "":
			fields[f.Name] = f.Type
		default:
			fields[name] = f.Type
		}
	}
	return fields
}

// hint names the known field that is nearest to key, if one is near, and all of them else.
func hint(key string, fields map[string]reflect.Type) string {
	best, distance := "", len(key)/2+1
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
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
