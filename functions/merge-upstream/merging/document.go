// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// document is a YAML document of a file.
type document struct {
	file  string
	index int
	// before is the path that the file has in the version if the upstream moved its subpackage; empty otherwise.
	before string
	// home is the directory of the package or subpackage that the file is in.
	home string
	// text is the document as it stands in its file, with the line that separates it from the one before.
	text string
	// root is the document node; nil if the document has only comments.
	root *yaml.Node
	// isCopy says that another resource is the one that the kpt-merge comment names.
	isCopy bool
	// paired is what the Kptfile says that the resource is upstream; empty if it says nothing.
	paired string
	// item is the item of a ResourceList that the document was made from; nil if it was made from text.
	item *yaml.RNode
}

// body returns the mapping that the document holds.
func (d *document) body() *yaml.Node { return d.root.Content[0] }

// bodyOf returns the mapping of a document; nil without one.
func bodyOf(d *document) *yaml.Node {
	if d == nil {
		return nil
	}
	return d.body()
}

func (d *document) isKptfile() bool { return path.Base(d.file) == pkgtree.KptfileName }

// file is a file of a version: its documents, or only its text.
type file struct {
	// raw is the text as it was given; text has the line ends of Unix.
	raw, text string
	// crlf reports whether all line ends are those of Windows.
	crlf bool
	docs []*document
	// whole reports whether the file is merged as a single value, and why says what in it is the reason, if it is.
	whole bool
	why   string
	// single are the documents of a file that is whole; nil if it cannot be read.
	single []*document
}

// resources returns the documents of a file that hold one.
func (f *file) resources() []*document {
	if f == nil {
		return nil
	}
	var out []*document
	for _, d := range slices.Concat(f.docs, f.single) {
		if d.root != nil {
			out = append(out, d)
		}
	}
	return out
}

// isOpaque reports whether a file is not YAML with resources, or is too large.
func (f *file) isOpaque() bool { return f != nil && f.whole && f.single == nil && f.docs == nil }

// pkg is one version of a package: its files by path.
type pkg map[string]*file

// home returns the directory of the package or subpackage that a file is in.
func (p pkg) home(name string) string {
	dir := path.Dir(name)
	for dir != path.Dir(dir) && p[path.Join(dir, pkgtree.KptfileName)] == nil {
		dir = path.Dir(dir)
	}
	return dir
}

// read parses the files of a version. A file with the text that it had in an earlier version shares its nodes, which a
// merge does not change.
func read(files map[string]string, earlier pkg) pkg {
	p := make(pkg, len(files))
	for name, text := range files {
		f := &file{raw: text, text: text}
		if unix := strings.ReplaceAll(text, "\r\n", "\n"); unix != text && !strings.ContainsRune(unix, '\r') {
			f.text = unix
			f.crlf = strings.Count(text, "\r\n") == strings.Count(text, "\n")
		}
		if same := earlier[name]; same != nil && same.text == f.text {
			f.docs, f.why = copies(same.docs), same.why
		} else {
			f.docs, f.why = parse(name, f.text)
		}
		f.whole = f.why != ""
		p[name] = f
	}
	return p
}

// copies returns documents of another version with the same nodes.
func copies(docs []*document) []*document {
	var out []*document
	for _, d := range docs {
		c := *d
		out = append(out, &c)
	}
	return out
}

// noResources is why a file whose name is not one of resources is merged as a single value.
const noResources = "it is not a file of resources"

// parse splits a file into its documents; why says why it cannot be merged by resource, if so.
func parse(name, text string) (docs []*document, why string) {
	if !fn.IsKrmResourceFile(name) {
		return nil, noResources
	}
	resources := 0
	for _, segment := range yamledit.Split(text) {
		root, err := parseDocument(segment)
		if err != nil && json.Valid([]byte(segment)) {
			return nil, `it is JSON with an escape that YAML lacks, such as \/`
		} else if err != nil {
			return nil, "it is not YAML"
		}
		if why := tooLarge(&root); why != "" {
			return nil, why
		}
		if isTemplate(segment, &root) {
			return nil, "it is a template"
		}
		d := &document{file: name, index: resources, text: segment}
		if root.Kind != 0 && !node.IsNull(root.Content[0]) {
			if root.Content[0].Kind != yaml.MappingNode {
				return nil, "it holds something else than resources"
			}
			d.root = &root
			resources++
		}
		docs = append(docs, d)
	}
	return docs, ""
}

// parseDocument parses a document. Without a line end, YAML attaches a comment on the last line to another value.
func parseDocument(text string) (root yaml.Node, err error) {
	err = yaml.Unmarshal([]byte(text), &root)
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if err == nil && strings.HasPrefix(strings.TrimSpace(last), "#") {
		var ended yaml.Node
		if err := yaml.Unmarshal([]byte(text+"\n"), &ended); err == nil && node.Equal(&root, &ended) {
			return ended, nil
		}
	}
	return root, err
}

// tooLarge says why a document would take too long to be merged by resource, if so.
func tooLarge(root *yaml.Node) string {
	switch err := node.Bounded(root); {
	case err != nil:
		return err.Error()
	case isWide(root):
		return fmt.Sprintf("it has a list or a map with more than %d entries", bounds.MergedEntries)
	}
	return ""
}

func isWide(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && len(n.Content) > bounds.MergedEntries ||
		len(n.Content) > 2*bounds.MergedEntries ||
		slices.ContainsFunc(n.Content, isWide)
}

// ambiguous names a resource that a file has twice, if there is one.
func ambiguous(docs []*document) (why string) {
	seen := map[key]bool{}
	for _, d := range docs {
		if d.root == nil {
			continue
		}
		k := keyOf(d)
		if seen[k] {
			return strings.TrimSpace("it has "+cmp.Or(describe(d), "a resource without a kind")) + " twice"
		}
		seen[k] = true
	}
	return ""
}

// separator returns the separating line with which a document's text begins, if it holds nothing else, and the rest.
func separator(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	if !yamledit.IsSeparator(line) {
		return "", text
	}
	if after := strings.TrimSpace(line[3:]); after != "" && !strings.HasPrefix(after, "#") {
		return "---\n", text
	}
	return line + "\n", rest
}

// encode returns the text of a node that has none.
func encode(n *yaml.Node) (string, error) {
	var out bytes.Buffer
	err := yaml.NewEncoder(&out).Encode(withoutMergeTags(n))
	return out.String(), err
}

// withoutMergeTags returns a node, or a copy, in which keys << have no tag: the emitter would write it.
func withoutMergeTags(n *yaml.Node) *yaml.Node {
	const tag = "!!merge"
	if n.Tag == tag {
		c := *n
		c.Tag = ""
		return &c
	}
	out := n
	for i, child := range n.Content {
		if c := withoutMergeTags(child); c != child {
			if out == n {
				clone := *n
				clone.Content, out = slices.Clone(n.Content), &clone
			}
			out.Content[i] = c
		}
	}
	return out
}
