// SPDX-License-Identifier: Apache-2.0

package blueprint

import (
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// count makes a blueprint of copies, the nearest first.
func count(all []*parsed) *Blueprint {
	v := &vote{all, &Blueprint{Files: map[string]string{}, Nearest: all[0].Name}}
	names := map[string]bool{}
	for _, p := range all {
		for name := range p.files {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if text, has := v.file(name); has {
			v.to.Files[all[0].named(name)] = text
		}
	}
	return v.to
}

// vote finds out what most copies have.
type vote struct {
	// all are the copies, the nearest first.
	all []*parsed
	to  *Blueprint
}

// ballot is what a copy has in a place: a value, or a text that is not read, which may be empty; neither where it has
// nothing.
type ballot struct {
	of      *parsed
	node    *yaml.Node
	schema  merging.Schema
	hasText bool
	text    string
	// isFile says that the text is a file which is no file of resources.
	isFile bool
}

// The forms of what is compared by its parts, maps, and lists whose entries have a key, which follows; and of texts.
const (
	mapForm  = "map"
	listForm = "list by "
	textForm = "text "
)

// form returns what is compared: the form of a map or a list, or else the value; "" for nothing.
func (b *ballot) form() string {
	key := listKey(b.node, b.schema)
	switch {
	case b.node == nil && b.hasText:
		return textForm + b.of.abstract(b.text)
	case b.node == nil:
		return ""
	case b.node.Kind == yaml.MappingNode && len(b.node.Content) > 0:
		return mapForm
	case key != "":
		return listForm + key
	}
	return "=" + b.of.valueOf(b.node)
}

// isOneOfMany reports whether the ballot is for a value of several lines or entries which the merge takes as one.
func (b *ballot) isOneOfMany() bool {
	switch {
	case b.node == nil:
		return b.isFile
	case b.node.Kind == yaml.SequenceNode:
		_, byElement := b.schema.Keys(b.node)
		return !byElement
	}
	return b.node.Kind == yaml.ScalarNode && strings.Contains(strings.TrimSpace(b.node.Value), "\n")
}

// show returns what the ballot is for in a place, as people see it; "" for nothing.
func (b *ballot) show(at Place) string {
	switch {
	case b.node != nil && at.Field == "":
		return "there"
	case b.node != nil:
		return b.of.valueOf(b.node)
	case b.text != "":
		return "a text of its own"
	case b.hasText:
		return "empty"
	}
	return ""
}

// most returns the ballots for what more than half of them are for, or else for what the first is for, which is the
// nearest copy's. It notes where they differ.
func (v *vote) most(at Place, ballots []ballot) []ballot {
	of := map[string][]ballot{}
	var forms []string
	for _, b := range ballots {
		form := b.form()
		if of[form] == nil {
			forms = append(forms, form)
		}
		of[form] = append(of[form], b)
	}
	first := forms[0]
	slices.SortStableFunc(forms, func(a, b string) int { return len(of[b]) - len(of[a]) })
	d := Difference{Place: at, Majority: 2*len(of[forms[0]]) > len(ballots)}
	if d.Majority {
		first = forms[0]
	}
	d.From = of[first][0].of.Name
	inParts := first == mapForm || strings.HasPrefix(first, listForm)
	if !inParts {
		v.to.Values++
	}
	if len(forms) == 1 {
		if !inParts {
			v.to.Alike++
			if strings.Contains(first, Environment) {
				v.to.Named++
				if ballots[0].isOneOfMany() {
					v.to.Whole = append(v.to.Whole, at)
				}
			}
		}
		return ballots
	}
	for _, form := range forms {
		version := Version{Value: of[form][0].show(at)}
		for _, b := range of[form] {
			version.In = append(version.In, b.of.Name)
		}
		slices.Sort(version.In)
		d.Versions = append(d.Versions, version)
	}
	v.to.Differs = append(v.to.Differs, d)
	return of[first]
}

// text returns what most have of a text that is not read, and whether they have one.
func (v *vote) text(at Place, ballots []ballot) (text string, has bool) {
	for i := range ballots {
		ballots[i].node = nil
	}
	won := v.most(at, ballots)[0]
	return won.of.as(v.all[0].Copy, won.text), won.hasText
}

// file returns what most have of a file, and whether they have one.
func (v *vote) file(name string) (text string, has bool) {
	var ballots []ballot
	whole := false
	for _, p := range v.all {
		b := ballot{of: p}
		if f := p.files[name]; f != nil {
			b.text, b.hasText, whole = f.text, true, whole || f.docs == nil
		}
		ballots = append(ballots, b)
	}
	if whole {
		for i := range ballots {
			ballots[i].isFile = true
		}
		return v.text(Place{File: name}, ballots)
	}
	var out strings.Builder
	for _, id := range v.ids(name) {
		text, hasDocument := v.document(name, id)
		if has = has || hasDocument; text != "" {
			if line, _, _ := strings.Cut(text, "\n"); out.Len() > 0 && !yamledit.IsSeparator(line) {
				out.WriteString("---\n")
			}
			out.WriteString(strings.TrimSuffix(text, "\n") + "\n")
		}
	}
	return out.String(), has
}

// ids returns the documents of a file, in the order of the nearest copy that has them.
func (v *vote) ids(name string) (ids []string) {
	for _, p := range v.all {
		f := p.files[name]
		for i := 0; f != nil && i < len(f.docs); i++ {
			if id := f.docs[i].id; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// document returns what most have of a document, and whether they have one.
func (v *vote) document(name, id string) (text string, has bool) {
	var all []ballot
	whole := false
	for _, p := range v.all {
		b := ballot{of: p}
		if d := p.document(name, id); d != nil {
			b.node, b.text, b.hasText, b.schema = d.body(), d.text, true, merging.SchemaOf(name, d.body())
			whole = whole || b.node == nil
		}
		all = append(all, b)
	}
	at := Place{File: name, Resource: id}
	if whole {
		return v.text(at, all)
	}
	wanted := v.node(at, all)
	if wanted == nil {
		return "", false
	}
	first := all[slices.IndexFunc(all, func(b ballot) bool { return b.node != nil })]
	text = first.of.as(v.all[0].Copy, first.text)
	edited, err := yamledit.Edit(text, func(n *yaml.Node) error {
		n.Content[0] = wanted
		return nil
	})
	if err != nil { // it cannot be written in another way, and may have what is left out
		return "", false
	}
	return edited, true
}

// document returns a document of a file; nil if there is none.
func (p *parsed) document(name, id string) *document {
	if f := p.files[name]; f != nil {
		if i := slices.IndexFunc(f.docs, func(d *document) bool { return d.id == id }); i >= 0 {
			return f.docs[i]
		}
	}
	return nil
}

// node returns what most copies have in a place; nil if that is nothing. The ballots are of those that have what it is
// in.
func (v *vote) node(at Place, ballots []ballot) *yaml.Node {
	won := v.most(at, ballots)
	form := won[0].form()
	if form == mapForm {
		return v.mapping(at, won)
	}
	if key, isList := strings.CutPrefix(form, listForm); isList {
		return v.list(at, key, won)
	}
	n := yaml.CopyYNode(won[0].node)
	if n != nil {
		won[0].of.renameAll(v.all[0].Copy, n)
	}
	return n
}

// renameAll has the strings below a node have the names of another copy's environment.
func (p *parsed) renameAll(to *Copy, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == yaml.NodeTagString {
		n.Value = p.as(to, n.Value)
	}
	for _, child := range n.Content {
		p.renameAll(to, child)
	}
}

// mapping returns what most have of a map.
func (v *vote) mapping(at Place, all []ballot) *yaml.Node {
	out := *all[0].node
	out.Content = nil
	done := map[string]bool{}
	for _, from := range all {
		for i := 0; i+1 < len(from.node.Content); i += 2 {
			key := from.node.Content[i]
			if done[key.Value] {
				continue
			}
			done[key.Value] = true
			inner := at
			inner.Field = join(at.Field, key.Value)
			value := v.node(inner, below(all, func(b ballot) (*yaml.Node, merging.Schema) {
				return field(b.node, key.Value), b.schema.Field(b.node, key.Value)
			}))
			if value != nil {
				out.Content = append(out.Content, yaml.CopyYNode(key), value)
			}
		}
	}
	return &out
}

// list returns what most have of a list whose entries have a key.
func (v *vote) list(at Place, key string, lists []ballot) *yaml.Node {
	out := *lists[0].node
	out.Content = nil
	done := map[string]bool{}
	for _, from := range lists {
		for _, entry := range from.node.Content {
			name := from.of.entryName(entry, key)
			if done[name] {
				continue
			}
			done[name] = true
			inner := at
			inner.Field += name
			value := v.node(inner, below(lists, func(b ballot) (*yaml.Node, merging.Schema) {
				i := slices.IndexFunc(b.node.Content, func(e *yaml.Node) bool { return b.of.entryName(e, key) == name })
				if i < 0 {
					return nil, merging.Schema{}
				}
				return b.node.Content[i], b.schema.Elements()
			}))
			if value != nil {
				out.Content = append(out.Content, value)
			}
		}
	}
	return &out
}

// below returns the ballots on a part of what copies have.
func below(ballots []ballot, part func(ballot) (*yaml.Node, merging.Schema)) []ballot {
	out := make([]ballot, len(ballots))
	for i, b := range ballots {
		out[i].of = b.of
		out[i].node, out[i].schema = part(b)
	}
	return out
}
