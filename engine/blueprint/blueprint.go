// SPDX-License-Identifier: Apache-2.0

// Package blueprint makes a blueprint of copies of a package: of what most of them have, field by field.
package blueprint

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const kptfile = "Kptfile"

// Copy is one of several copies of a package. They are not changed.
type Copy struct {
	// Name is the name of its environment.
	Name string
	// Names are those that its directories have and the others' have not. In names and texts, as whole words, they stand
	// for the environment.
	Names []string
	// Files are its files, by path.
	Files map[string]string
}

// Environment stands for the names of the environment of a copy where values are compared.
const Environment = "‹environment›"

// Blueprint is what most copies have.
type Blueprint struct {
	// Files are its files, without the lock of a Kptfile.
	Files map[string]string
	// Nearest is the name of the copy that has most of what most have. It decides where there is no majority, and its
	// names are those of the blueprint.
	Nearest string
	// Values is how many values were compared, Alike how many all copies have.
	Values, Alike int
	// Differs are the fields in which copies differ.
	Differs []Difference
	// Secrets are the resources, files and fields that are left out because they are or may be secret.
	Secrets []Secret
}

// Place is a file, a resource in it, or a field of that.
type Place struct{ File, Resource, Field string }

// Secret is a place that is left out, and the names of the copies that have it.
type Secret struct {
	Place
	In []string
}

// Difference is a place that copies differ in, with what they have.
type Difference struct {
	Place
	// Versions are the different values, those of most copies first.
	Versions []Version
	// Majority reports whether most copies have the value of the blueprint. Else it is that of the nearest copy.
	Majority bool
}

// Version is a value, and the names of the copies that have it. It is "" where they have none.
type Version struct {
	Value string
	In    []string
}

// Of makes a blueprint of copies, of which there must be one at least.
func Of(copies []Copy) *Blueprint {
	all := make([]*parsed, len(copies))
	for i := range copies {
		all[i] = parse(&copies[i])
	}
	b := &Blueprint{Files: map[string]string{}, Secrets: withoutSecrets(all)}
	wholeFiles(all)
	byNearness(all)
	b.Nearest = all[0].Name
	v := &vote{all: all, to: b}
	for _, name := range v.names() {
		if text := v.file(name); text != "" {
			b.Files[all[0].named(name)] = text
		}
	}
	return b
}

// parsed is a copy with its files by their names without that of its environment.
type parsed struct {
	*Copy
	files map[string]*file
}

// file is a file of a copy: its documents, or only its text.
type file struct {
	text string
	docs []*document
}

// document is a document of a file. What holds no resource, or cannot be compared by fields, has no node.
type document struct {
	text, id string
	root     *yaml.Node
}

// body returns the value of a document; nil without one.
func (d *document) body() *yaml.Node {
	if d == nil || d.root == nil {
		return nil
	}
	return d.root.Content[0]
}

// named returns the name of a file in which the environment has the name that it has in the copy.
func (p *parsed) named(file string) string {
	if len(p.Names) == 0 {
		return file
	}
	return strings.ReplaceAll(file, Environment, p.Names[0])
}

// byNearness sorts copies by how many of the values that they have others have, too.
func byNearness(all []*parsed) {
	count, of := map[string]int{}, map[*parsed][]string{}
	for _, p := range all {
		of[p] = p.values()
		for _, value := range of[p] {
			count[value]++
		}
	}
	score := map[*parsed]int{}
	for _, p := range all {
		for _, value := range of[p] {
			score[p] += 2*count[value] - len(all) // a value that few have makes a copy less near
		}
	}
	slices.SortStableFunc(all, func(a, b *parsed) int { return cmp.Compare(score[b], score[a]) })
}

// values returns all values of a copy, each with its place.
func (p *parsed) values() (all []string) {
	for name, f := range p.files {
		if f.docs == nil {
			all = append(all, name+"\n"+p.abstract(f.text))
		}
		for _, d := range f.docs {
			if d.root == nil {
				all = append(all, name+"\n"+d.id+"\n"+p.abstract(d.text))
				continue
			}
			p.walk(d.body(), name+"\n"+d.id, func(at, value string) { all = append(all, at+"\n"+value) })
		}
	}
	return all
}

// walk calls found with each value below a node.
func (p *parsed) walk(n *yaml.Node, at string, found func(at, value string)) {
	switch key := listKey(n); {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		for i := 0; i+1 < len(n.Content); i += 2 {
			p.walk(n.Content[i+1], join(at, n.Content[i].Value), found)
		}
	case key != "":
		for _, entry := range n.Content {
			p.walk(entry, at+p.entryName(entry, key), found)
		}
	default:
		found(at, p.valueOf(n))
	}
}

// join returns the path of a field.
func join(at, field string) string {
	if at == "" {
		return field
	}
	return at + "." + field
}

// names returns the names of all files, sorted.
func (v *vote) names() []string {
	all := map[string]bool{}
	for _, p := range v.all {
		for name := range p.files {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// isKptfile reports whether a file is that of the package or a subpackage.
func isKptfile(name string) bool { return path.Base(name) == kptfile }
