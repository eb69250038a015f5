// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
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
	// root is the document node of a resource that is changed, and text its text with the line that separates it.
	root *yaml.Node
	text string
	// item is the item of a ResourceList that the resource becomes.
	item *yaml.RNode
	// isOrphan says that it is a copy of a resource that the upstream removed or renamed.
	isOrphan bool
}

// move marks a resource as changed if the upstream moved it to another file.
func (r result) move() result {
	if r.outcome == keep && r.local != nil && r.updated != nil && r.file() != r.local.file {
		r.outcome, r.root, r.text = changed, r.local.root, r.local.text
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
		if !node.Equal(unname(yaml.CopyYNode(t.original.body())), unname(yaml.CopyYNode(t.updated.body()))) {
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

// unname removes namespace and name from the body of a document, and returns it.
func unname(body *yaml.Node) *yaml.Node {
	metadata := present(body, yaml.MetadataField)
	remove(metadata, yaml.NamespaceField)
	remove(metadata, yaml.NameField)
	return body
}

// withdrawnHere decides on a resource that the updated upstream does not have: it is removed if it is unchanged here.
func (m *merged) withdrawnHere(t *tuple) result {
	r := result{tuple: t}
	switch {
	case !m.isWithdrawn(t):
	case m.isChanged(t):
		m.about(t, SideLocal, "")
	case !m.held.contain(t.local.file):
		r.outcome = gone
	}
	return r
}

// goes reports whether a resource is removed from the package.
func (m *merged) goes(t *tuple) bool {
	return t.local != nil && m.isWithdrawn(t) && !m.held.contain(t.local.file) && !m.isChanged(t)
}

// isWithdrawn reports whether the upstream removed a resource of the package, or the subpackage that it is in. What
// a package needs stays.
func (m *merged) isWithdrawn(t *tuple) bool {
	if t.updated != nil || t.original == nil && !m.withdrawn.contain(t.local.file) {
		return false
	}
	rules := m.rulesFor(t)
	isNeeded := rules.root || rules.context && t.local.home == "."
	return !isNeeded
}

// atomic merges a resource whose fields cannot be merged, as one value.
func (m *merged) atomic(t *tuple, r rules) result {
	const reason = "what comes out of a merge by field could not be read again"
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
	c.setValues(differing(f.values.shown(hidden)))
	m.conflicts = append(m.conflicts, c)
}

func (m *merged) conflict(t *tuple) conflict {
	d := t.any()
	id := krm.Identify(yaml.NewRNode(d.body()))
	return conflict{Conflict: Conflict{File: cmp.Or(d.before, d.file), Resource: describe(d)}, index: d.index,
		ref: fn.ResourceRef{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}}
}

// describe returns the kind and the name of a resource; empty if it has none.
func describe(d *document) string {
	id := krm.Identify(yaml.NewRNode(d.body()))
	if id.Kind == "" {
		return ""
	}
	return id.Describe()
}

// sameText reports whether two documents have the same text except the line that separates them from others. Items of a
// ResourceList have no text of their own: theirs is compared as kpt would write it.
func sameText(a, b *document) bool {
	if a.item != nil {
		before, err := encode(b.root)
		return err == nil && a.text == before
	}
	return strings.TrimPrefix(a.text, "---\n") == strings.TrimPrefix(b.text, "---\n")
}

// sameLines is sameText without the empty lines at the end, which change when something is added after a document.
func sameLines(a, b *document) bool {
	x, y := strings.TrimPrefix(a.text, "---\n"), strings.TrimPrefix(b.text, "---\n")
	return sameText(a, b) || a.item == nil && strings.TrimRight(x, "\n") == strings.TrimRight(y, "\n")
}
