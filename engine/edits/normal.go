// SPDX-License-Identifier: Apache-2.0

package edits

import (
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	kptfileName = "Kptfile"
	// marks is what kpt's annotations begin with.
	marks = "internal.kpt.dev/"
)

// mergeComment matches the comment by which kpt finds a resource upstream.
var mergeComment = regexp.MustCompile(`^#\s*kpt-merge:\s*\S*$`)

// errNoForm is returned for YAML that has no normal form.
var errNoForm = errors.New("a key exists twice or is no scalar")

// normalIn returns the normal form of a file, a text that is equal for files between which Find makes no difference; ""
// if there is no such file, or if it has nothing but comments.
func normalIn(files map[string]string, name string) string {
	text, exists := files[name]
	if !exists {
		return ""
	}
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" || path.Base(name) == kptfileName {
		if normal, err := normal(text, name == kptfileName); err == nil {
			return normal
		}
	}
	return "text " + text
}

// normal returns the normal form of a YAML file, which may be the package's Kptfile: its documents and the lines of its
// comments, each in order.
func normal(text string, kptfile bool) (string, error) {
	var documents []string
	r := &reader{kptfile: kptfile}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		r.comment(&document)
		root := document.Content[0]
		if root.ShortTag() == yaml.NodeTagNull {
			r.comment(root)
			continue
		}
		r.leaveOutReports(root)
		normal, err := r.value(root)
		if err != nil {
			return "", err
		}
		documents = append(documents, normal)
	}
	if len(documents) == 0 {
		return "", nil
	}
	slices.Sort(documents)
	slices.Sort(r.comments)
	return "yaml " + strings.Join(append(documents, r.comments...), "\n"), nil
}

// reader makes the normal form of a file.
type reader struct {
	kptfile  bool
	comments []string
}

// comment keeps the lines of the comments at a node.
func (r *reader) comment(n *yaml.Node) {
	for line := range strings.Lines(n.HeadComment + "\n" + n.LineComment + "\n" + n.FootComment) {
		if line = strings.TrimSpace(line); line != "" && !r.kptfile && !mergeComment.MatchString(line) {
			r.comments = append(r.comments, line)
		}
	}
}

// value returns the normal form of a value.
func (r *reader) value(n *yaml.Node) (string, error) {
	r.comment(n)
	anchor := ""
	if n.Anchor != "" {
		anchor = "&" + n.Anchor + " "
	}
	switch n.Kind {
	case yaml.MappingNode:
		fields, err := r.fields(n)
		return anchor + n.ShortTag() + "{" + strings.Join(fields, ",") + "}", err
	case yaml.SequenceNode:
		var elements []string
		for _, element := range n.Content {
			value, err := r.value(element)
			if err != nil {
				return "", err
			}
			elements = append(elements, value)
		}
		return anchor + n.ShortTag() + "[" + strings.Join(elements, ",") + "]", nil
	case yaml.AliasNode:
		return "*" + n.Value, nil
	}
	value := n.Value
	switch n.ShortTag() {
	case yaml.NodeTagNull:
		value = ""
	case yaml.NodeTagBool:
		value = strings.ToLower(value)
	}
	return anchor + n.ShortTag() + strconv.Quote(value), nil
}

// fields returns the normal forms of the fields of a map, in order.
func (r *reader) fields(n *yaml.Node) ([]string, error) {
	var fields []string
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, err := r.value(n.Content[i])
		if err != nil || n.Content[i].Kind != yaml.ScalarNode || seen[n.Content[i].Value] {
			return nil, errNoForm
		}
		seen[n.Content[i].Value] = true
		value, err := r.value(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		fields = append(fields, name+":"+value)
	}
	slices.Sort(fields)
	return fields, nil
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
				value.Content = slices.DeleteFunc(value.Content, isRendered)
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

// isRendered reports whether a condition is the one that reports a render.
func isRendered(condition *yaml.Node) bool {
	if condition.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(condition.Content); i += 2 {
		if condition.Content[i].Value == "type" {
			return condition.Content[i+1].Value == "Rendered"
		}
	}
	return false
}

// isEmpty reports whether a map or a list has nothing in it.
func isEmpty(n *yaml.Node) bool {
	return (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && len(n.Content) == 0
}
