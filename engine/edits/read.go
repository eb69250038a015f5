// SPDX-License-Identifier: Apache-2.0

package edits

import (
	"crypto/sha256"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	kptfileName = "Kptfile"
	// marks is what kpt's annotations begin with; identifier is the one that names a resource as it is upstream.
	marks      = "internal.kpt.dev/"
	identifier = marks + "upstream-identifier"
)

// mergeComment matches the comment by which kpt finds a resource upstream.
var mergeComment = regexp.MustCompile(`^#\s*kpt-merge:\s*\S*$`)

// errUnreadable is returned for YAML that has no normal form.
var errUnreadable = errors.New("a key exists twice or is no scalar")

// reader makes the normal form of a document.
type reader struct {
	// kptfile is set for the package's Kptfile.
	kptfile bool
	// lines are the comments on lines of their own.
	lines []string
}

// read returns the normal form of a file; nil if it does not exist or has nothing but comments.
func read(files map[string]string, name string) *node {
	text, exists := files[name]
	if !exists {
		return nil
	}
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" || path.Base(name) == kptfileName {
		n, err := documents(text, name == kptfileName)
		switch {
		case err == nil && len(n.entries) == 0:
			return nil
		case err == nil:
			return n
		}
	}
	return &node{shape: shape{kind: values, tag: "text", value: text}}
}

// documents returns the normal form of a YAML file, without entries if it has nothing but comments.
func documents(text string, kptfile bool) (*node, error) {
	file, counts := &node{shape: shape{kind: resources}}, map[key]int{}
	var lines []string // of documents that have nothing else
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		r := &reader{kptfile: kptfile}
		r.comment(&document)
		root := document.Content[0]
		r.comment(root)
		if root.ShortTag() == yaml.NodeTagNull {
			lines = append(lines, r.lines...)
			continue
		}
		id := identityOf(root)
		r.leaveOutReports(root)
		value, err := r.node(root, schemaOf(root))
		if err != nil {
			return nil, err
		}
		resource := &node{shape: shape{kind: contents}}
		resource.add(key{kind: contents}, value)
		resource.addLines(r.lines)
		file.addNext(counts, key{kind: resources, name: id}, resource)
	}
	if len(file.entries) > 0 {
		file.addLines(lines)
	}
	return file, nil
}

// addLines adds comments on lines of their own.
func (n *node) addLines(lines []string) {
	counts := map[key]int{}
	for _, line := range lines {
		n.addNext(counts, key{kind: comments, name: line}, &node{})
	}
}

// comment keeps all comments of a node as such on lines of their own.
func (r *reader) comment(n *yaml.Node) {
	for _, text := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		r.lines = append(r.lines, r.linesOf(text)...)
	}
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
}

// linesOf returns the lines of a comment that are compared.
func (r *reader) linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !r.kptfile && !mergeComment.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// remark takes the comments in the lines of nodes.
func (r *reader) remark(nodes ...*yaml.Node) string {
	var lines []string
	for _, n := range nodes {
		lines = append(lines, r.linesOf(n.LineComment)...)
		n.LineComment = ""
	}
	return strings.Join(lines, "\n")
}

// node returns the normal form of a value.
func (r *reader) node(n *yaml.Node, schema *openapi.ResourceSchema) (*node, error) {
	r.comment(n)
	switch n.Kind {
	case yaml.MappingNode:
		return r.mapping(n, schema)
	case yaml.SequenceNode:
		return r.sequence(n, schema)
	case yaml.AliasNode:
		return &node{shape: shape{kind: values, tag: "alias", value: n.Value}}, nil
	}
	s := shape{kind: values, tag: n.ShortTag(), anchor: n.Anchor, value: n.Value}
	switch s.tag {
	case yaml.NodeTagNull:
		s.value = ""
	case yaml.NodeTagBool:
		s.value = strings.ToLower(s.value)
	}
	return &node{shape: s}, nil
}

func (r *reader) mapping(n *yaml.Node, schema *openapi.ResourceSchema) (*node, error) {
	out := &node{shape: shape{kind: fields, tag: n.ShortTag(), anchor: n.Anchor}}
	if len(n.Content) == 0 {
		out.value = "empty"
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		remark := r.remark(name, value)
		r.comment(name)
		var of *openapi.ResourceSchema
		if schema != nil {
			of = schema.Field(name.Value)
		}
		field, err := r.node(value, of)
		if err != nil {
			return nil, err
		}
		k := key{kind: fields, name: name.Value, tag: name.ShortTag() + name.Anchor}
		if name.Kind != yaml.ScalarNode || !out.add(k, field) {
			return nil, errUnreadable
		}
		if k.kind = remarks; remark != "" {
			out.add(k, &node{shape: shape{value: remark}})
		}
	}
	return out, nil
}

// sequence returns the normal form of a list: its elements by their merge keys if all have them, or else one value.
func (r *reader) sequence(n *yaml.Node, schema *openapi.ResourceSchema) (*node, error) {
	var of *openapi.ResourceSchema
	var keys []string
	if schema != nil {
		of = schema.Elements()
		if strategy, all := schema.PatchStrategyAndKeyList(); strings.Contains(strategy, "merge") {
			keys = all
		}
	}
	nodes, names, remarks := make([]*node, len(n.Content)), make([]string, len(n.Content)), make([]string, len(n.Content))
	for i, element := range n.Content {
		var err error
		names[i] = nameOf(element, keys)
		remarks[i] = r.remark(element)
		if nodes[i], err = r.node(element, of); err != nil {
			return nil, err
		}
	}
	out := &node{shape: shape{kind: elements, tag: n.ShortTag(), anchor: n.Anchor}}
	if len(nodes) > 0 && out.addElements(names, nodes) {
		for _, remark := range remarks {
			r.lines = append(r.lines, r.linesOf(remark)...)
		}
		return out, nil
	}
	var whole []byte
	for i := range nodes {
		whole = appendText(nodes[i].appendTo(whole), remarks[i])
	}
	sum := sha256.Sum256(whole)
	return &node{shape: shape{kind: values, tag: out.tag, anchor: out.anchor, value: string(sum[:])}}, nil
}

// addElements adds the elements of a list by their names; false if one has none, or the name of another.
func (n *node) addElements(names []string, nodes []*node) bool {
	for i, name := range names {
		if name == "" || !n.add(key{kind: elements, name: name}, nodes[i]) {
			return false
		}
	}
	return true
}
