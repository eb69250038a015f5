// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// ports are the ports of a list in one version.
type ports struct {
	// ids are the numbers and protocols by name, and names the names by number and protocol.
	ids   map[named]string
	names map[string]named
	// twice are the names that several ports have.
	twice map[named]bool
}

// named is what identifies a port beside its number.
type named struct{ name, protocol string }

func portName(e *yaml.Node) named {
	return named{node.GetString(e, "name"), cmp.Or(node.GetString(e, protocol), keyDefaults[protocol])}
}

func portsOf(list *yaml.Node, keys []string) ports {
	p := ports{map[named]string{}, map[string]named{}, map[named]bool{}}
	for _, e := range contentOf(list) {
		_, id := mergeValues(e, keys)
		name := portName(e)
		if p.names[id] = name; name.name == "" && keys[0] != "port" {
			continue // of several ports, only those of a container may lack a name
		}
		_, again := p.ids[name]
		p.ids[name], p.twice[name] = id, p.twice[name] || again
	}
	return p
}

// hasOther reports whether a port has this number and protocol, and another name.
func (p ports) hasOther(id string, name named) bool {
	other, taken := p.names[id]
	return taken && other != name
}

// portNames returns under which name a port is found before any other is by its number: its own, or the one that it has
// upstream, if it got a name here that the upstream does not know. These are ports of which a side changed the number.
// It returns false if the ports cannot be told apart: the new number of one is that of another one on the other side,
// or one that the upstream removed is here twice, by its number and by its name.
func portNames(s sources, keys []string) (names map[named]named, ok bool) {
	if !slices.Contains(keys, protocol) {
		return nil, true
	}
	p := portVersions{portsOf(s.original, keys), portsOf(s.local, keys), portsOf(s.updated, keys)}
	for version, list := range s.versions() {
		if len([]ports{p.local, p.original, p.updated}[version].names) < len(contentOf(list)) {
			return nil, false // a number is there twice
		}
	}
	names = map[named]named{}
	return names, p.addRemoved(names) && p.addKept(names)
}

// portVersions are the ports of a list in the three versions.
type portVersions struct{ original, local, updated ports }

// addRemoved adds the ports that the upstream removed.
func (p portVersions) addRemoved(names map[named]named) (ok bool) {
	for name, o := range p.original.ids {
		l, here := p.local.ids[name]
		_, stays := p.updated.ids[name]
		switch {
		case stays || !here || p.original.twice[name]:
		case p.local.twice[name] || l != o && p.local.hasOther(o, name):
			return false
		case l != o:
			names[name] = name
		}
	}
	return true
}

// addKept adds the ports that the upstream has.
func (p portVersions) addKept(names map[named]named) (ok bool) {
	for name, u := range p.updated.ids {
		o, known := p.original.ids[name]
		here := p.nameHere(name)
		l := p.local.ids[here]
		switch {
		case p.isTwice(name, here):
		case (!known || u == o) && (l == "" || u == l): // the number finds it
		case u != o && p.local.hasOther(u, here) || l != o && p.updated.hasOther(l, name),
			!known && (p.original.hasOther(u, name) || p.original.hasOther(l, name)):
			return false
		default:
			names[name], names[here] = name, name
		}
	}
	return true
}

// isTwice reports whether several ports of a version have a name, which is another one here.
func (p portVersions) isTwice(name, here named) bool {
	return p.original.twice[name] || p.local.twice[here] || p.updated.twice[name]
}

// nameHere returns the name that a port of the upstream has here.
func (p portVersions) nameHere(name named) named {
	if p.local.ids[name] != "" {
		return name
	}
	for _, id := range []string{p.original.ids[name], p.updated.ids[name]} {
		other, taken := p.local.names[id]
		if taken && p.original.ids[other] == "" && p.updated.ids[other] == "" && !p.updated.hasOther(id, name) {
			return other
		}
	}
	return name
}
