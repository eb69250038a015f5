// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Pairing is which resources of a copy are which of its upstream, beyond those that a merge finds by their names.
type Pairing struct {
	// Pairs are of the same kind, in the same file or of the same shape, and their names differ by that of the copy's
	// environment. Doubtful are those of which only one of the two holds, or that have several candidates.
	Pairs, Doubtful []Pair
	// Lacks are the other resources of the upstream, of which the copy has none, or a doubtful one.
	Lacks []Lack
}

// Lack is a resource that a copy lacks, and the file that has it upstream, since several may have one of its name.
type Lack struct {
	Identifier
	File string
}

// String returns the kind, the name and the file, as messages have them.
func (l Lack) String() string { return l.Identifier.String() + " in " + l.File }

// Names are names of environments, as directories and Repositories have them.
type Names struct {
	// Own are those that the copy may be named after, Known are those of other environments.
	Own, Known []string
}

// PairUp finds out which resources of a copy have other names than in its upstream. Both are the files of a package by
// path. The error is about the annotation in which the copy says so itself.
func PairUp(upstream, local map[string]string, environments Names) (Pairing, error) {
	v := versions{original: read(upstream, nil), local: read(local, nil)}
	v.updated = read(upstream, v.original)
	v.settleWholeFiles()
	if err := v.notePairs(); err != nil {
		return Pairing{}, err
	}
	p := pairing{own: namesOf(environments.Own), known: namesOf(slices.Concat(environments.Own, environments.Known))}
	for _, t := range v.match() {
		switch k := t.key(); {
		case t.any().isKptfile() || k.kind == "" || k.name == "" || k.kind == "ConfigMap" && k.name == contextName:
		case t.local == nil:
			p.lacking = append(p.lacking, t.original)
		case t.original == nil:
			p.only = append(p.only, t.local)
		}
	}
	return p.found(), nil
}

// pairing are the resources that only the upstream has, and those that only the copy has.
type pairing struct {
	lacking, only []*document
	// own and known are names of environments: those of the copy, and all.
	own, known map[string]bool
}

// namesOf returns names of environments as parts of names.
func namesOf(environments []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range environments {
		if part := strings.Join(words(name), "-"); part != "" {
			out[part] = true
		}
	}
	return out
}

// candidate is a resource of the copy that may be one of the upstream.
type candidate struct {
	upstream, here *document
	// change is what the name here has in place of a part of the name upstream.
	change renamedPart
	// strength is how much speaks for it: that the names differ by that of an environment, and that file or shape agree.
	strength int
}

// renamedPart is a part of a name, between dashes or dots, and what is there in its place.
type renamedPart struct{ was, is string }

// found judges all candidates: first come those for which everything speaks.
func (p *pairing) found() (out Pairing) {
	all := p.candidates()
	taken := map[*document]bool{}
	for _, c := range strongest(all) {
		if c.strength == 2 {
			out.Pairs = append(out.Pairs, c.pair())
			taken[c.upstream], taken[c.here] = true, true
		}
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return taken[c.upstream] || taken[c.here] })
	doubtful := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return c.strength < 2 })
	for _, c := range append(doubtful, strongest(all)...) {
		out.Doubtful = append(out.Doubtful, c.pair())
	}
	for _, d := range p.lacking {
		if !taken[d] {
			out.Lacks = append(out.Lacks, Lack{Identifier(identifierOf(keyOf(d))), d.file})
		}
	}
	for _, list := range [][]Pair{out.Pairs, out.Doubtful} {
		slices.SortFunc(list, func(a, b Pair) int { return cmp.Compare(a.String(), b.String()) })
	}
	slices.SortFunc(out.Lacks, func(a, b Lack) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

func (c candidate) pair() Pair {
	return Pair{Identifier(identifierOf(ownKey(c.here))), Identifier(identifierOf(keyOf(c.upstream)))}
}

// strongest returns the candidates for which more speaks than for any other one for either of its resources.
func strongest(all []candidate) (out []candidate) {
	of := map[*document][3]int{} // how many candidates a resource has, by their strength
	for _, c := range all {
		for _, d := range []*document{c.upstream, c.here} {
			n := of[d]
			n[c.strength]++
			of[d] = n
		}
	}
	isOnly := func(n [3]int, strength int) bool { return n[strength] == 1 && (strength == 2 || n[2] == 0) }
	for _, c := range all {
		if isOnly(of[c.upstream], c.strength) && isOnly(of[c.here], c.strength) {
			out = append(out, c)
		}
	}
	return out
}

// candidates returns the pairs of the same kind for which anything speaks. Two of the same name are none: they are in
// several files, and no Pair says in which.
func (p *pairing) candidates() (out []candidate) {
	of, shape := map[renamedPart]map[*document]bool{}, shapes()
	for _, upstream := range p.lacking {
		for _, here := range p.only {
			k, l := keyOf(upstream), ownKey(here)
			if k.group != l.group || k.kind != l.kind || upstream.home != here.home || identifierOf(k) == identifierOf(l) {
				continue
			}
			c := candidate{upstream: upstream, here: here, change: partOf(k.name, l.name)}
			if upstream.file == here.file || agree(shape(upstream), shape(here)) {
				c.strength++
			}
			if of[c.change] == nil {
				of[c.change] = map[*document]bool{}
			}
			of[c.change][upstream] = true
			out = append(out, c)
		}
	}
	for i, c := range out {
		if p.own[c.change.is] && (c.change.was == "" || p.known[c.change.was] || len(of[c.change]) > 1) {
			out[i].strength++
		}
	}
	return slices.DeleteFunc(out, func(c candidate) bool { return c.strength == 0 })
}

// partOf returns the part of a name that another name has otherwise.
func partOf(was, is string) renamedPart {
	a, b := words(was), words(is)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return renamedPart{strings.Join(a, "-"), strings.Join(b, "-")}
}

// words returns the words of a name.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-._/", r) })
}

// shapes returns a function that returns the paths of the fields of a resource, and keeps them.
func shapes() func(*document) map[string]bool {
	known := map[*document]map[string]bool{}
	return func(d *document) map[string]bool {
		if known[d] == nil {
			known[d] = map[string]bool{}
			addFields(d.body(), "", known[d])
		}
		return known[d]
	}
}

// agree reports whether two resources have at least half of their fields in common, whatever the values are.
func agree(a, b map[string]bool) bool {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return 2*(len(a)+len(b)-len(all)) >= len(all)
}

// addFields adds the paths of the fields below a node, without those that each resource has.
func addFields(n *yaml.Node, path string, to map[string]bool) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i].Value; path != "" || key != "apiVersion" && key != "kind" && key != yaml.MetadataField {
				to[path+"."+key] = true
				addFields(n.Content[i+1], path+"."+key, to)
			}
		}
	case yaml.SequenceNode:
		for _, e := range n.Content {
			addFields(e, path+"[]", to)
		}
	}
}
