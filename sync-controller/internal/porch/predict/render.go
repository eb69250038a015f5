// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/comments"
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
// YAML library.
func Render(files map[string]string) (map[string]string, error) {
	return each(files, true, func([]*yaml.RNode) error { return nil })
}

// each reads the files with resources, has them changed, and writes them.
func each(files map[string]string, keepStyle bool, change func([]*yaml.RNode) error) (map[string]string, error) {
	out := make(map[string]string, len(files))
	for name, text := range files {
		out[name] = text
		if !isResources(name) {
			continue
		}
		nodes, err := parse(name, text, keepStyle)
		if err != nil {
			return nil, err
		}
		if len(nodes) == 0 {
			continue
		}
		if err := change(nodes); err != nil {
			return nil, fmt.Errorf("cannot edit %s: %w", name, err)
		}
		if out[name], err = encode(nodes); err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", name, err)
		}
	}
	return out, nil
}

// Save returns the files that are saved to a draft with the comments of what is there, which Porch brings back.
func Save(before, saved map[string]string) (map[string]string, error) {
	type id struct{ apiVersion, kind, namespace, name string }
	idOf := func(n *yaml.RNode) id { return id{n.GetApiVersion(), n.GetKind(), n.GetNamespace(), n.GetName()} }
	originals := map[id][]*yaml.RNode{}
	for _, name := range sorted(before) {
		if !isResources(name) {
			continue
		}
		nodes, err := parse(name, before[name], false)
		if err != nil {
			return nil, err
		}
		for _, node := range nodes {
			originals[idOf(node)] = append(originals[idOf(node)], node)
		}
	}
	return each(saved, false, func(nodes []*yaml.RNode) error {
		for _, node := range nodes {
			for _, original := range originals[idOf(node)] {
				if isTemplate(node) || isTemplate(original) {
					continue
				}
				if err := comments.CopyComments(original, node); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// isTemplate reports whether the comments of a resource are a language of their own (ytt), which Porch does not touch.
func isTemplate(node *yaml.RNode) bool {
	text, err := node.String()
	return err == nil && (strings.Contains(text, "#@") || strings.Contains(text, "#!"))
}
