// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// isResources reports whether Porch takes a file for one with resources.
func isResources(name string) bool {
	extension := path.Ext(name)
	return path.Base(name) == kptfileName || extension == ".yaml" || extension == ".yml"
}

func sorted(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

// parse reads the resources of a file. Lists keep the style that they have only where that is asked for.
func parse(name, text string, keepStyle bool) ([]*yaml.RNode, error) {
	reader := &kio.ByteReader{
		Reader: strings.NewReader(text), SetAnnotations: map[string]string{kioutil.PathAnnotation: name},
		DisableUnwrapping: true, PreserveSeqIndent: keepStyle, WrapBareSeqNode: keepStyle,
	}
	nodes, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return nodes, nil
}

// encode writes the resources of a file.
func encode(nodes []*yaml.RNode) (string, error) {
	var out strings.Builder
	//nolint:staticcheck // the reader sets both
	writer := kio.ByteWriter{Writer: &out, ClearAnnotations: []string{kioutil.PathAnnotation,
		kioutil.LegacyPathAnnotation}}
	err := writer.Write(nodes)
	return out.String(), err
}

// Render returns how Porch writes the files of a package whose pipelines have no functions: with the formatting of its
// YAML library, and without those that should have resources and have none.
func Render(files map[string]string) (map[string]string, error) { return (*Memo)(nil).Render(files) }

// Render does as the function Render does.
func (m *Memo) Render(files map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(files))
	for name, text := range files {
		out[name] = text
		if !isResources(name) {
			continue
		}
		var err error
		out[name], err = remember(m, fileKey{done: "rendered", name: name, text: text}, func() (string, error) {
			nodes, err := parse(name, text, true)
			if err != nil || len(nodes) == 0 {
				return "", err
			}
			return encode(nodes)
		})
		if err != nil {
			return nil, err
		}
		if out[name] == "" {
			delete(out, name)
		}
	}
	return out, nil
}

// rewritten reads the resources of a file, has them changed, and writes them as Porch does.
func rewritten(name, text string, change func([]*yaml.RNode) error) (string, error) {
	nodes, err := parse(name, text, false)
	if err != nil || len(nodes) == 0 {
		return text, err
	}
	if err := change(nodes); err != nil {
		return "", fmt.Errorf("cannot edit %s: %w", name, err)
	}
	out, err := encode(nodes)
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", name, err)
	}
	return out, nil
}

// edited returns the text of a file whose first resource is changed, with all else as it was.
func edited(name, text string, change func(*yaml.RNode) error) (string, error) {
	documents := yamledit.Split(text)
	for i, document := range documents {
		n, err := yaml.Parse(document)
		if err == nil && yaml.IsMissingOrNull(n) {
			continue
		}
		documents[i], err = yamledit.Edit(document, func(n *yaml.Node) error { return change(yaml.NewRNode(n)) })
		if err != nil {
			return "", fmt.Errorf("cannot edit %s: %w", name, err)
		}
		break
	}
	return strings.Join(documents, ""), nil
}
