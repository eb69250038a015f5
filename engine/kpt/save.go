// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/comments"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// id is what identifies a resource for Porch.
type id struct{ apiVersion, kind, namespace, name string }

func idOf(n *yaml.RNode) id { return id{n.GetApiVersion(), n.GetKind(), n.GetNamespace(), n.GetName()} }

// originals are the resources that a draft has before it is saved.
type originals struct {
	memo  *Memo
	files map[string]string
	// in are the files that have a resource, in order. parsed are the resources of the files that were parsed, by id.
	in     map[id][]string
	parsed map[string]map[id][]*yaml.RNode
}

// Save returns the files that are saved to a draft, with the comments of the existing files, which Porch copies back.
func (m *Memo) Save(before, saved map[string]string) (map[string]string, error) {
	o := &originals{memo: m, files: before, in: map[id][]string{},
		parsed: map[string]map[id][]*yaml.RNode{}}
	for _, name := range sorted(before) {
		ids, err := m.idsIn(name, before[name])
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if files := o.in[id]; len(files) == 0 || files[len(files)-1] != name {
				o.in[id] = append(files, name)
			}
		}
	}
	out := make(map[string]string, len(saved))
	for name, text := range saved {
		var err error
		if out[name], err = o.commented(name, text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// idsIn returns the ids of the resources in a file.
func (m *Memo) idsIn(name, text string) ([]id, error) {
	if !isResources(name) {
		return nil, nil
	}
	return remember(m, fileKey{done: "ids", name: name, text: text}, func() ([]id, error) {
		nodes, err := parse(name, text, false)
		ids := make([]id, len(nodes))
		for i, node := range nodes {
			ids[i] = idOf(node)
		}
		return ids, err
	})
}

// commented returns a saved file with the comments of the originals. The result is kept in the Memo if these are in one
// file.
func (o *originals) commented(name, text string) (string, error) {
	ids, err := o.memo.idsIn(name, text)
	if err != nil || len(ids) == 0 {
		return text, err
	}
	key, several := fileKey{done: "saved", name: name, text: text}, false
	for _, id := range ids {
		for _, file := range o.in[id] {
			several = several || key.other[0] != "" && key.other[0] != file
			key.other = [2]string{file, o.files[file]}
		}
	}
	write := func() (string, error) {
		return rewritten(name, text, func(nodes []*yaml.RNode) error { return o.comment(nodes, mayBeTemplate(text)) })
	}
	if several {
		return write()
	}
	return remember(o.memo, key, write)
}

// comment copies the comments of the originals to resources, some of which may be templates.
func (o *originals) comment(nodes []*yaml.RNode, templates bool) error {
	for _, node := range nodes {
		if templates && isTemplate(node) {
			continue
		}
		found, err := o.of(idOf(node))
		if err != nil {
			return err
		}
		for _, original := range found {
			if err := comments.CopyComments(original, node); err != nil {
				return err
			}
		}
	}
	return nil
}

// of returns the originals with an id that are not templates, in the order of their files.
func (o *originals) of(wanted id) ([]*yaml.RNode, error) {
	var found []*yaml.RNode
	for _, name := range o.in[wanted] {
		if o.parsed[name] == nil {
			nodes, err := parse(name, o.files[name], false)
			if err != nil {
				return nil, err
			}
			byID, templates := map[id][]*yaml.RNode{}, mayBeTemplate(o.files[name])
			for _, node := range nodes {
				if templates && isTemplate(node) {
					continue
				}
				byID[idOf(node)] = append(byID[idOf(node)], node)
			}
			o.parsed[name] = byID
		}
		found = append(found, o.parsed[name][wanted]...)
	}
	return found, nil
}

// mayBeTemplate reports whether a resource in a file may be a template. It is not if the file has no such comment, and
// no character that could turn something else into one when the file is written.
func mayBeTemplate(text string) bool {
	return strings.Contains(text, "#@") || strings.Contains(text, "#!") || strings.ContainsAny(text, "\\%")
}

// isTemplate reports whether the comments of a resource are a template language (ytt), which Porch does not touch.
func isTemplate(node *yaml.RNode) bool {
	text, err := node.String()
	return err == nil && (strings.Contains(text, "#@") || strings.Contains(text, "#!"))
}
