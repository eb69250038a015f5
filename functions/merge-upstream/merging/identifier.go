// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// mergeComment begins the comment after the key metadata in which kpt keeps the namespace and the name that a resource
// has upstream.
const mergeComment = "kpt-merge:"

// comment returns the comment that says which upstream resource a resource comes from.
func (k key) comment() string { return fmt.Sprintf("# %s %s/%s", mergeComment, k.namespace, k.name) }

// identifierOf returns what the annotation of an upstream identifier says of a resource.
func identifierOf(k key) string {
	if k.kind == "" || k.name == "" {
		return ""
	}
	namespace := k.namespace
	if namespace == "" {
		namespace = "default"
	}
	return strings.Join([]string{k.group, k.kind, namespace, k.name}, "|")
}

// annotated returns the upstream identifier of a resource that has lost the comment which says the same: its own, or
// else the one in the Kptfile.
func annotated(d *document) string {
	if _, _, ok := upstreamName(d.body()); ok {
		return ""
	}
	return cmp.Or(node.GetString(d.body(), yaml.MetadataField, "annotations", identifier), d.paired)
}

// upstreamName returns what the kpt-merge comment says, if there is one.
func upstreamName(body *yaml.Node) (namespace, name string, ok bool) {
	i := position(body, yaml.MetadataField)
	if i < 0 {
		return "", "", false
	}
	mark, ok := markOf(body.Content[i].LineComment)
	namespace, name, slash := strings.Cut(mark, "/")
	return namespace, name, ok && slash
}

// markOf returns the text of a kpt-merge comment; false of another one.
func markOf(comment string) (text string, ok bool) {
	comment = strings.TrimSpace(strings.TrimPrefix(comment, "#"))
	text, ok = strings.CutPrefix(comment, mergeComment)
	return strings.TrimSpace(text), ok
}

// withoutMark returns a copy of a key without its kpt-merge comment.
func withoutMark(key *yaml.Node) *yaml.Node {
	c := yaml.CopyYNode(key)
	if c == nil {
		return nil
	}
	if _, ok := markOf(c.LineComment); ok {
		c.LineComment = ""
	}
	return c
}

// identify updates the comment and the annotation by which kpt and Porch find a resource upstream to its identity in
// the updated upstream: by the old one, the next upgrade would not find it.
func (m *merged) identify(r result) (result, error) {
	if r.local == nil || r.updated == nil || r.local.isKptfile() || r.outcome != keep && r.outcome != changed {
		return r, nil
	}
	before := r.root
	if before == nil {
		before = r.local.root
	}
	root := yaml.CopyYNode(before)
	was, is := r.notedKey(), keyOf(r.updated)
	isNoted := renote(root.Content[0], was, is)
	if r.local.paired != "" && r.local.paired == identifierOf(was) && (r.outcome == changed || was != is) {
		isNoted = noteIdentifier(root.Content[0], is) || isNoted
	}
	if !isNoted {
		return r, nil
	}
	noted := r
	noted.outcome, noted.root = changed, root
	noted, err := m.compared(noted)
	if errors.Is(err, errUnreadable) {
		return r, nil
	}
	return noted, err
}

// renote writes another identity into the comment and annotation of a resource that has them, and reports whether it
// did.
func renote(body *yaml.Node, was, is key) (changed bool) {
	if was == is {
		return false
	}
	if _, _, ok := upstreamName(body); ok {
		body.Content[position(body, yaml.MetadataField)].LineComment = is.comment()
		changed = true
	}
	annotation := present(present(present(body, yaml.MetadataField), "annotations"), identifier)
	if annotation != nil && annotation.Value == identifierOf(was) && identifierOf(is) != identifierOf(was) {
		annotation.Value = identifierOf(is)
		changed = true
	}
	return changed
}

// notedKey returns the upstream identity of the package's resource: from its comment, or else that of the original.
func (t *tuple) notedKey() key {
	if _, _, ok := upstreamName(t.local.body()); ok || t.original == nil {
		return keyOf(t.local)
	}
	return keyOf(t.original)
}

// dropMarks has copies not say any more what they are upstream if the upstream removed or renamed it, and the package
// followed: they are the package's own, and a second merge would take one of them for what was removed.
func (m *merged) dropMarks() error {
	type original struct{ identifier, file string }
	left := map[original]bool{}
	for _, r := range m.results {
		if r.original != nil && (r.outcome == gone || r.updated != nil && keyOf(r.original) != keyOf(r.updated)) {
			left[original{identifierOf(keyOf(r.original)), r.original.file}] = true
		}
	}
	for i, r := range m.results {
		if r.local == nil || r.original != nil || r.updated != nil || notedAs(r.local) == "" ||
			!left[original{notedAs(r.local), r.local.file}] {
			continue
		}
		r.isOrphan = true
		root := yaml.CopyYNode(r.local.root)
		at := position(root.Content[0], yaml.MetadataField)
		root.Content[0].Content[at] = withoutMark(root.Content[0].Content[at])
		removeAnnotations(root.Content[0], func(key string) bool { return key == identifier })
		dropped := r
		dropped.outcome, dropped.root = changed, root
		switch dropped, err := m.compared(dropped); {
		case err == nil:
			r = dropped
		case !errors.Is(err, errUnreadable):
			return err
		}
		m.results[i] = r
	}
	return nil
}

// notedAs returns the identifier that a resource has upstream, by whatever says so.
func notedAs(d *document) string {
	k := keyOf(d)
	if namespace, name, ok := upstreamName(d.body()); ok {
		k.namespace, k.name = namespace, name
		return identifierOf(k)
	}
	return annotated(d)
}
