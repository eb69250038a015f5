// SPDX-License-Identifier: Apache-2.0

package edits

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// valueOf returns what a path of fields leads to, nil if that does not exist.
func valueOf(n *yaml.Node, path ...string) *yaml.Node {
next:
	for _, name := range path {
		if n.Kind != yaml.MappingNode {
			return nil
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				n = n.Content[i+1]
				continue next
			}
		}
		return nil
	}
	return n
}

// textOf returns the scalar that a path of fields leads to, "" if there is none.
func textOf(n *yaml.Node, path ...string) string {
	if n = valueOf(n, path...); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// identityOf returns what kpt identifies a resource by: group, kind, namespace and name, those of the upstream if it is
// marked with them, so that resources that a function renames stay the same. It is "" for what is not a resource.
func identityOf(root *yaml.Node) string {
	if id := textOf(root, "metadata", "annotations", identifier); id != "" {
		return id
	}
	kind, name := textOf(root, "kind"), textOf(root, "metadata", "name")
	if kind == "" && name == "" {
		return ""
	}
	group, _, hasGroup := strings.Cut(textOf(root, "apiVersion"), "/")
	if !hasGroup {
		group = ""
	}
	namespace := textOf(root, "metadata", "namespace")
	if namespace == "" {
		namespace = "default"
	}
	return strings.Join([]string{group, kind, namespace, name}, "|")
}

// schemaOf returns the schema of a resource, nil if it is not known.
func schemaOf(root *yaml.Node) *openapi.ResourceSchema {
	return openapi.SchemaForResourceType(yaml.TypeMeta{APIVersion: textOf(root, "apiVersion"), Kind: textOf(root, "kind")})
}

// nameOf returns an element's merge keys with their values, as kpt names it; "" if it does not have the first key. The
// API server sets the protocol of ports that have none, and functions may, too.
func nameOf(element *yaml.Node, keys []string) string {
	var parts []string
	for i, k := range keys {
		value := textOf(element, k)
		switch {
		case value == "" && i == 0:
			return ""
		case value == "" && k == "protocol":
			value = "TCP"
		}
		parts = append(parts, k+"="+value)
	}
	return strings.Join(parts, ",")
}

// leaveOutReports removes kpt's annotations from a resource, and from the package's Kptfile what a render reports.
func (r *reader) leaveOutReports(root *yaml.Node) {
	r.leaveOut(root, func(name string, value *yaml.Node) bool {
		if name == "metadata" {
			r.leaveOut(value, func(name string, value *yaml.Node) bool {
				if name == "annotations" {
					r.leaveOut(value, func(name string, _ *yaml.Node) bool { return strings.HasPrefix(name, marks) })
				}
				return name == "annotations" && isEmpty(value)
			})
		}
		if name != "status" || !r.kptfile {
			return false
		}
		r.leaveOut(value, func(name string, value *yaml.Node) bool {
			if name == "conditions" && value.Kind == yaml.SequenceNode {
				leaveOutRendered(value)
			}
			return name == "renderStatus" || name == "conditions" && isEmpty(value)
		})
		return isEmpty(value)
	})
}

// leaveOut removes the unwanted fields of a map, and keeps the comments at them.
func (r *reader) leaveOut(n *yaml.Node, unwanted func(name string, value *yaml.Node) bool) {
	if n.Kind != yaml.MappingNode {
		return
	}
	kept := n.Content[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if !unwanted(name.Value, value) {
			kept = append(kept, name, value)
			continue
		}
		r.comment(name)
		r.comment(value)
	}
	n.Content = kept
}

// leaveOutRendered removes the condition that reports a render.
func leaveOutRendered(conditions *yaml.Node) {
	kept := conditions.Content[:0]
	for _, condition := range conditions.Content {
		if textOf(condition, "type") != "Rendered" {
			kept = append(kept, condition)
		}
	}
	conditions.Content = kept
}

// isEmpty reports whether a map or a list has nothing in it.
func isEmpty(n *yaml.Node) bool {
	return (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && len(n.Content) == 0
}
