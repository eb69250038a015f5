// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Copy returns the files of a clone as Clone does, for a home that need not write them as Porch does: the Kptfile keeps
// its comments, files with resources get nothing but the marks, and all others stay byte for byte, be they YAML or not.
// The Kptfile has no lock yet: Lock writes it.
func (m *Memo) Copy(upstream map[string]string, pkg string, deployment bool) (map[string]string, error) {
	if _, err := kptfileOf(upstream); err != nil {
		return nil, err
	}
	files := maps.Clone(upstream)
	var err error
	if files[kptfileName], err = renamed(upstream[kptfileName], pkg); err != nil {
		return nil, err
	}
	if deployment {
		if files, err = WithContexts(files, pkg); err != nil {
			return nil, err
		}
	}
	for name, text := range files {
		if !isResources(name) {
			continue
		}
		files[name], _ = remember(m, fileKey{done: "marked", name: name, text: text}, func() (string, error) {
			return marked(text), nil
		})
	}
	return files, nil
}

// renamed returns the Kptfile of a clone: with another name, and with the places of its own upstream and lock.
func renamed(text, pkg string) (string, error) {
	return rewritten(kptfileName, text, true, func(nodes []*yaml.RNode) error {
		file := nodes[0]
		err := file.PipeE(yaml.Tee(yaml.Clear("upstream")), yaml.Tee(yaml.Clear("upstreamLock")),
			yaml.Tee(yaml.Lookup("status"), yaml.Clear("renderStatus")))
		if err != nil {
			return err
		}
		name, err := file.Pipe(yaml.LookupCreate(yaml.ScalarNode, yaml.MetadataField, yaml.NameField))
		if err != nil {
			return err
		}
		name.YNode().Value, name.YNode().Tag = pkg, yaml.NodeTagString
		origin, err := yaml.Parse("upstream:\n  type: git\nupstreamLock:\n  type: git\n")
		if err != nil {
			return err
		}
		fields := file.YNode()
		after := 2 + slices.IndexFunc(fields.Content, func(n *yaml.Node) bool { return n.Value == yaml.MetadataField })
		fields.Content = slices.Insert(fields.Content, after, origin.YNode().Content...)
		return nil
	})
}

// separator matches where a document begins.
var separator = regexp.MustCompile(`(?m)^---([ \t\r].*)?$`)

// marked returns the text of a file with the marks on its resources. What is no resource stays as it is.
func marked(text string) string {
	var out strings.Builder
	start := 0
	for _, at := range separator.FindAllStringIndex(text, -1) {
		out.WriteString(markedDocument(text[start:at[0]]))
		start = at[0]
	}
	out.WriteString(markedDocument(text[start:]))
	return out.String()
}

// markedDocument does so with a document: by inserting text if that reads as it should, or else in the formatting of
// the YAML library.
func markedDocument(text string) string {
	node, err := yaml.Parse(text)
	if err != nil || !isResource(node) || isShared(node.Field(yaml.MetadataField)) {
		return text
	}
	lines := insertMarks(node, text)
	again, err := yaml.Parse(lines)
	if err == nil && node.MustString() == again.MustString() {
		return lines
	}
	first, rest, _ := strings.Cut(text, "\n")
	switch {
	case strings.TrimSpace(first) == "---":
		first += "\n"
	case separator.MatchString(first):
		return text
	default:
		first, rest = "", text
	}
	out, err := rewritten("", rest, true, func(nodes []*yaml.RNode) error { return mark(nodes[0]) })
	if err != nil {
		return text
	}
	return first + out
}

// isResource reports whether a document is a resource, and no template of another tool: what YAML takes for a map as a
// key is a pair of braces.
func isResource(node *yaml.RNode) bool {
	return node.YNode().Kind == yaml.MappingNode && node.GetKind() != "" && node.GetApiVersion() != "" &&
		!hasMapAsKey(node.YNode())
}

// isShared reports whether a field, or its annotations, may be the value of another field, too: it is an alias, or has
// an anchor.
func isShared(field *yaml.MapNode) bool {
	if field == nil {
		return false
	}
	n := field.Value.YNode()
	return n.Kind == yaml.AliasNode || n.Anchor != "" || isShared(field.Value.Field(yaml.AnnotationsField))
}

func hasMapAsKey(n *yaml.Node) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind != yaml.ScalarNode || hasMapAsKey(child) {
			return true
		}
	}
	return false
}

// mark marks a resource. A comment that stands where the mark would be stays.
func mark(node *yaml.RNode) error {
	metadata := node.Field(yaml.MetadataField)
	if metadata.IsNilOrEmpty() {
		return nil
	}
	key := metadata.Key.YNode()
	comment := key.LineComment
	err := identify(node)
	if comment != "" {
		key.LineComment = comment
	}
	return err
}

// insertMarks marks a resource, and returns its text with the marks where they stand if its lines are as most are.
func insertMarks(node *yaml.RNode, text string) string {
	metadata := node.Field(yaml.MetadataField)
	if metadata.IsNilOrEmpty() {
		return text
	}
	key, annotations := metadata.Key.YNode(), metadata.Value.Field(yaml.AnnotationsField)
	comment, was := key.LineComment, node.GetAnnotations()[identifier]
	if err := mark(node); err != nil {
		return text
	}
	lines, end := strings.SplitAfter(text, "\n"), "\n"
	if strings.HasSuffix(lines[0], "\r\n") {
		end = "\r\n"
	}
	if key.LineComment != comment {
		lines[key.Line-1] = strings.TrimRight(lines[key.Line-1], " \r\n") + " # " + key.LineComment + end
	}
	is := node.GetAnnotations()[identifier]
	if is == was || annotations != nil && len(annotations.Value.YNode().Content) == 0 {
		return strings.Join(lines, "")
	}
	added, parent, first := identifier+": '"+is+"'"+end, key, metadata.Value.YNode().Content[0]
	indent := strings.Repeat(" ", first.Column-1)
	if annotations == nil {
		added = indent + yaml.AnnotationsField + ":" + end + indent + "  " + added
	} else {
		parent, first = annotations.Key.YNode(), annotations.Value.YNode().Content[0]
		added = strings.Repeat(" ", max(first.Column-1, 0)) + added
	}
	at := endOf(parent, lines)
	lines[at-1] = strings.TrimRight(lines[at-1], "\r\n") + end
	return strings.Join(slices.Insert(lines, at, added), "")
}

// endOf returns the number of the last line of the value of a key: the last that is indented more than the key, without
// comments below.
func endOf(key *yaml.Node, lines []string) int {
	end := key.Line
	for i := key.Line; i < len(lines); i++ {
		content := strings.TrimSpace(lines[i])
		switch indent := strings.Index(lines[i], content); {
		case content == "" || content[0] == '#':
		case indent < key.Column:
			return end
		default:
			end = i + 1
		}
	}
	return end
}
