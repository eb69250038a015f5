// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"fmt"
	"strings"
)

// Plan is what kubectl variants plan -o json says, of what is drawn.
type Plan struct {
	Counts    map[string]int
	Conflicts int
	Sets      []Set
	Variants  []Variant
}

// Set is a set of variants, with the waves of its rollout.
type Set struct {
	Name  string
	Waves []Wave
}

// Wave is a wave of a rollout.
type Wave struct {
	Name, State      string
	Targets, Reached int
}

// Variant is what becomes of a variant.
type Variant struct {
	Name, Set, Wave, Repo, Package, Action string
	Upstream                               struct{ From, To string }
	Condition                              struct{ Reason string }
	Conflicts                              []struct{ Field string }
}

// about says in a few words what happens to a variant.
func (v *Variant) about() string {
	switch from, to := revision(v.Upstream.From), revision(v.Upstream.To); {
	case len(v.Conflicts) == 1:
		return fmt.Sprintf("%s → %s, 1 conflict", from, to)
	case len(v.Conflicts) > 0:
		return fmt.Sprintf("%s → %s, %d conflicts", from, to, len(v.Conflicts))
	case from != "" && from != to:
		return from + " → " + to
	case to != "":
		return to
	case v.Condition.Reason == "WaveNotOpen":
		return "until its wave opens"
	case v.Action == "delete":
		return "is proposed"
	}
	return v.Condition.Reason
}

// revision returns the workspace of a package revision's name.
func revision(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// blueprint returns the name of the package that all variants are made from, and its revisions: from, and to.
func (p *Plan) blueprint() (name, from, to string) {
	for i := range p.Variants {
		u := &p.Variants[i].Upstream
		if u.To != "" {
			name, to = strings.TrimSuffix(u.To, "."+revision(u.To)), revision(u.To)
		}
		if u.From != "" {
			from = revision(u.From)
		}
	}
	return name, from, to
}

// band is a wave with its variants; of those in no wave the title says so.
type band struct {
	title, state string
	variants     []*Variant
}

// bands returns the variants of a set by wave, in the order in which they are rolled out.
func (p *Plan) bands(set *Set) []band {
	var out []band
	for _, w := range set.Waves {
		b := band{title: "wave " + w.Name, state: fmt.Sprintf("%s, %d of %d", w.State, w.Reached, w.Targets)}
		b.variants = p.of(set.Name, w.Name)
		out = append(out, b)
	}
	if rest := p.of(set.Name, ""); len(rest) > 0 {
		out = append(out, band{title: "not wanted any more", variants: rest})
	}
	return out
}

// of returns the variants of a set in a wave.
func (p *Plan) of(set, wave string) []*Variant {
	var out []*Variant
	for i := range p.Variants {
		if v := &p.Variants[i]; v.Set == set && v.Wave == wave {
			out = append(out, v)
		}
	}
	return out
}
