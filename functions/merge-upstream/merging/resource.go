// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// outcome is what the merge does to a resource.
type outcome int

const (
	keep    outcome = iota // as it is in the package, or not there if it is not
	gone                   // removed from the package
	taken                  // as it is in the updated upstream
	changed                // merged
)

// result is a resource with its outcome.
type result struct {
	*tuple
	outcome outcome
	// root is the document node of a resource that is changed, and text its text.
	root *yaml.Node
	text string
	// item is the item of a ResourceList that the resource becomes.
	item *yaml.RNode
}

// move marks a resource as changed if the upstream moved it to another file.
func (r result) move() result {
	if r.outcome == keep && r.local != nil && r.updated != nil && r.file() != r.local.file {
		r.outcome, r.root = changed, r.local.root
		_, r.text = separator(r.local.text)
	}
	return r
}

// resource merges a resource.
func (m *merged) resource(t *tuple) (result, error) {
	switch {
	case t.local == nil:
		return m.absent(t)
	case t.updated == nil:
		return m.withdrawnHere(t), nil
	}
	r := m.rulesFor(t)
	if t.original != nil {
		switch {
		case sameText(t.original, t.updated):
			return result{tuple: t}, nil
		case sameLines(t.local, t.original) && !r.kptfile && !r.context:
			return result{tuple: t, outcome: taken}, nil
		}
	}
	return m.fields(t, r)
}

// absent decides on a resource that the package does not have: it is added if it is new upstream, and stays removed if
// it was removed here. If the upstream only gave it another name or namespace, that is no conflict with the removal.
func (m *merged) absent(t *tuple) (result, error) {
	r := result{tuple: t}
	switch {
	case t.updated == nil:
	case t.original != nil:
		if !node.Equal(unnamed(t.original), unnamed(t.updated)) {
			m.about(t, SideLocal, "")
		}
	case m.removedPackages.contain(t.updated.file):
		m.about(t, SideLocal, "")
	case m.renamed[placeOf(t.updated)] != nil:
		m.nameTaken(t, m.renamed[placeOf(t.updated)])
	default:
		return m.added(t)
	}
	return r, nil
}

// unnamed returns a copy of a document's body without namespace and name.
func unnamed(d *document) *yaml.Node {
	body := copyNode(d.body())
	metadata := present(body, yaml.MetadataField)
	remove(metadata, yaml.NamespaceField)
	remove(metadata, yaml.NameField)
	return body
}

// withdrawnHere decides on a resource that the updated upstream does not have: it is removed if it is unchanged here.
// Resources that a package needs stay, and a subpackage is removed as a whole.
func (m *merged) withdrawnHere(t *tuple) result {
	r := result{tuple: t}
	rules := m.rulesFor(t)
	removed, held := m.withdrawn.contain(t.local.file), m.held.contain(t.local.file)
	switch {
	case rules.root || rules.context && t.local.home == ".":
	case t.original == nil && !removed:
	case m.isChanged(t):
		m.about(t, SideLocal, "")
	case !held:
		r.outcome = gone
	}
	return r
}

// atomic merges a resource as one value.
func (m *merged) atomic(t *tuple, r rules, reason string) result {
	out := result{tuple: t}
	switch {
	case node.Equal(t.local.body(), t.updated.body()):
	case t.original != nil && node.Equal(t.local.body(), t.original.body()) && !r.kptfile:
		out.outcome = taken
	case m.takesUpstream() && !r.kptfile:
		m.about(t, SideUpstream, reason)
		out.outcome = taken
	default:
		m.about(t, SideLocal, reason)
	}
	return out
}

