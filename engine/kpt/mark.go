// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Copy returns the files of a clone as Clone does, for a home that need not write them as Porch does: the Kptfile keeps
// its comments, files with resources get nothing but the marks, and all others stay byte for byte, be they YAML or not.
// The Kptfile has no lock yet: Lock writes it.
func (m *Memo) Copy(upstream map[string]string, pkg string, deployment bool) (map[string]string, error) {
	if _, _, err := kptfileOf(upstream); err != nil {
		return nil, err
	}
	files := maps.Clone(upstream)
	var err error
	if files[kptfileName], err = renamed(upstream[kptfileName], pkg); err != nil {
		return nil, err
	}
	if deployment {
		if files, err = WithContexts(files, pkg); err != nil {
			return nil, err
		}
	}
	for name, text := range files {
		if !isResources(name) {
			continue
		}
		files[name], _ = remember(m, fileKey{done: "marked", name: name, text: text}, func() (string, error) {
			return marked(text), nil
		})
	}
	return files, nil
}

// renamed returns the Kptfile of a clone: with another name, and with the places of its own upstream and lock.
func renamed(text, pkg string) (string, error) {
	return edited(kptfileName, text, func(file *yaml.RNode) error {
		err := file.PipeE(yaml.Tee(yaml.Clear("upstream")), yaml.Tee(yaml.Clear("upstreamLock")),
			yaml.Tee(yaml.Lookup("status"), yaml.Clear("renderStatus")))
		if err != nil {
			return err
		}
		name, err := file.Pipe(yaml.LookupCreate(yaml.ScalarNode, yaml.MetadataField, yaml.NameField))
		if err != nil {
			return err
		}
		name.YNode().Value, name.YNode().Tag = pkg, yaml.NodeTagString
		origin, err := yaml.Parse("upstream:\n  type: git\nupstreamLock:\n  type: git\n")
		if err != nil {
			return err
		}
		fields := file.YNode()
		after := 2 + slices.IndexFunc(fields.Content, func(n *yaml.Node) bool { return n.Value == yaml.MetadataField })
		fields.Content = slices.Insert(fields.Content, after, origin.YNode().Content...)
		return nil
	})
}

// marked returns the text of a file with the marks on its resources. What is no resource stays as it is.
func marked(text string) string {
	var out strings.Builder
	for _, document := range yamledit.Split(text) {
		edited, err := yamledit.Edit(document, func(n *yaml.Node) error {
			if node := yaml.NewRNode(n); isResource(node) && !isShared(node.Field(yaml.MetadataField)) {
				return mark(node)
			}
			return errNoResource
		})
		if err != nil { // it stays as it is
			edited = document
		}
		out.WriteString(edited)
	}
	return out.String()
}

var errNoResource = errors.New("no resource")

// isResource reports whether a document is a resource, and no template of another tool: what YAML takes for a map as a
// key is a pair of braces.
func isResource(node *yaml.RNode) bool {
	return node.YNode().Kind == yaml.MappingNode && node.GetKind() != "" && node.GetApiVersion() != "" &&
		!hasMapAsKey(node.YNode())
}

// isShared reports whether a field, or its annotations, may be the value of another field, too: it is an alias, or has
// an anchor.
func isShared(field *yaml.MapNode) bool {
	if field == nil {
		return false
	}
	n := field.Value.YNode()
	return n.Kind == yaml.AliasNode || n.Anchor != "" || isShared(field.Value.Field(yaml.AnnotationsField))
}

func hasMapAsKey(n *yaml.Node) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind != yaml.ScalarNode || hasMapAsKey(child) {
			return true
		}
	}
	return false
}

// mark marks a resource. A comment that stands where the mark would be stays, and behind a map in one line there is no
// mark, where kpt would not find it.
func mark(node *yaml.RNode) error {
	metadata := node.Field(yaml.MetadataField)
	if metadata.IsNilOrEmpty() {
		return nil
	}
	key := metadata.Key.YNode()
	comment := key.LineComment
	none := ""
	if annotations := metadata.Value.Field(yaml.AnnotationsField); annotations != nil && annotations.IsNilOrEmpty() {
		none = annotations.Value.YNode().LineComment
	}
	err := identify(node)
	if now := metadata.Value.Field(yaml.AnnotationsField); none != "" && !now.IsNilOrEmpty() {
		now.Key.YNode().LineComment = none // what comes in the place of an empty map begins on another line
	}
	if comment != "" || metadata.Value.YNode().Style&yaml.FlowStyle != 0 {
		key.LineComment = comment
	}
	return err
}
