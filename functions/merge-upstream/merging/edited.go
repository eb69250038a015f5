// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// fields merges a resource field by field.
func (m *merged) fields(t *tuple, r rules) (result, error) {
	for _, set := range []commentSet{allComments, noFootComments, noComments} {
		w, root := m.walked(t, r, set)
		out := result{tuple: t}
		if w.changed {
			var err error
			out.outcome, out.root = changed, root
			if out, err = m.compared(out); errors.Is(err, errUnreadable) {
				continue
			} else if err != nil {
				return out, err
			}
		}
		if set != noComments && !m.isStable(out, r, set) {
			continue
		}
		for _, c := range w.conflicts {
			m.found(t, c, r)
		}
		return out, nil
	}
	return m.atomic(t, r), nil
}

// walk merges the fields of a resource, and returns the document node of what comes out.
func (m *merged) walk(t *tuple, r rules, set commentSet) (*walker, *yaml.Node) {
	w := &walker{rules: r, onConflict: m.options.OnConflict, comments: set}
	w.otherPlace = t.original != nil && (t.original.index == 0) != (t.updated.index == 0)
	root := *t.local.root
	s := sources{local: w.anchors.copied(t.local.body()), updated: w.anchors.copied(t.updated.body())}
	documents := sources{local: t.local.root, updated: t.updated.root}
	if t.original != nil {
		s.original, documents.original = t.original.body(), t.original.root
	}
	schema := schemaByFile(t.local.file, t.local.body())
	if schema == nil {
		schema = m.resultSchema(s)
	}
	if w.anchors.of != nil && t.holdSecret() {
		w.inSecret++ // its values may be those of an alias
	}
	w.mapping(s, "", schema)
	w.mergeStyle(s, s.local)
	if !w.otherPlace && t.local.item == nil { // an item has no comments beside those of its values
		w.mergeStyle(documents, &root)
	}
	w.anchors.settle(s.local)
	root.Content = []*yaml.Node{s.local}
	settle(&root)
	return w, &root
}

// isStable reports whether merging the result again changes nothing. It may, because YAML attaches some comments to
// another value when they are read again.
func (m *merged) isStable(r result, rules rules, set commentSet) bool {
	var root yaml.Node
	if r.outcome != changed {
		return true
	}
	if err := yaml.Unmarshal([]byte(r.text), &root); err != nil || sameNode(&root, r.root) {
		return err == nil
	}
	again, local := *r.tuple, *r.local
	local.root, local.text, again.local = &root, r.text, &local
	w, merged := m.walked(&again, rules, set)
	if !w.changed {
		return true
	}
	text, err := yamledit.Document(r.text, merged)
	return err == nil && text.Text == r.text
}

// settle moves the line comment of a key to its value if that is a map or list that became empty: after the key, the
// emitter would write it so that the YAML cannot be read.
func settle(n *yaml.Node) {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && c.Kind != yaml.ScalarNode && len(c.Content) == 0 && c.LineComment == "" {
			c.LineComment, n.Content[i-1].LineComment = n.Content[i-1].LineComment, ""
		}
		settle(c)
	}
}

// compared returns the result with its text, as kept if the merge changed nothing. If the merged resource could not be
// read back, the error is errUnreadable.
func (m *merged) compared(r result) (result, error) {
	text, err := yamledit.Document(r.local.text, r.root)
	isItem := r.local.item != nil // which kpt writes
	switch {
	case errors.Is(err, yamledit.ErrUnreadable),
		err == nil && isItem && !krm.QuoteBlocks(yaml.NewRNode(r.root.Content[0])):
		err = fmt.Errorf("%s: %s: %w", r.local.file, describe(r.local), errUnreadable)
	case err == nil && text.Text == r.local.text:
		r.outcome, r.root = keep, nil
	}
	r.text = text.Text
	return r, err
}

// errUnreadable is the error of a resource that could not be read back from what would be written.
var errUnreadable = errors.New("could not be read again after the merge: " +
	"move comments that stand between a key and its value, or the anchor or tag of its value, into lines of their own")
