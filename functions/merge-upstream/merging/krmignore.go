// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"path"
	"slices"
	"strings"

	gitignore "github.com/monochromegane/go-gitignore"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// ignoreName is the name of the file that says which files of a package kpt does not pass to functions.
const ignoreName = ".krmignore"

// hides reports whether a .krmignore of a version hides a file. Only the one of the file's own package counts, as for
// kpt.
func (p pkg) hides(name string) bool {
	home := p.home(name)
	f := p[path.Join(home, ignoreName)]
	if f == nil || p[name] == nil {
		return false
	}
	const root = "/"
	ignored := gitignore.NewGitIgnoreFromReader(path.Join(root, home), strings.NewReader(f.text))
	if ignored.Match(path.Join(root, name), false) {
		return true
	}
	for dir := path.Dir(name); dir != home && dir != "."; dir = path.Dir(dir) {
		if ignored.Match(path.Join(root, dir), true) {
			return true
		}
	}
	return false
}

// leaveOut marks the files that are no resources for kpt as single values: those that a .krmignore hides and, in a
// ResourceList, those that hold YAML without a kind.
func (v versions) leaveOut() {
	for _, name := range v.paths() {
		here := v.local[name]
		hidden := (!v.resourcesOnly || here == nil) &&
			slices.ContainsFunc(v.all(), func(p pkg) bool { return p.hides(name) })
		for _, f := range v.file(name).existing() {
			if f.whole || v.resourcesOnly && f == here {
				continue
			}
			switch {
			case hidden:
				f.why = "a " + ignoreName + " hides it"
			case v.resourcesOnly && !f.isPassed():
				f.why = "it holds something else than resources"
			default:
				continue
			}
			f.whole, f.docs = true, nil
		}
	}
}

// isPassed reports whether kpt passes a file of YAML to functions: all of it must have a kind.
func (f *file) isPassed() bool {
	for _, d := range f.resources() {
		if body := d.body(); node.GetString(body, yaml.KindField) == "" || node.GetString(body, yaml.APIVersionField) == "" {
			return false
		}
	}
	return true
}

// isTemplate reports whether a document is a template of another tool: what YAML takes for a map as a key is a pair of
// braces.
func isTemplate(text string, n *yaml.Node) bool {
	return strings.Contains(text, "{{") && hasMapAsKey(n)
}

func hasMapAsKey(n *yaml.Node) bool {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.MappingNode || hasMapAsKey(c) {
			return true
		}
	}
	return false
}
