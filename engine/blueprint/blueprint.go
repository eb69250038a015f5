// SPDX-License-Identifier: Apache-2.0

// Package blueprint makes a blueprint of copies of a package: of what most of them have, field by field.
package blueprint

import (
	"cmp"
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
	// Values is how many values were compared, Alike how many all copies have, and Named how many of these have the name
	// of the environment in them.
	Values, Alike, Named int
	// Whole are the places of those of Named that are a file, a text of several lines or a list which merges as one value.
	// A change of the blueprint there is a conflict in each other copy.
	Whole []Place
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
	// Majority reports whether most copies have the value of the blueprint. Else it is that of the nearest copy, From.
	Majority bool
	From     string
}

// Version is a value, and the names of the copies that have it. It is "" where they have none.
type Version struct {
	Value string
	In    []string
}

// Of makes a blueprint of copies, of which there must be one at least. The nearest of several is the first.
func Of(copies []Copy) *Blueprint {
	all := make([]*parsed, len(copies))
	for i := range copies {
		all[i] = parse(&copies[i])
	}
	secrets := withoutSecrets(all)
	wholeFiles(all)
	score := map[string]int{}
	for _, d := range count(all).Differs {
		for i := 0; d.Majority && i < len(d.Versions[0].In); i++ {
			score[d.Versions[0].In[i]]++
		}
	}
	slices.SortStableFunc(all, func(a, b *parsed) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	b := count(all)
	b.Secrets = secrets
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

// join returns the path of a field.
func join(at, field string) string {
	if at == "" {
		return field
	}
	return at + "." + field
}

// isKptfile reports whether a file is that of the package or a subpackage.
func isKptfile(name string) bool { return path.Base(name) == kptfile }
