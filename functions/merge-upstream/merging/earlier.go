// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	kyamlschema "sigs.k8s.io/kustomize/kyaml/yaml/schema"
)

// Refresh returns the conflicts of earlier merges into a package with the values that the updated upstream has in their
// places. A conflict about a part of a map, or about the order of a list, stays as it is until the upstream changes
// that map or list. So does a conflict whose place no version has any more. If the package has its own value, its side
// is taken: the merge was not saved, or people have written the value again. The versions are the same as for Merge.
func Refresh(conflicts []Conflict, original, updated, local map[string]string) []Conflict {
	out := slices.Clone(conflicts)
	if len(out) == 0 {
		return nil
	}
	v := versions{original: read(original), updated: read(updated), local: read(local)}
	v.settleWholeFiles()
	v.movePackages()
	tuples := v.match()
	for i := range out {
		if c := &out[i]; c.Resource == "" {
			v.refreshFile(c)
		} else if t := ofConflict(tuples, c); t != nil {
			t.refresh(c)
		}
	}
	return out
}

// ofConflict returns the resource that a conflict is about; nil if that is not certain.
func ofConflict(tuples []*tuple, c *Conflict) *tuple {
	var called []*tuple
	for _, t := range tuples {
		inFile, named := false, false
		for _, d := range []*document{t.local, t.updated, t.original} {
			if d != nil && describe(d) == c.Resource {
				named, inFile = true, inFile || d.file == c.File || d.before == c.File
			}
		}
		switch {
		case inFile:
			return t
		case named:
			called = append(called, t)
		}
	}
	if len(called) != 1 {
		return nil
	}
	return called[0]
}

// isHidden reports whether the values of a conflict are not shown.
func (c *Conflict) isHidden() bool {
	return slices.Contains([]string{c.Original, c.Local, c.Updated}, notShown)
}

// refreshFile sets the upstream's value of a conflict about a file.
func (v versions) refreshFile(c *Conflict) {
	original, updated, local := textOf(v.original[c.File]), textOf(v.updated[c.File]), textOf(v.local[c.File])
	if isDirectory := c.Local == aFile || c.Local == aDirectory; isDirectory && sameFile(original, updated) {
		return
	}
	hidden := c.isHidden() || updated != nil && hasSecretText(*updated)
	c.set(describeText(updated, hidden), describeText(local, hidden))
}

// set sets the upstream's value of a conflict, and the side that is taken if the package has its own value.
func (c *Conflict) set(updated, local string) {
	c.Updated = cmp.Or(updated, Removed)
	if Known(c.Local) && cmp.Or(local, Removed) == cmp.Or(c.Local, Removed) {
		c.Taken = SideLocal
	}
}

// refresh sets the upstream's value of a conflict about a resource, or about one of its fields.
func (t *tuple) refresh(c *Conflict) {
	if c.Field == "" {
		hidden := c.isHidden() || t.holdSecret()
		c.set(showAll(t.updated, hidden), showAll(t.local, hidden))
		return
	}
	bodies := sources{bodyOf(t.original), bodyOf(t.local), bodyOf(t.updated)}
	w := &walker{rules: rules{kptfile: t.any().isKptfile(), secret: bodies.areSecret()}}
	var schema *openapi.ResourceSchema
	if w.rules.kptfile {
		schema = kptfileSchema()
	}
	s, found := w.find(bodies, "", c.Field, schema)
	stays := s.updated != nil && s.updated.Kind != yaml.ScalarNode && equal(s.original, s.updated) &&
		c.Updated != c.Local && c.Updated != c.Original
	if found && !stays {
		hidden := c.isHidden() || w.inSecret > 0 || s.hasSecret() || w.rules.hidesField(c.Field)
		c.set(show(s.updated, hidden), show(s.local, hidden))
	}
}

// find returns the values at place, starting from the values at another place; false if no version has any.
func (w *walker) find(s sources, at, place string, schema *openapi.ResourceSchema) (sources, bool) {
	rest, below := strings.CutPrefix(place, at)
	switch {
	case !below:
		return s, false
	case rest == "":
		return s, true
	case rest[0] == '[':
		return w.findElement(s.of(yaml.SequenceNode), at, place, schema)
	case at != "" && rest[0] != '.':
		return s, false
	}
	s = s.of(yaml.MappingNode)
	schema = schemaOf(schema, s)
	if at != "" && s.areSecret() {
		w.inSecret++
	}
	for _, key := range keysOf(s.local, s.original, s.updated) {
		if found, ok := w.find(s.field(key), node.Join(at, key), place, sub(schema, key)); ok {
			return found, true
		}
	}
	return s, false
}

// findElement is find for a list: the place is in one of its elements.
func (w *walker) findElement(s sources, at, place string, schema *openapi.ResourceSchema) (sources, bool) {
	schema = schemaOf(schema, s)
	if !kyamlschema.IsAssociative(schema, nil, false) {
		return s, false
	}
	rows, _ := w.rows(s, at, schema)
	named, _ := rowsOf(s, []string{"name"}) // a port whose number a side changed
	for _, r := range slices.Concat(rows, named) {
		if found, is := w.find(r.sources, at+"["+r.label+"]", place, schema.Elements()); is {
			return found, true
		}
	}
	return s, false
}

// of returns only the values of a kind.
func (s sources) of(kind yaml.Kind) sources {
	only := func(n *yaml.Node) *yaml.Node {
		if n = node.Resolve(n); n != nil && n.Kind == kind {
			return n
		}
		return nil
	}
	return sources{only(s.original), only(s.local), only(s.updated)}
}
