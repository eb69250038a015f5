// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestEdit checks that an edit is made in a copy, and refused if the result could not be read back.
func TestEdit(t *testing.T) {
	t.Parallel()
	const unreadable = `dir/a.yaml: A "a": could not be read again after the edit: ` +
		`move comments that stand between a key and its value, or the anchor or tag of its value, into lines of their own`
	for name, c := range map[string]struct {
		in     string
		breaks func(key, value *yaml.Node) // makes of its last field what no reader gives
		want   string
		err    string
	}{
		"edited":           {in: "a: 1 # c\n", want: "a: 1 # c\nnew: x\n"},
		"a key twice":      {in: "a: 1\na: 2\n", want: "a: 1\na: 2\nnew: x\n"},
		"anchor and alias": {in: "a: &x {b: 1}\nc: *x\n", want: "a: &x {b: 1}\nc: *x\nnew: x\n"},
		"refused by the edit": {in: "new: &x {b: 1}\nc: *x\n",
			err: `dir/a.yaml: A "a": new: has a YAML anchor (&x) that is used elsewhere, so that an edit would change the ` +
				`other place too: write the values out`},
		"no YAML": {in: "a: {}\n", breaks: func(key, value *yaml.Node) {
			key.LineComment, value.Style = "# c",
				0
		}, err: unreadable},
		"folded": {in: "a: >-\n  x\n\n    y\n", want: "a: \"x\\n\\n  y\"\nnew: x\n"},
		"block with a tab": {in: "a: x\n", breaks: func(_, value *yaml.Node) {
			value.Style,
				value.Value = yaml.LiteralStyle, "\tx\n"
		}, want: "a: \"\\tx\\n\"\nnew: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			item := fntest.Nodes(t, fntest.Files{"dir/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a}\n" + c.in})[0]
			fields := item.YNode().Content
			if c.breaks != nil {
				c.breaks(fields[len(fields)-2], fields[len(fields)-1])
			}
			before := item.MustString()
			edited, err := krm.Edit(item, func(e *node.Editor) error {
				field, err := e.Top("new")
				if err != nil {
					return err
				}
				return field.Set(node.String("x"))
			})
			if err == nil {
				err = krm.CheckEdited(item, edited)
			}
			got, gotErr := "", ""
			if err != nil {
				gotErr = err.Error()
			} else {
				_, got, _ = strings.Cut(edited.MustString(), "}}\n")
			}
			if diff := cmp.Diff([]string{c.want, c.err}, []string{got, gotErr}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, item.MustString()); diff != "" {
				t.Errorf("the item was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestEditNothing checks that an edit that changes nothing leaves an item as it is, and still quotes blocks of text that
// the emitter cannot write as blocks.
func TestEditNothing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a: &x {b: 'y'} # c\nc: *x\n":   "a: &x {b: 'y'} # c\nc: *x\n",
		"a: >-\n  x\n\n    y\n":         "a: \"x\\n\\n  y\"\n",
		"a: |\n  x\n  y\n# foot of a\n": "a: |\n  x\n  y\n# foot of a\n",
	} {
		item := fntest.Nodes(t, fntest.Files{"a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a}\n" + in})[0]
		edited, err := krm.Edit(item, func(*node.Editor) error { return nil })
		if err == nil {
			err = krm.CheckEdited(item, edited)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(edited.MustString(), "}}\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

// TestSame checks that items are the same only if nothing about them differs that is written.
func TestSame(t *testing.T) {
	t.Parallel()
	const text = "# head\na: &x [1, 'b'] # line\nc:\n  d: *x\n"
	for other, want := range map[string]bool{
		text: true,
		"# other\na: &x [1, 'b'] # line\nc:\n  d: *x\n":  false,
		"# head\na: &x [1, 'b'] # other\nc:\n  d: *x\n":  false,
		"# head\na: &x [1, \"b\"] # line\nc:\n  d: *x\n": false,
		"# head\na: &x [2, 'b'] # line\nc:\n  d: *x\n":   false,
		"# head\na: &x ['1', 'b'] # line\nc:\n  d: *x\n": false,
		"# head\na: &x [1] # line\nc:\n  d: *x\n":        false,
		"# head\na: &x [1, 'b'] # line\nc:\n  d: 1\n":    false,
	} {
		if got := krm.Same(yaml.MustParse(text), yaml.MustParse(other)); got != want {
			t.Errorf("%q: %t, want %t", other, got, want)
		}
	}
}

// TestEditJSON checks that an item which is written as JSON stays JSON with any new value, and that no other item
// becomes JSON.
func TestEditJSON(t *testing.T) {
	t.Parallel()
	const annotations = `"annotations": {"a/b": "c", internal.config.kubernetes.io/path: 'a.json', ` +
		`config.kubernetes.io/index: '0'}`
	for name, c := range map[string]struct{ in, want string }{
		"JSON": {`{"kind": "A", "n": 1, "l": [true, null, "x"], "m": {}, "d": {"b": "x"}}`,
			`{"kind": "A", "n": 1, "l": [true, null, "x"], "m": {}, "d": {"l": ["yes", 1], "b": "x"}}`},
		"JSON in lines": {"{\n  \"kind\": \"A\",\n  \"d\": {\n    \"l\": []\n  }\n}",
			`{"kind": "A", "d": {"l": ["yes", 1]}}`},
		"JSON without the field": {`{"kind": "A"}`, `{"kind": "A", "d": {"l": ["yes", 1]}}`},
		"JSON with what kpt adds": {`{"kind": "A", "metadata": {` + annotations + `}, "d": {}}`,
			`{"kind": "A", "metadata": {"annotations": {"a/b": "c", "internal.config.kubernetes.io/path": "a.json", ` +
				`"config.kubernetes.io/index": "0"}}, "d": {"l": ["yes", 1]}}`},
		"JSON with what kpt alone adds": {`{"kind": "A", "metadata": {annotations: {config.kubernetes.io/index: '0'}}}`,
			`{"kind": "A", "metadata": {"annotations": {"config.kubernetes.io/index": "0"}}, "d": {"l": ["yes", 1]}}`},
		"flow style":  {`{kind: A, d: {}}`, `{kind: A, d: {l: ["yes", 1]}}`},
		"flow values": {`{"kind": A, "d": {}}`, `{"kind": A, "d": {l: ["yes", 1]}}`},
		"block style": {"kind: A\nd: {\"b\": \"x\"}\n", "kind: A\nd: {l: [\"yes\", 1], \"b\": \"x\"}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edited, err := krm.Edit(yaml.MustParse(c.in), func(e *node.Editor) error {
				field, err := e.Top("d")
				if err != nil {
					return err
				}
				if field, err = field.Sub("l"); err != nil {
					return err
				}
				list, err := node.FromValue([]any{"yes", 1})
				if err != nil {
					return err
				}
				return field.Set(list, "l", "b")
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), strings.TrimSpace(edited.MustString())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
