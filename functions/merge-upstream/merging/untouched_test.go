// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"encoding/json"
	"maps"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// makers make a package of a version of its upstream, as a copy, as kpt does it, and as Porch and a variant do it.
var makers = map[string]func(files) files{
	"copied": maps.Clone[files],
	"by kpt": func(f files) files { return each(f, noteName) },
	"by a variant": func(f files) files {
		return each(f, func(file string, body *yaml.RNode) {
			noteName(file, body)
			identify(file, body)
			if file == "Kptfile" {
				prepend(body)
			}
		})
	}}

// each changes all resources of a package.
func each(f files, change func(file string, body *yaml.RNode)) files {
	out := files{}
	for name, text := range f {
		out[name] = text
		if base := path.Base(name); base != "Kptfile" && path.Ext(base) != ".yaml" {
			continue
		}
		docs, ok := documents(text)
		if !ok {
			continue
		}
		var texts []string
		for _, d := range docs {
			change(name, d)
			texts = append(texts, d.MustString())
		}
		out[name] = strings.Join(texts, "---\n")
	}
	return out
}

// documents returns the resources in a file; false if it holds something else.
func documents(text string) (docs []*yaml.RNode, ok bool) {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			return docs, err.Error() == "EOF" && len(docs) > 0
		}
		if len(n.Content) == 0 || n.Content[0].Kind != yaml.MappingNode {
			return nil, false
		}
		docs = append(docs, yaml.NewRNode(n.Content[0]))
	}
}

// noteName gives a resource the comment by which kpt knows it again.
func noteName(file string, body *yaml.RNode) {
	field := body.Field("metadata")
	if path.Base(file) == "Kptfile" || field == nil || field.Key.YNode().LineComment != "" {
		return
	}
	field.Key.YNode().LineComment = "# kpt-merge: " + body.GetNamespace() + "/" + body.GetName()
}

// identify gives a resource the annotation by which Porch knows it again.
func identify(file string, body *yaml.RNode) {
	if path.Base(file) == "Kptfile" || body.GetName() == "" {
		return
	}
	group, _, found := strings.Cut(body.GetApiVersion(), "/")
	if !found {
		group = ""
	}
	namespace := body.GetNamespace()
	if namespace == "" {
		namespace = "default"
	}
	_, err := body.Pipe(yaml.LookupCreate(yaml.ScalarNode, "metadata", "annotations", "internal.kpt.dev/upstream-identifier"),
		yaml.Set(yaml.NewStringRNode(group+"|"+body.GetKind()+"|"+namespace+"|"+body.GetName())))
	if err != nil {
		panic(err)
	}
}

// prepend puts a function of a variant in front of the pipeline.
func prepend(kptfile *yaml.RNode) {
	list, err := kptfile.Pipe(yaml.LookupCreate(yaml.SequenceNode, "pipeline", "mutators"))
	if err != nil {
		panic(err)
	}
	own := yaml.MustParse("image: own:v1\nname: PackageVariant.web..0\n").YNode()
	list.YNode().Content = append([]*yaml.Node{own}, list.YNode().Content...)
}

// contents returns what a package says: for each file its resources with all lists in their order, as JSON, without
// what only variants add.
func contents(f files) files {
	out := files{}
	for name, text := range f {
		docs, ok := documents(text)
		if !ok {
			out[name] = text
			continue
		}
		for _, d := range docs {
			var value map[string]any
			if err := d.YNode().Decode(&value); err != nil {
				out[name] += err.Error()
				continue
			}
			if withoutMarks(value); name == "Kptfile" { // a package has its own name and upstream
				delete(value, "upstream")
				delete(value, "upstreamLock")
				value["metadata"].(map[string]any)["name"] = ""
			}
			text, err := json.MarshalIndent(value, "", " ")
			if err != nil {
				panic(err)
			}
			out[name] += string(text) + "\n"
		}
	}
	return out
}

func withoutMarks(value map[string]any) {
	if metadata, ok := value["metadata"].(map[string]any); ok {
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, "internal.kpt.dev/upstream-identifier")
			if len(annotations) == 0 {
				delete(metadata, "annotations")
			}
		}
	}
	pipeline, ok := value["pipeline"].(map[string]any)
	if !ok || value["kind"] != "Kptfile" {
		return
	}
	if mutators, ok := pipeline["mutators"].([]any); ok && len(mutators) > 0 {
		if first, ok := mutators[0].(map[string]any); ok && first["name"] == "PackageVariant.web..0" {
			mutators = mutators[1:]
		}
		if pipeline["mutators"] = mutators; len(mutators) == 0 {
			delete(pipeline, "mutators")
		}
	}
	if len(pipeline) == 0 {
		delete(value, "pipeline")
	}
}
