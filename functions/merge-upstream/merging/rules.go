// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// rules are what is particular about the fields of a resource.
type rules struct {
	kptfile, root, context, secret bool
	// filled are the fields that injection fills, injected are those that hold injected values; empty if none does.
	filled, injected []string
	// placed says that a variant's functions, or a merge that added the resource, set the namespace.
	placed bool
}

const (
	// identifier is the annotation in which kpt and Porch keep the identity that a resource has upstream.
	identifier      = "internal.kpt.dev/upstream-identifier"
	annotationsPath = "metadata.annotations."
	// contextName is the name of the ConfigMap that holds a package's context (a kpt convention).
	contextName = "kptfile.kpt.dev"
)

// ownAnnotations are the annotations that describe a package and not its upstream.
var ownAnnotations = []string{identifier, PairsAnnotation, injection.InjectedAnnotation,
	injection.PorchInjectedAnnotation}

// variantNames begin the names of functions that a variant prepended to the package's pipeline.
const variantNames = "PackageVariant."

// namespacesOf returns the namespaces that a variant's functions set in the resources of a package.
func namespacesOf(kptfile *file) []string {
	var out []string
	for _, d := range kptfile.docs {
		if d.root == nil {
			continue
		}
		for _, f := range contentOf(present(present(d.body(), "pipeline"), "mutators")) {
			name, namespace := node.GetString(f, "name"), node.GetString(f, "configMap", "namespace")
			if strings.HasPrefix(name, variantNames) && namespace != "" {
				out = append(out, namespace)
			}
		}
	}
	return out
}

// rulesFor returns the rules for a resource, whose local version must exist.
func (m *merged) rulesFor(t *tuple) rules {
	k := t.key()
	r := rules{
		kptfile: t.local.isKptfile(), root: t.local.file == pkgtree.KptfileName,
		context: k == key{kind: "ConfigMap", namespace: k.namespace, name: contextName},
		secret:  sources{bodyOf(t.original), bodyOf(t.local), bodyOf(t.updated)}.areSecret(),
		placed:  slices.Contains(m.namespaces, namespaceOf(t.local)) || m.addedHere(t),
	}
	if t.updated == nil || isPoint(t.updated) {
		fields := []string{"spec"}
		if k.group == "" && k.kind == "ConfigMap" {
			fields = []string{"data", "binaryData"}
		}
		if isPoint(t.local) && isInjected(t.local) {
			r.filled, r.injected = fields, fields
		} else if t.updated != nil && isRequired(t.updated) {
			r.filled = fields
		}
	}
	return r
}

// isRequired reports whether a package waits until an injection point is filled.
func isRequired(d *document) bool {
	return node.GetString(d.body(), yaml.MetadataField, "annotations", injection.PointAnnotation) == "required"
}

func isPoint(d *document) bool { return hasAnnotation(d, injection.PointAnnotation) }

func isInjected(d *document) bool {
	return hasAnnotation(d, injection.InjectedAnnotation) || hasAnnotation(d, injection.PorchInjectedAnnotation)
}

func hasAnnotation(d *document, name string) bool {
	return node.GetString(d.body(), "metadata", "annotations", name) != ""
}

// ownCondition matches the places of conditions and gates that functions and renderers write.
var ownCondition = regexp.MustCompile(
	`^(info\.readinessGates\[conditionType|status\.conditions\[type)=(config\.injection\..*|Rendered)\]$`)

// ours reports whether a field describes this package and not the upstream, so it stays as it is.
func (r rules) ours(path string) bool {
	if key, ok := strings.CutPrefix(path, annotationsPath); ok && slices.Contains(ownAnnotations, key) {
		return true
	}
	switch path {
	case "metadata.namespace":
		return r.root || r.placed
	case "status.renderStatus":
		return r.kptfile
	case "metadata.name", "upstream", "upstreamLock":
		return r.root
	case "data.name", "data.package-path":
		return r.context
	}
	return len(r.injected) > 0 && path == r.injected[0] || r.kptfile && ownCondition.MatchString(path)
}

// written reports whether a variant's functions, or renderers, write a field: if both sides changed it, it stays as it
// is and is no conflict.
func (r rules) written(path string) bool {
	top, _, _ := strings.Cut(path, ".")
	return slices.Contains(r.filled, top) || r.context && (path == "data" || strings.HasPrefix(path, "data.")) ||
		r.kptfile && (strings.HasPrefix(path, "status") || strings.Contains(path, "s[name="+variantNames))
}

// without returns a copy of a document's body without the fields that only this package has.
func (r rules) without(d *document) *yaml.Node {
	body := yaml.CopyYNode(d.body())
	for _, field := range r.injected {
		remove(body, field)
	}
	if r.kptfile {
		remove(body, "status")
	}
	if data := present(body, "data"); r.context && data != nil && data.Kind == yaml.MappingNode {
		remove(data, "name")
		remove(data, "package-path")
	}
	if r.placed {
		remove(present(body, "metadata"), "namespace")
	}
	removeAnnotations(body, func(key string) bool { return slices.Contains(ownAnnotations, key) })
	return body
}
