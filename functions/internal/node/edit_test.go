// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// edit applies an edit to a YAML document and returns the text that results, or the error.
func edit(t *testing.T, in string, f func(*node.Editor) error) (string, string) {
	t.Helper()
	doc := yaml.MustParse(in)
	if err := f(node.Edit(doc.YNode())); err != nil {
		return "", err.Error()
	}
	return doc.MustString(), ""
}

// field returns the field at a path of two keys, the second of which may be empty.
func field(e *node.Editor, a, b string) (*node.Field, error) {
	f, err := e.Top(a)
	if err != nil || b == "" {
		return f, err
	}
	return f.Sub(b)
}

func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, key, sub string
		value        any
		want, err    string
	}{
		"absent":              {in: "a: 1\n", key: "b", value: "x", want: "a: 1\nb: x\n"},
		"absent, in order":    {in: "a: 1\nz: 1\n", key: "k", value: "x", want: "a: 1\nk: x\nz: 1\n"},
		"absent below absent": {in: "a: 1\nz: 1\n", key: "k", sub: "s", value: "x", want: "a: 1\nk:\n  s: x\nz: 1\n"},
		"below null": {in: "k: # why\nz: 1\n", key: "k", sub: "s", value: "x",
			want: "k: # why\n  s: x\nz: 1\n"},
		"in empty flow": {in: "k: {}\n", key: "k", sub: "s", value: "x", want: "k:\n  s: x\n"},
		"comment of an empty flow": {in: "k: {} # none yet\nz: 1\n", key: "k", sub: "s", value: "x",
			want: "k: # none yet\n  s: x\nz: 1\n"},
		"list for an empty flow": {in: "k: [] # none yet\nz: 1\n", key: "k", value: []any{"x"},
			want: "k: # none yet\n- x\nz: 1\n"},
		"explicit tag":         {in: "k: !!str x\n", key: "k", value: "z", want: "k: z\n"},
		"equal, but ambiguous": {in: "k: yes # c\n", key: "k", value: "yes", want: "k: \"yes\" # c\n"},
		"ambiguous within": {in: "k: {a: on, b: x} # c\n", key: "k", value: map[string]any{"a": "on", "b": "x"},
			want: "k: {a: \"on\", b: x} # c\n"},
		"in flow":                 {in: "k: {a: 1} # c\n", key: "k", sub: "s", value: "x", want: "k: {a: 1, s: x} # c\n"},
		"equal, whatever style":   {in: "k: 'x' # c\n", key: "k", value: "x", want: "k: 'x' # c\n"},
		"keeps quotes":            {in: "k: 'x' # c\n", key: "k", value: "y", want: "k: 'y' # c\n"},
		"keeps double quotes":     {in: "k: \"x\"\n", key: "k", value: "y z", want: "k: \"y z\"\n"},
		"block to one line":       {in: "k: |\n  x\n  y\n", key: "k", value: "z", want: "k: z\n"},
		"one line to block":       {in: "k: x\n", key: "k", value: "y\nz\n", want: "k: |\n  y\n  z\n"},
		"quotes to block":         {in: "k: 'x' # c\nz: 1\n", key: "k", value: "y\nz\n", want: "k: | # c\n  y\n  z\nz: 1\n"},
		"quotes to odd lines":     {in: "k: 'x'\n", key: "k", value: " y\nz\n", want: "k: \" y\\nz\\n\"\n"},
		"folded to block":         {in: "k: >\n  x\n  y\n", key: "k", value: "y\nz", want: "k: |-\n  y\n  z\n"},
		"number to text":          {in: "k: 5\n", key: "k", value: "5", want: "k: \"5\"\n"},
		"quoted text to number":   {in: "k: \"5\" # c\n", key: "k", value: 5, want: "k: 5 # c\n"},
		"block text to number":    {in: "k: |\n  5\n", key: "k", value: 5, want: "k: 5\n"},
		"boolean of YAML 1.1":     {in: "k: x\n", key: "k", value: "off", want: "k: \"off\"\n"},
		"octal of YAML 1.1":       {in: "k: x\n", key: "k", value: "010", want: "k: \"010\"\n"},
		"sexagesimal of YAML 1.1": {in: "k: x\n", key: "k", value: "1:30", want: "k: \"1:30\"\n"},
		"value type of YAML 1.1":  {in: "k: x\n", key: "k", value: "=", want: "k: \"=\"\n"},
		"word of YAML 1.1":        {in: "k: x\n", key: "k", value: "Yes", want: "k: \"Yes\"\n"},
		"word that is none":       {in: "k: x\n", key: "k", value: "Yes-1.2/a_b", want: "k: Yes-1.2/a_b\n"},
		"port and time alike":     {in: "k: x\n", key: "k", value: "host:80", want: "k: host:80\n"},
		"date":                    {in: "k: x\n", key: "k", value: "2020-01-01", want: "k: \"2020-01-01\"\n"},
		"empty text":              {in: "k: x\n", key: "k", value: "", want: "k: \"\"\n"},
		"null text":               {in: "k: x\n", key: "k", value: "~", want: "k: \"~\"\n"},
		"float and bool": {in: "k: x\n", key: "k", value: []any{1.5, true, nil, 1e300},
			want: "k:\n- 1.5\n- true\n- null\n- 1e+300\n"},
		"key that needs quotes": {in: "k: {}\n", key: "k", sub: "yes", value: "x", want: "k:\n  \"yes\": x\n"},
		"text to map": {in: "k: x # c\nz: 1\n", key: "k", value: map[string]any{"a": 1},
			want: "k: # c\n  a: 1\nz: 1\n"},
		"map to text": {in: "k: # c\n  a: 1\nz: 1\n", key: "k", value: "x", want: "k: x # c\nz: 1\n"},
		"map to map": {in: "k:\n  # on a\n  a: 1 # a\n  # on b\n  b: 2 # b\n  c: {x: 1, y: 2} # c\n", key: "k",
			value: map[string]any{"a": 1, "c": map[string]any{"y": 3},
				"d": "new"}, want: "k:\n  # on a\n  a: 1 # a\n  c: {y: 3} # c\n  d: new\n"},
		"list to list": {in: "k:\n# on 1\n- 1 # one\n# on 2\n- 2 # two\n- {name: x, v: 1} # x\n", key: "k",
			value: []any{0, 2, map[string]any{"name": "x",
				"v": 2}}, want: "k:\n- 0\n# on 2\n- 2 # two\n- {name: x, v: 2} # x\n"},
		"keeps what stands below a list": {in: "k:\n- x\n# below\n\nz: 1\n", key: "k", value: map[string]any{"a": 1},
			want: "k:\n  a: 1\n# below\n\nz: 1\n"},
		"keeps a block within a map": {in: "k: # c\n  # of all\n\n  # on a\n  a: 1\nz: 1\n", key: "k", value: []any{"x"},
			want: "k: # c\n- x\n# of all\n\nz: 1\n"},
		"keeps a block between keys": {in: "k:\n  a: 1\n  # of all\n\n  b: 2\nz: 1\n", key: "k",
			value: map[string]any{"c": 3}, want: "k:\n  c: 3\n# of all\n\nz: 1\n"},
		"keeps a block in a list": {in: "k:\n- x\n# of all\n\n- y\nz: 1\n", key: "k", value: []any{"y"},
			want: "k:\n# of all\n- \"y\"\nz: 1\n"},
		"map to empty map": {in: "k: # c\n  a: 1\nz: 1\n", key: "k", value: map[string]any{},
			want: "k: {} # c\nz: 1\n"},
		"list to empty list": {in: "k: # c\n- 1\nz: 1\n", key: "k", value: []any{}, want: "k: [] # c\nz: 1\n"},
		"map to empty list":  {in: "k: # c\n  a: 1\nz: 1\n", key: "k", value: []any{}, want: "k: [] # c\nz: 1\n"},
		"null to empty map": {in: "k: # c\nz: 1\n", key: "k", value: map[string]any{},
			want: "k: {} # c\nz: 1\n"},
		"within, to empty": {in: "k:\n  a: # c\n    b: 1\n  l: # d\n  - 1\n", key: "k",
			value: map[string]any{"a": map[string]any{}, "l": []any{}}, want: "k:\n  a: {} # c\n  l: [] # d\n"},
		"element to empty": {in: "k:\n- name: x\n  a: # c\n    b: 1\n", key: "k",
			value: []any{map[string]any{"name": "x", "a": map[string]any{}}}, want: "k:\n- name: x\n  a: {} # c\n"},
		"text to empty map":    {in: "k: x # c\n", key: "k", value: map[string]any{}, want: "k: {} # c\n"},
		"flow map to flow map": {in: "k: {a: 1} # c\n", key: "k", value: map[string]any{}, want: "k: {} # c\n"},
		"comment below, to empty map": {in: "k: # c\n  # on a\n  a: 1\nz: 1\n", key: "k", value: map[string]any{},
			want: "k: {} # c\nz: 1\n"},
		"stands twice": {in: "k: 1\nk: 2\n", key: "k", value: "x",
			err: "k: stands twice: remove one of the two"},
		"a key within stands twice": {in: "k: {l: [{a: 1, b: 1, a: 2}]}\n", key: "k", value: map[string]any{"l": []any{}},
			err: "k.l[0].a: stands twice: remove one of the two"},
		"below text": {in: "k: x\n", key: "k", sub: "s", value: "x",
			err: "k: is a string, not a map: correct its type"},
		"alias": {in: "x: &a 1\nk: *a\n", key: "k", value: "y",
			err: "k: is a YAML alias (*a), so that an edit would change the other place too: write the value out"},
		"aliased": {in: "x: &a {b: 1}\nk: *a\n", key: "x", value: "y",
			err: "x: has a YAML anchor (&a) that is used elsewhere, so that an edit would change the other place too: " +
				"write the values out"},
		"anchor used within": {in: "k: {a: &v 1}\nx: *v\n", key: "k", value: "y",
			err: "k: has a YAML anchor (&v) that is used elsewhere, so that an edit would change the other place too: " +
				"write the values out"},
		"anchor used by none": {in: "k: &a x\n", key: "k", value: "z", want: "k: &a z\n"},
		"beside an anchor": {in: "x: &a 1\ny: *a\nk: z\n", key: "k", value: "w",
			want: "x: &a 1\ny: *a\nk: w\n"},
		"merge key within": {in: "x: &a {b: 1}\nk: {<<: *a}\n", key: "k", value: map[string]any{"b": "y"},
			err: "k: has a YAML merge key (<<), so that it cannot be edited safely: write the merged keys out"},
		"merge key": {in: "x: &a {b: 1}\nk: {<<: *a}\n", key: "k", sub: "b", value: "y",
			err: `k: has a YAML merge key (<<), so that "b" cannot be edited safely: write the merged keys out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, err := node.FromValue(c.value)
			if err != nil {
				t.Fatal(err)
			}
			got, gotErr := edit(t, c.in, func(e *node.Editor) error {
				f, err := field(e, c.key, c.sub)
				if err != nil {
					return err
				}
				return f.Set(value, "a", "k", "z")
			})
			if diff := cmp.Diff([]string{c.want, c.err}, []string{got, gotErr}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want, err string }{
		"the only one, commented": {in: "k: # c\n  s: 1\nz: 1\n", want: "k: {} # c\nz: 1\n"},
		"the only one in flow":    {in: "k: {s: 1} # c\nz: 1\n", want: "k: {} # c\nz: 1\n"},
		"with its comments":       {in: "k:\n  a: 1\n  # on s\n  s: 2 # s\n  b: 3\n", want: "k:\n  a: 1\n  b: 3\n"},
		"absent":                  {in: "k:\n  a: 1\n", want: "k:\n  a: 1\n"},
		"below absent":            {in: "a: 1\n", want: "a: 1\n"},
		"the only one":            {in: "k:\n  s: 1\n", want: "k: {}\n"},
		"keeps a block before":    {in: "k:\n  # of all\n\n  # on s\n  s: 2\n  b: 3\n", want: "k:\n  # of all\n  b: 3\n"},
		"keeps a block behind":    {in: "k:\n  a: 1\n  s: 2\n  # the end\n", want: "k:\n  a: 1\n  # the end\n"},
		"keeps the next's":        {in: "k:\n  s: 2\n  # on b\n  b: 3\n", want: "k:\n  # on b\n  b: 3\n"},
		"alias": {in: "x: &a 1\nk: {s: *a}\n",
			err: "k.s: is a YAML alias (*a), so that an edit would change the other place too: write the value out"},
		"keeps it all when empty": {in: "k:\n  s: 2\n  # the end\nz: 1\n", want: "k: {}\n# the end\n\nz: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, gotErr := edit(t, c.in, func(e *node.Editor) error {
				f, err := field(e, "k", "s")
				if err != nil {
					return err
				}
				_, err = f.Remove()
				return err
			})
			if diff := cmp.Diff([]string{c.want, c.err}, []string{got, gotErr}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzSet checks that a value that was set is read back as it is, by a reader that knows nothing of how it was written.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"x", "yes", "010", "a: b", "- a", "line\nline\n", " lead", "trail ", "#c", "\t", "é\u2028", "'", `"`, "\n", "\n x", "!!str", "&a", "*a", "|", ">", "%", "@", "`", "1e3", "0x1", "~", "null", "=", "<<", "\u0085", "\x7f", "\ufeff"} {
		f.Add("k: old # c\n", seed)
		f.Add("k: 'old'\nz: {k: 1}\n", seed)
		f.Add("{k: old, z: 1}\n", seed)
		f.Add("k: |\n  old\nz: 1\n", seed)
	}
	f.Fuzz(func(t *testing.T, in, value string) {
		doc, err := yaml.Parse(in)
		if err != nil || doc.YNode() == nil || doc.YNode().Kind != yaml.MappingNode {
			return
		}
		e := node.Edit(doc.YNode())
		field, err := e.Top("k")
		if err != nil || field.Set(node.String(value)) != nil {
			return
		}
		text, err := doc.String()
		if err != nil {
			t.Skip(err) // what the emitter refuses, it says; nothing is written
		}
		again, err := yaml.Parse(text)
		if err != nil {
			t.Fatalf("%q in %q gives %q: %v", value, in, text, err)
		}
		if got := node.Get(again.YNode(), "k"); got == nil || got.Value != value || got.ShortTag() != "!!str" {
			t.Errorf("%q in %q gives %q, read as %v", value, in, text, got)
		}
	})
}
