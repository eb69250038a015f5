// SPDX-License-Identifier: Apache-2.0

package blueprint

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// secretText matches the text of a secret, but not in a comment: of a manifest of one, of what sops encrypts, or of a
// private key.
var secretText = regexp.MustCompile(`(?m)^[^#\n]*(` +
	`\bkind["']?\s*:\s*["']?(Secret|SealedSecret|SopsSecret|SecretGenerator)(List)?\b|\bstringData\b|` +
	`ENC\[AES256_GCM,|-----BEGIN [A-Z ]*PRIVATE KEY|AGE-SECRET-KEY-|\bBEGIN (PGP MESSAGE|AGE ENCRYPTED FILE))`)

// withoutSecrets takes out of copies what is secret in one of them, and says what that is.
func withoutSecrets(all []*parsed) (out []Secret) {
	in := map[Place][]string{}
	for _, p := range all {
		for name, f := range p.files {
			p.findSecrets(name, f, func(at Place) { in[at] = nil })
		}
	}
	for _, p := range all {
		for name, f := range p.files {
			p.files[name] = f.without(name, func(at Place) bool {
				_, is := in[at]
				if is && !slices.Contains(in[at], p.Name) {
					in[at] = append(in[at], p.Name)
				}
				return is
			})
			if p.files[name] == nil {
				delete(p.files, name)
			}
		}
	}
	for at, names := range in {
		if len(names) > 0 {
			out = append(out, Secret{at, slices.Sorted(slices.Values(names))})
		}
	}
	slices.SortFunc(out, func(a, b Secret) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Field, b.Field))
	})
	return out
}

// without takes what is secret out of a file, and returns it; nil if nothing is left.
func (f *file) without(name string, isSecret func(Place) bool) *file {
	if isSecret(Place{File: name}) {
		return nil
	}
	left := slices.DeleteFunc(f.docs, func(d *document) bool { return isSecret(Place{File: name, Resource: d.id}) })
	if len(left) == 0 && len(f.docs) > 0 {
		return nil
	}
	f.docs = left
	for _, d := range f.docs {
		if at := (Place{name, d.id, generator}); field(d.body(), generator) != nil && isSecret(at) {
			removeField(d.body(), generator)
		}
	}
	return f
}

// generator is the field of a kustomization that makes Secrets.
const generator = "secretGenerator"

// findSecrets calls found with what is secret in a file, and with what of other files is.
func (p *parsed) findSecrets(name string, f *file, found func(Place)) {
	if len(f.docs) == 0 && (secretText.MatchString(f.text) || path.Base(name) == ".env") {
		found(Place{File: name})
	}
	for _, d := range f.docs {
		if d.root == nil && secretText.MatchString(d.text) || field(d.body(), "sops") != nil || isSecret(d.body()) {
			found(Place{File: name, Resource: d.id})
		}
		generators := field(d.body(), generator)
		if generators == nil {
			continue
		}
		found(Place{name, d.id, generator})
		for _, g := range generators.Content {
			for _, file := range slices.Concat(scalars(field(g, "files")), scalars(field(g, "envs")), scalars(field(g, "env"))) {
				file = file[strings.IndexByte(file, '=')+1:]
				found(Place{File: path.Join(path.Dir(name), p.abstract(file))})
			}
		}
	}
}

// secretKinds are the kinds of resources with secrets, encrypted or not.
var secretKinds = []string{"Secret", "SecretList", "SealedSecret", "SopsSecret", "SecretGenerator"}

// isSecret reports whether a value is or has a secret, also as a text. A reference to one is none.
func isSecret(n *yaml.Node) bool {
	switch {
	case n == nil:
		return false
	case n.Kind == yaml.ScalarNode:
		return secretText.MatchString(n.Value)
	case field(n, "stringData") != nil:
		return true
	case slices.Contains(secretKinds, get(n, "kind")):
		return field(n, "metadata") != nil || field(n, "data") != nil || field(n, "items") != nil
	}
	return slices.ContainsFunc(n.Content, isSecret)
}

// scalars returns a scalar, or those in a list.
func scalars(n *yaml.Node) (all []string) {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	for _, child := range n.Content {
		all = append(all, scalars(child)...)
	}
	return all
}

// removeField removes a field from a map.
func removeField(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
