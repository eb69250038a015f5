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

// added returns the result for a resource that the upstream adds. In a package that kpt or Porch made, it gets what
// they would give it: a comment and an annotation that identify the resource upstream, even after it is renamed.
func (m *merged) added(t *tuple) (result, error) {
	r := result{tuple: t, outcome: taken}
	if !m.tracked || t.updated.isKptfile() || t.key().kind == "" {
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
