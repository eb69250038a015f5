// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// notShown replaces the values of Secrets, and values that could be one.
const notShown = "(not shown)"

// secretText matches the text of a manifest with a Secret, readable or not, also inside of another text.
var secretText = regexp.MustCompile(`\bkind\b[\s\S]{0,60}?\bSecret(List)?\b|\b(stringData|secretGenerator)\b`)

// secretFields are fields that hold nothing but values of Secrets.
var secretFields = []string{"stringData", "secretGenerator"}

// isSecret reports whether a mapping is a Secret, or a list of Secrets.
func isSecret(n *yaml.Node) bool {
	n = node.Resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return false
	}
	kind := node.GetString(n, yaml.KindField)
	return kind == "Secret" || kind == "SecretList" ||
		slices.ContainsFunc(secretFields, func(field string) bool { return node.Get(n, field) != nil })
}

// hasSecret reports whether a value is, or holds, a Secret: as a part of it, or in a text. Aliases are not followed,
// because their anchors are in the same resource.
func hasSecret(n *yaml.Node) bool {
	switch {
	case n == nil:
		return false
	case n.Kind == yaml.ScalarNode:
		return hasSecretText(n.Value)
	case isSecret(n):
		return true
	}
	return slices.ContainsFunc(n.Content, hasSecret)
}

// hasSecretText reports whether a text could contain a Secret, even an encoded one.
func hasSecretText(text string) bool {
	if secretText.MatchString(text) {
		return true
	}
	plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	return err == nil && secretText.Match(plain)
}

// hasSecret reports whether one of the values is, or holds, a Secret.
func (s sources) hasSecret() bool {
	return hasSecret(s.original) || hasSecret(s.local) || hasSecret(s.updated)
}

// areSecret reports whether the mappings are a Secret in one of the versions.
func (s sources) areSecret() bool {
	return isSecret(s.original) || isSecret(s.local) || isSecret(s.updated)
}

// hidesField reports whether the values of a field of a resource must not be shown. In an annotation of a Secret,
// kubectl repeats all of it.
func (r rules) hidesField(path string) bool {
	shown := path == "type" || strings.HasPrefix(path, "metadata.") && !strings.HasPrefix(path+".", annotationsPath)
	return r.secret && !shown
}

// holdSecret reports whether a Secret is in the resource in one of the versions.
func (t *tuple) holdSecret() bool {
	return slices.ContainsFunc([]*document{t.original, t.local, t.updated}, func(d *document) bool {
		return d != nil && (hasSecret(d.root) || hasSecretText(d.text))
	})
}
