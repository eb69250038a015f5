// SPDX-License-Identifier: Apache-2.0

package blueprint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// parse reads the files of a copy.
func parse(c *Copy) *parsed {
	p := &parsed{c, map[string]*file{}}
	for name, text := range c.Files {
		f := &file{text: text}
		if isResources(name) {
			f.docs = p.documents(text)
		}
		p.files[p.abstract(name)] = f
	}
	return p
}

// isResources reports whether a file is one of resources, by its name.
func isResources(name string) bool {
	return isKptfile(name) || slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

// documents returns the documents of a file; nil if it is something else.
func (p *parsed) documents(text string) (docs []*document) {
	seen := map[string]int{}
	for _, segment := range yamledit.Split(text) {
		var root yaml.Node
		if err := yaml.Unmarshal([]byte(segment), &root); err != nil {
			return nil
		}
		d := &document{text: segment}
		if root.Kind != 0 && root.Content[0].Kind == yaml.MappingNode {
			d.id = p.idOf(root.Content[0])
			if isPlain(root.Content[0]) {
				d.root = &root
			}
		} else if root.Kind != 0 && root.Content[0].Tag != yaml.NodeTagNull {
			return nil
		}
		if seen[d.id]++; seen[d.id] > 1 {
			d.id += fmt.Sprintf(" (%d)", seen[d.id])
		}
		docs = append(docs, d)
	}
	return docs
}

// idOf identifies a resource in its file: by kind and name.
func (p *parsed) idOf(body *yaml.Node) string {
	if get(body, "kind") == kptfile {
		return kptfile
	}
	return strings.TrimSpace(get(body, "kind") + " " + p.abstract(get(field(body, "metadata"), "name")))
}

// isPlain reports whether a value can be compared by fields: it has no anchors, and only scalars as keys, each once.
func isPlain(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return false
	}
	keys := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode || keys[child.Value] {
				return false
			}
			keys[child.Value] = true
		}
		if !isPlain(child) {
			return false
		}
	}
	return true
}

// wholeFiles has a file that is no file of resources in one copy be one value in all.
func wholeFiles(all []*parsed) {
	for _, p := range all {
		for name, f := range p.files {
			for _, other := range all {
				if g := other.files[name]; f.docs == nil && g != nil {
					g.docs = nil
				}
			}
		}
	}
}

// field returns the value of a field; nil if there is none.
func field(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// get returns the scalar in a field; "" if there is none.
func get(n *yaml.Node, name string) string {
	if value := field(n, name); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// listKey returns the field that each entry of a list has with another value, one by which the merge tells them from
// each other; "" if n is no such list, or merges as one value.
func listKey(n *yaml.Node, schema merging.Schema) string {
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return ""
	}
	keys, _ := schema.Keys(n)
	if len(keys) > 1 { // ports, which have names, too
		keys = slices.Concat([]string{"name"}, keys)
	}
	i := slices.IndexFunc(keys, func(key string) bool {
		seen := map[string]bool{"": true}
		return !slices.ContainsFunc(n.Content, func(entry *yaml.Node) bool {
			name := get(entry, key)
			was := seen[name]
			seen[name] = true
			return was
		})
	})
	if i < 0 {
		return ""
	}
	return keys[i]
}

// entryName returns the name of an entry of a list in paths.
func (p *parsed) entryName(entry *yaml.Node, key string) string {
	return "[" + key + "=" + p.abstract(get(entry, key)) + "]"
}

// valueOf returns the text of a value in one line, without the names of the environment.
func (p *parsed) valueOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		if n.Tag == yaml.NodeTagString {
			return p.abstract(cmp.Or(n.Value, `""`))
		}
		return n.Value
	}
	var parts []string
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			parts = append(parts, p.valueOf(child))
		case i%2 == 1:
			parts = append(parts, n.Content[i-1].Value+": "+p.valueOf(child))
		}
	}
	if n.Kind == yaml.SequenceNode {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// abstract returns a text in which Environment stands for the names of the copy's environment.
func (c *Copy) abstract(text string) string {
	return replaceWords(text, c.Names, func(string) string { return Environment })
}

// as returns a text in which the names of the copy's environment are those of another copy's.
func (c *Copy) as(other *Copy, text string) string {
	return replaceWords(text, c.Names, func(name string) string {
		return other.Names[min(slices.Index(c.Names, name), len(other.Names)-1)]
	})
}

// replaceWords replaces names where they are whole words of a text, the longest first. Numbers are no names.
func replaceWords(text string, names []string, with func(name string) string) string {
	isNumber := func(name string) bool { return strings.Trim(name, "0123456789") == "" }
	sorted := slices.DeleteFunc(slices.Clone(names), isNumber)
	slices.SortStableFunc(sorted, func(a, b string) int { return len(b) - len(a) })
	var out strings.Builder
	inWord := false
next:
	for i := 0; i < len(text); i++ {
		for _, name := range sorted {
			rest, has := strings.CutPrefix(text[i:], name)
			if has && !inWord && (rest == "" || !isWord(rest[0])) {
				out.WriteString(with(name))
				i += len(name) - 1
				inWord = true
				continue next
			}
		}
		out.WriteByte(text[i])
		inWord = isWord(text[i])
	}
	return out.String()
}

// isWord reports whether a character is a part of a word.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