// fields merges a resource field by field.
func (m *merged) fields(t *tuple, r rules) (result, error) {
	for _, set := range []commentSet{allComments, noFootComments, noComments} {
		w, root := m.walk(t, r, set)
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
	return m.atomic(t, r, "what comes out of a merge by field could not be read again"), nil
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
	schema := m.schemaOf(s)
	if r.kptfile {
		schema = kptfileSchema()
	}
	if w.anchors.of != nil && t.holdSecret() {
		w.inSecret++ // its values may be those of an alias
	}
	w.mapping(s, "", schema)
	w.looks(s, s.local)
	if !w.otherPlace {
		w.looks(documents, &root)
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
	if r.outcome != changed || isJSON(r.local.text) {
		return true
	}
	if err := yaml.Unmarshal([]byte(r.text), &root); err != nil || sameNode(&root, r.root) {
		return err == nil
	}
	again, local := *r.tuple, *r.local
	local.root, again.local = &root, &local
	_, merged := m.walk(&again, rules, set)
	before, err := encode(&root, r.text)
	after, err2 := encode(merged, r.text)
	return err == nil && err2 == nil && before == after
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

// readsBack reports whether a text is read as the value that it was written for. Comments in odd places can prevent
// that.
func readsBack(text string, body *yaml.Node) bool {
	var root yaml.Node
	err := yaml.Unmarshal([]byte(text), &root)
	return err == nil && len(root.Content) == 1 && node.Equal(root.Content[0], body)
}

// compared returns the result, as kept if the merge changed nothing. If the merged resource cannot be read back, the
// error is errUnreadable.
func (m *merged) compared(r result) (result, error) {
	before, err := encode(r.local.root, r.local.text)
	if err != nil {
		return r, err
	}
	after, err := encode(r.root, r.local.text)
	if err != nil {
		return r, err
	}
	if before == after {
		r.outcome, r.root, r.text = keep, nil, after
		return r, nil
	}
	if isJSON(r.local.text) {
		r.text = after
		return r, nil
	}
	quoted := krm.QuoteBlocks(yaml.NewRNode(r.root.Content[0]))
	if r.text, err = encode(r.root, r.local.text); err == nil && (!quoted || !readsBack(r.text, r.root.Content[0])) {
		err = fmt.Errorf("%s: %s: %w", r.local.file, describe(r.local), errUnreadable)
	}
	return r, err
}

// errUnreadable is the error of a resource that could not be read back from what would be written.
var errUnreadable = errors.New("could not be read again after the merge: " +
	"move comments that stand between a key and its value, or the anchor or tag of its value, into lines of their own")

// about records a conflict about a whole resource.
func (m *merged) about(t *tuple, takenFrom, reason string) {
	c := m.conflict(t)
	c.Taken = takenFrom
	hidden := t.holdSecret()
	c.setValues(showAll(t.original, hidden), showAll(t.local, hidden), showAll(t.updated, hidden))
	c.reason = reason
	m.conflicts = append(m.conflicts, c)
}

// showAll returns a text that identifies the content of a whole resource; empty for no resource.
func showAll(d *document, hidden bool) string {
	switch {
	case d == nil:
		return ""
	case hidden:
		return notShown
	}
	_, text := separator(d.text)
	return digest(text)
}

// found records a conflict about a field.
func (m *merged) found(t *tuple, f finding, r rules) {
	c := m.conflict(t)
	c.Field, c.Taken, c.reason = f.path, f.taken, f.reason
	hidden := f.secret || r.hidesField(f.path)
	c.setValues(differing(show(f.values.original, hidden), show(f.values.local, hidden), show(f.values.updated, hidden)))
	m.conflicts = append(m.conflicts, c)
}

func (m *merged) conflict(t *tuple) conflict {
	d := t.any()
	c := conflict{Conflict: Conflict{File: cmp.Or(d.before, d.file), Resource: describe(d)}, index: d.index}
	body := d.body()
	c.ref = fn.ResourceRef{
		APIVersion: node.GetString(body, "apiVersion"), Kind: node.GetString(body, "kind"),
		Namespace: node.GetString(body, "metadata", "namespace"), Name: node.GetString(body, "metadata", "name"),
	}
	return c
}

// describe returns the kind and the name of a resource; empty if it has none.
func describe(d *document) string {
	body := d.body()
	id := krm.Identity{Kind: node.GetString(body, "kind"), Name: node.GetString(body, "metadata", "name"),
		Namespace: node.GetString(body, "metadata", "namespace")}
	if id.Kind == "" {
		return ""
	}
	return id.Describe()
}

// sameText reports whether two documents have the same text except the line that separates them from others. Items of a
// ResourceList have no text of their own: theirs is compared as kpt would write it.
func sameText(a, b *document) bool {
	if a.item != nil {
		before, err := encode(b.root, "")
		return err == nil && a.text == before
	}
	_, x := separator(a.text)
	_, y := separator(b.text)
	return x == y
}

// sameLines is sameText without the empty lines at the end, which change when something is added after a document.
func sameLines(a, b *document) bool {
	_, x := separator(a.text)
	_, y := separator(b.text)
	return sameText(a, b) || a.item == nil && strings.TrimRight(x, "\n") == strings.TrimRight(y, "\n")
}
