// SPDX-License-Identifier: Apache-2.0

// Package yamledit writes changed YAML documents: in the text that was read, it changes the lines that have to change.
package yamledit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Result is the text of a changed document.
type Result struct {
	Text string
	// Widened reports whether entries around a change were written as new ones, because what was written first was read
	// as something else, and All whether the whole document was.
	Widened, All bool
}

// ErrUnreadable is the error of a document that cannot be read, or would not be read again as what is to be written.
var ErrUnreadable = errors.New("cannot be read as YAML")

// maxTries is how often an entry around a change is written as a new one, before the whole document is.
const maxTries = 12

// Document returns the text of a document in which only those lines are changed that have to be, so that it is read as
// the given node: a document node, or the value of the document, whose own comments then stay. What it returns was read
// again as the same values in the same order, and with the same comments where YAML can have them in these places. A
// document in JSON stays one. The error is ErrUnreadable, or one about a value that has no form in JSON.
func Document(text string, wanted *yaml.Node) (Result, error) {
	src := newSource(text)
	read, err := parse(strings.TrimSuffix(src.text, ifTrue(src.open, "\n")))
	if err != nil {
		return Result{}, err
	}
	document := &yaml.Node{Kind: yaml.DocumentNode, HeadComment: read.HeadComment, FootComment: read.FootComment}
	if wanted.Kind == yaml.DocumentNode {
		document.HeadComment, document.FootComment = wanted.HeadComment, wanted.FootComment
		wanted = wanted.Content[0]
	}
	d := edit{src: src, json: isJSON(src.text), old: newTree(read), root: scan(src.text, read)}
	if d.json {
		if wanted, err = asJSON(wanted); err != nil {
			return Result{}, err
		}
	}
	document.Content = []*yaml.Node{copied(wanted)}
	d.new = newTree(document)
	if d.old.sum(read.Content[0]) == d.new.sum(document.Content[0]) && differingComments(d.old, d.new) == nil {
		return Result{Text: text}, nil
	}
	if d.root == nil {
		r, _, err := d.whole()
		return r, err
	}
	d.layout = layoutOf(d.root)
	if d.json {
		d.layout.indent = jsonIndent(src.text, d.root)
	}
	return d.proven()
}

// Edit returns the text of a document after a change of its document node, as Document does.
func Edit(text string, change func(document *yaml.Node) error) (string, error) {
	n, err := parse(strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n"))
	if err != nil {
		return "", err
	}
	if err := change(n); err != nil {
		return "", err
	}
	r, err := Document(text, n)
	return r.Text, err
}

func ifTrue(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// parse reads a document that holds something.
func parse(text string) (*yaml.Node, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if len(root.Content) != 1 {
		return nil, fmt.Errorf("%w: it holds no value", ErrUnreadable)
	}
	return &root, nil
}

// edit is the change of one document.
type edit struct {
	src      source
	json     bool
	old, new *tree
	root     *entry
	layout   layout
}

// proven writes the document until it is read again as what is to be written, each time with larger entries written as
// new ones.
func (d edit) proven() (Result, error) {
	var readable *Result // without the comments that it should have
	forced := map[*yaml.Node]bool{}
	for range maxTries {
		w := &writer{edit: d, text: d.src.text, forced: forced, columns: map[*yaml.Node]int{},
			copied: map[*yaml.Node]*entry{}}
		if !w.document() {
			break
		}
		text, at, values := d.read(w.pieces)
		r := Result{Text: text, Widened: len(forced) > 0}
		if values && at == nil {
			return r, nil
		}
		if values && readable == nil {
			readable = &r
		}
		d.widen(forced, at, w.edited)
	}
	r, at, err := d.whole()
	if readable != nil && (err != nil || at != nil) {
		return *readable, nil
	}
	return r, err
}

// read returns the text of pieces, the value at which it is read as something else than what is to be written, nil if
// there is none or it cannot be read, and whether it has the values that are to be written. The last line gets an end
// that it did not have where a block needs it.
func (d edit) read(pieces []piece) (text string, at *yaml.Node, values bool) {
	for _, ended := range []bool{false, true} {
		again := d.src.restored(pieces, ended)
		n, err := parse(strings.ReplaceAll(strings.TrimPrefix(again, byteOrderMark), "\r\n", "\n"))
		if err != nil {
			continue
		}
		differs := differing(n.Content[0], d.new.document.Content[0])
		same := differs == nil
		if same {
			differs = differingComments(newTree(n), d.new)
		}
		if text == "" || same && !values {
			text, at, values = again, differs, same
		}
		if values || !d.src.open {
			break
		}
	}
	return text, at, values
}

// widen adds the innermost entry around a value that is not written as a new one yet, at last the document; without a
// value, the ones around all that were edited.
func (d edit) widen(forced map[*yaml.Node]bool, at *yaml.Node, edited []*yaml.Node) {
	if at != nil {
		edited = []*yaml.Node{at}
	}
	root := d.new.document.Content[0]
	for _, n := range edited {
		for n != nil && (forced[n] || !d.new.isEntry(n)) {
			n = d.new.parent[n]
		}
		forced[cmp.Or(n, root)] = true
	}
	if len(edited) == 0 {
		forced[root] = true
	}
}

// whole writes the whole document by the encoder, and returns where its comments differ.
func (d edit) whole() (r Result, at *yaml.Node, err error) {
	var out bytes.Buffer
	if d.json {
		w := writer{edit: d}
		out.WriteString(w.inFlow(d.new.document.Content[0], ifTrue(d.layout.indent != "", "\n")) + "\n")
	} else {
		style := yaml.SequenceIndentStyle(yaml.DeriveSeqIndentStyle(d.src.text))
		enc := yaml.NewEncoderWithOptions(&out, &yaml.EncoderOptions{SeqIndent: style})
		out.WriteString(ifTrue(strings.HasPrefix(d.src.text, "---"), "---\n"))
		err = enc.Encode(d.new.document)
	}
	text, at, values := d.read([]piece{{text: out.String()}})
	if err != nil || !values {
		return Result{}, nil, ErrUnreadable
	}
	return Result{Text: text, Widened: true, All: true}, at, nil
}
