// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// PairsAnnotation is the annotation of a Kptfile with the Pairs of its package.
const PairsAnnotation = "config.porch.kpt.dev/upstream-identifiers"

// Identifier is a resource as kpt identifies it: its group, kind, namespace and name, with | between them.
type Identifier string

// String returns the kind and the name, as messages have them.
func (i Identifier) String() string {
	parts := strings.Split(string(i), "|")
	return parts[min(1, len(parts)-1)] + " " + parts[len(parts)-1]
}

// Pair is a resource of a package that has another name there than upstream, without saying so itself.
type Pair struct{ Here, Upstream Identifier }

// String returns the pair as a line of PairsAnnotation.
func (p Pair) String() string { return string(p.Here) + ": " + string(p.Upstream) }

// JoinPairs returns pairs as the value of PairsAnnotation.
func JoinPairs(pairs []Pair) string {
	var b strings.Builder
	for _, p := range pairs {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// rootKptfile returns the Kptfile of a version; nil if it has none that can be read.
func (p pkg) rootKptfile() *document {
	all := p[pkgtree.KptfileName].resources()
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// pairsOf returns what the annotation of a Kptfile says.
func pairsOf(kptfile *document) (pairs []Pair, err error) {
	for line := range strings.Lines(node.GetString(bodyOf(kptfile), yaml.MetadataField, "annotations", PairsAnnotation)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		here, upstream, _ := strings.Cut(line, ": ")
		if strings.Count(here, "|") != 3 || strings.Count(upstream, "|") != 3 {
			return nil, fmt.Errorf("%s: %s%s has the line %q: write group|kind|namespace|name of a resource of the package, "+
				"a colon and a space, and the same of the resource that it is upstream", pkgtree.KptfileName, annotationsPath,
				PairsAnnotation, node.Short(line))
		}
		pairs = append(pairs, Pair{Identifier(here), Identifier(strings.TrimSpace(upstream))})
	}
	return pairs, nil
}

// notePairs notes in the resources of the package what its Kptfile says they are upstream.
func (v versions) notePairs() error {
	pairs, err := pairsOf(v.local.rootKptfile())
	upstream := map[Identifier]string{}
	for _, p := range pairs {
		upstream[p.Here] = string(p.Upstream)
	}
	for _, d := range v.local.resources() {
		d.paired = upstream[Identifier(identifierOf(ownKey(d)))]
	}
	return err
}

// noteIdentifier has a resource that the Kptfile pairs say itself what it is upstream, and reports whether it can.
func noteIdentifier(body *yaml.Node, is key) bool {
	if list := present(present(body, yaml.MetadataField), "annotations"); list != nil && list.Kind != yaml.MappingNode {
		return false
	}
	annotate(yaml.NewRNode(body), identifier, identifierOf(is))
	return true
}

// saysUpstream reports whether the Kptfile need not say any more what a resource of the package is upstream.
func (r result) saysUpstream() bool {
	switch {
	case r.isOrphan || r.outcome == gone:
		return true
	case r.outcome == keep:
		return false
	}
	now := &document{file: r.local.file, root: r.document()}
	return annotated(now) != "" || ownKey(now) != ownKey(r.local)
}

// dropPairs removes from the Kptfile the pairs of resources that say themselves now what they are upstream, or that are
// gone.
func (m *merged) dropPairs() error {
	dropped := map[Identifier]bool{}
	at := -1
	for i, r := range m.results {
		switch {
		case r.local == nil:
		case r.local.file == pkgtree.KptfileName:
			at = i
		case r.local.paired != "" && r.saysUpstream():
			dropped[Identifier(identifierOf(ownKey(r.local)))] = true
		}
	}
	if at < 0 || len(dropped) == 0 {
		return nil
	}
	r := m.results[at]
	pairs, err := pairsOf(r.local)
	if err != nil {
		return err
	}
	root := yaml.CopyYNode(cmp.Or(r.root, r.local.root))
	left := slices.DeleteFunc(pairs, func(p Pair) bool { return dropped[p.Here] })
	if len(left) == 0 {
		removeAnnotations(root.Content[0], func(key string) bool { return key == PairsAnnotation })
	} else {
		present(present(present(root.Content[0], yaml.MetadataField), "annotations"), PairsAnnotation).Value = JoinPairs(left)
	}
	r.outcome, r.root = changed, root
	m.results[at], err = m.compared(r)
	return err
}
