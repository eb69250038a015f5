// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"errors"
	"fmt"
	"path"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// added returns the result for a resource that the upstream adds. It gets the namespace that those beside it have here.
// In a package that kpt or Porch made, and in another namespace, it gets what they would give it: a comment and an
// annotation that identify the resource upstream, even after it is renamed.
func (m *merged) added(t *tuple) (result, error) {
	r := result{tuple: t, outcome: taken}
	namespace, moves := m.movedTo(t.key())
	if !m.tracked && !moves || t.updated.isKptfile() || t.key().kind == "" {
		return r, nil
	}
	root := yaml.CopyYNode(t.updated.root)
	metadata := present(root.Content[0], yaml.MetadataField)
	if metadata == nil || metadata.Kind != yaml.MappingNode || node.GetString(metadata, "name") == "" {
		return r, nil
	}
	k := t.key()
	i := position(root.Content[0], yaml.MetadataField)
	if name := root.Content[0].Content[i]; name.LineComment == "" && metadata.Style&yaml.FlowStyle == 0 {
		name.LineComment = k.comment()
	}
	annotations := present(metadata, "annotations")
	if annotations != nil && annotations.Kind != yaml.MappingNode {
		return r, nil
	}
	if moves {
		present(metadata, yaml.NamespaceField).Value = namespace
	}
	item := yaml.NewRNode(root.Content[0])
	annotate(item, identifier, identifierOf(k))
	text, err := yamledit.Document(t.updated.text, root)
	switch {
	case errors.Is(err, yamledit.ErrUnreadable):
		return r, nil
	case err != nil:
		return r, fmt.Errorf("%s: %s: cannot be written: %w", t.updated.file, describe(t.updated), err)
	}
	r.outcome, r.root, r.text = changed, root, text.Text
	return r, nil
}

// movedTo returns the namespace here of a resource that the upstream adds, and whether it is another than upstream. It
// is not where the package has a resource of that name already.
func (m *merged) movedTo(k key) (namespace string, moves bool) {
	namespace = m.moves[k.namespace]
	if k.namespace == "" || namespace == "" || namespace == k.namespace {
		return "", false
	}
	k.namespace = namespace
	return namespace, !m.here[k]
}

// addedHere reports whether an earlier merge may have added a resource, in the namespace where it would be added now.
func (m *merged) addedHere(t *tuple) bool {
	return t.original == nil && t.updated != nil && namespaceOf(t.local) != "" &&
		m.moves[namespaceOf(t.updated)] == namespaceOf(t.local)
}

// keysHere returns the identities of resources in the package.
func keysHere(tuples []*tuple) map[key]bool {
	all := map[key]bool{}
	for _, t := range tuples {
		if t.local != nil {
			all[ownKey(t.local)] = true
		}
	}
	return all
}

// inDirectory is a resource in a directory: two of them would be one for a cluster.
type inDirectory struct {
	directory string
	key       key
}

func placeOf(d *document) inDirectory { return inDirectory{path.Dir(d.file), ownKey(d)} }

// renamedHere returns the resources that have another name here than upstream.
func renamedHere(tuples []*tuple) map[inDirectory]*tuple {
	out := map[inDirectory]*tuple{}
	for _, t := range tuples {
		if t.local != nil && ownKey(t.local) != keyOf(t.local) {
			out[placeOf(t.local)] = t
		}
	}
	return out
}

// nameTaken records that the upstream adds a resource whose name another one got here. It is not added.
func (m *merged) nameTaken(t, here *tuple) {
	c := m.conflict(t)
	was := here.any()
	if d := here.original; d != nil {
		was = d
	}
	c.Taken, c.renamed = SideLocal, describe(was)
	hidden := t.holdSecret()
	c.setValues("", c.renamed+", renamed", showAll(t.updated, hidden))
	m.conflicts = append(m.conflicts, c)
}

// isTracked reports whether kpt or Porch noted in a package which upstream resources its resources come from.
func isTracked(tuples []*tuple) bool {
	for _, t := range tuples {
		if t.local == nil {
			continue
		}
		if _, _, ok := upstreamName(t.local.body()); ok {
			return true
		}
	}
	return false
}
