// SPDX-License-Identifier: Apache-2.0

package yamledit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// read returns a document.
func read(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "\r\n", "\n")), &n); err != nil {
		t.Fatal(err)
	}
	return &n
}

// pod has lists in both styles.
const pod = `spec:
  containers:
  - name: web
    image: web:v1
    args:
      - "--a"
      - '--b'   # why
    env:
      - name: A
        value: x
`

// TestDocument checks what becomes of a text that is to be read as another one.
func TestDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, wanted, want string }{
		"nothing":                          {pod, strings.ReplaceAll(pod, "      - ", "    -   "), pod},
		"a value":                          {"a:   x   # c\nb: 'y'\n", "a: z # c\nb: 'y'\n", "a:   z   # c\nb: 'y'\n"},
		"quotes":                           {"a: x\nb: \"y\"\n", "a: 'x'\nb: \"z\"\n", "a: 'x'\nb: \"z\"\n"},
		"a null to a value":                {"a: # c\nb:\n", "a: x # c\nb: 1\n", "a: x # c\nb: 1\n"},
		"a value to a null":                {"a: x # c\nb: 1\n", "a: # c\nb:\n", "a: # c\nb:\n"},
		"a comment behind":                 {"a: x   # c\nb: 1\n", "a: x # d\nb: 1 # new\n", "a: x   # d\nb: 1 # new\n"},
		"a comment behind, removed":        {"a: x   # c\nb: # d\n  c: 1\n", "a: x\nb:\n  c: 1\n", "a: x\nb:\n  c: 1\n"},
		"a comment behind a key":           {"a:\n  b:   1   # c\n", "a: # d\n  b: 1 # c\n", "a: # d\n  b:   1   # c\n"},
		"a comment before":                 {"a: 1\n\n# on b\nb: 2\n", "a: 1\n# of b\n# two\nb: 2\n", "a: 1\n\n# of b\n# two\nb: 2\n"},
		"a comment before, removed":        {"# on a\na: 1\n\n# on b\n\nb: 2\n", "a: 1\nb: 2\n", "a: 1\n\nb: 2\n"},
		"a license before another comment": {"# on a\na: 1\n", "# c\n\n# on a\na: 1\n", "# c\n\n# on a\na: 1\n"},
		"another license":                  {"# c\n\n# on a\na: 1\n", "# d\n\n# on a\na: 1\n", "# d\n\n# on a\na: 1\n"},
		"a license":                        {"a: 1\n", "# c\n\na: 1\n", "# c\n\na: 1\n"},
		"the separator's comment":          {"--- # c\na: 1\n", "# d\na: 1\n", "--- # d\na: 1\n"},
		"behind the separator":             {"--- # c\n# d\na: 1\n# e\n\n# f\n", "# c\n# d\na: 2\n# e\n\n# f\n", "--- # c\n# d\na: 2\n# e\n\n# f\n"},
		"a new entry": {"a: 1\n# below a\n\n# on c\nc: 3\n", "a: 1\n# below a\n\nb: 2\n# on c\nc: 3\n",
			"a: 1\n# below a\n\nb: 2\n\n# on c\nc: 3\n"},
		"a new last entry": {"a:\n  x: 1\n  # below x\n\nb: 2\n", "a:\n  x: 1\n  # below x\n\n  y: 1\nb: 2\n",
			"a:\n  x: 1\n  # below x\n\n  y: 1\n\nb: 2\n"},
		"a new entry among empty lines": {"a: 1\n\nb: 2\n", "a: 1\nb: 2\nc: 3\n", "a: 1\n\nb: 2\n\nc: 3\n"},
		"a new first entry":             {"# on b\nb: 2\n", "a: 1\n# on b\nb: 2\n", "a: 1\n# on b\nb: 2\n"},
		"a gone entry":                  {"a: 1\n\n# on b\nb: 2\n# on c\nc: 3\n", "a: 1\n# on c\nc: 3\n", "a: 1\n# on c\nc: 3\n"},
		"a gone last entry":             {"a:\n  b: 1\n  # on c\n  c: 2\n\nd: 3\n", "a:\n  b: 1\nd: 3\n", "a:\n  b: 1\n\nd: 3\n"},
		"the first of an element": {"- # of a\n  a: 1\n  # on b\n  b: 2\n- c: 3\n  d: 4\n", "- # on b\n  b: 2\n- d: 4\n",
			"# on b\n- b: 2\n- d: 4\n"},
		"a new first of an element": {"- a: 1\n", "- b: 1\n  a: 1\n", "- b: 1\n  a: 1\n"},
		"a renamed key":             {"a: 1\nb:   {x:  1}\nc: 2\n", "a: 1\nd: {x: 1}\nc: 2\n", "a: 1\nd:   {x:  1}\nc: 2\n"},
		"another order":             {"a:  1 # a\nb:  2\n", "b: 2\na: 1 # a\n", "b:  2\na:  1 # a\n"},
		"lists as their neighbours": {pod, strings.ReplaceAll(pod, "    env:", "    ports:\n    - {containerPort: 1}\n    env:") +
			"  volumes:\n  - name: v\n",
			strings.ReplaceAll(pod, "    env:", "    ports:\n      - {containerPort: 1}\n    env:") + "  volumes:\n  - name: v\n"},
		"an element among others": {"l:\n  -   a\n  # on b\n  -   b\n", "l:\n- a\n- c\n- b\n", "l:\n  -   a\n  - c\n  -   b\n"},
		"an element that moved down": {"- name: a\n  v: 1\n- name: b\n# c\n- name: c\n", "- name: b\n- name: a\n  # c\n  v: 1\n# c\n- name: c\n",
			"- name: b\n- name: a\n  # c\n  v: 1\n# c\n- name: c\n"},
		"an element by its name": {"l:\n- name: a # a\n  v: 1\n- name: b # b\n  v: 1\n", "l:\n- name: b # b\n  v: 2\n",
			"l:\n- name: b # b\n  v: 2\n"},
		"an element with other lines": {"l:\n  - a\n", "l:\n- a\n- x: 1\n  y:\n  - 1\n- - 2\n  - 3\n- |\n  t\n",
			"l:\n  - a\n  - x: 1\n    y:\n      - 1\n  - - 2\n    - 3\n  - |\n    t\n"},
		"a map that becomes empty": {"a: # c\n  b: 1\nd: 2\n", "a: {} # c\nd: 2\n", "a: {} # c\nd: 2\n"},
		"a map that was empty":     {"a: {} # c\nd: 2\n", "a: # c\n  b: 1\nd: 2\n", "a: # c\n  b: 1\nd: 2\n"},
		"a literal block":          {"a: |-  # c\n    x\n     y\n    z\nb: 1\n", "a: |- # c\n  x\n  new\n\n  z\nb: 1\n", "a: |- # c\n    x\n    new\n\n    z\nb: 1\n"},
		"kept lines at the end":    {"a: |+\n  x\n\nb: 1\n", "a: |+\n  x\n\nb: 2\n", "a: |+\n  x\n\nb: 2\n"},
		"a comment in a block":     {"a: |\n  # x\n  y\n# on b\nb: 1\n", "a: |\n  # x\n  y\nb: 1\n", "a: |\n  # x\n  y\nb: 1\n"},
		"words of a folded block":  {"a: >-   # c\n  one two\n  three four\nb: 1\n", "a: >- # c\n  one two three\n  3 four five\nb: 1\n", "a: >-   # c\n  one two\n  three 3 four five\nb: 1\n"},
		"words that are new":       {"a: one two\n  three\nb: 'x y\n\n  z'\n", "a: zero one two three\nb: \"x y\\nz k\"\n", "a: zero one two\n  three\nb: \"x y\\nz k\"\n"},
		"words in quotes":          {"b: 'x y\n\n  z'\nc: \"u\n  v w\"\n", "b: 'x y\n\n  z k'\nc: \"t v w\"\n", "b: 'x y\n\n  z k'\nc: \"t\n  v w\"\n"},
		"words that go":            {"a: one two\n  three four\n  five\n", "a: one four five\n", "a: one four\n  five\n"},
		"a folded block beside":    {"a: >-\n  x\n  y\n\n   z\nb: 1\n", "a: >-\n  x\n  y\n\n   z\nb: 2\n", "a: >-\n  x\n  y\n\n   z\nb: 2\n"},
		"a folded block":           {"a: >\n  x\n  y\n", "a: >\n  x\n  z\n\n   k\n", "a: \"x z\\n\\n k\\n\"\n"},
		"flow style":               {"a: {b:  1,   c: [x,  'y' ]} # c\n", "a: {b: 2, c: [x, 'z']} # c\n", "a: {b:  2,   c: [x,  'z' ]} # c\n"},
		"entries in flow style":    {"a: {b:  1,   c: [x,  y ]}\n", "a: {c: [y], d: 1, e: {f: }}\n", "a: {c: [y ],   d: 1,   e: {f: null}}\n"},
		"comments in flow style": {"a: [x, # on x\n  y]\nb: 1\n", "a: [z, # on x\n  y]\nb: 2\n",
			"a: [z, # on x\n  y]\nb: 2\n"},
		"a key without a value":         {"a: {edge, disk: ssd, x: }\nb: 1\n", "a: {edge: , disk: hdd, x: 1}\nb: 1\n", "a: {edge, disk: hdd, x: 1 }\nb: 1\n"},
		"lines in flow style":           {"a: [\n  1,\n  2,\n]\n", "a: [1, 2, 3]\n", "a: [\n  1,\n  2,\n  3,\n]\n"},
		"JSON":                          {"{\n  \"a\":1,\n  \"b\": {\"c\":  [1,2]}\n}\n", "a: x\nb: {c: [1, 2, yes], d: {}, e: [3]}\nf: [4]\n", "{\n  \"a\":\"x\",\n  \"b\": {\"c\":  [1,2,\"yes\"], \"d\": {}, \"e\": [3]},\n  \"f\": [\n    4\n  ]\n}\n"},
		"JSON with new lines":           {"{\n  \"a\": 1\n}", "a: 1\nb: {c: [0o7]}\n", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      7\n    ]\n  }\n}"},
		"JSON in one line":              {"{\"a\":1,\"b\":2}", "a: 1\nb: \"\\e\"\n", "{\"a\":1,\"b\":\"\\u001b\"}"},
		"line ends of Windows":          {"a: 1\r\n# c\r\nb: x\r\n", "a: 1\n# c\nb: y\nc: 3\n", "a: 1\r\n# c\r\nb: y\r\nc: 3\r\n"},
		"line ends of both":             {"a: 1\r\nb: x\nc: 3\r\n", "a: 1\nb: y\nc: 3\n", "a: 1\r\nb: y\nc: 3\r\n"},
		"a byte order mark":             {"\ufeffa: 1\n", "a: 2\n", "\ufeffa: 2\n"},
		"no line end":                   {"a: 1\nb: 2", "a: 1\nb: 3\nc: 4\n", "a: 1\nb: 3\nc: 4"},
		"a line end that a block needs": {"a: 1\nb: 2", "a: 1\nb: |\n  x\n", "a: 1\nb: |\n  x\n"},
		"anchors":                       {"a: &x  {b: 1}\nc: *x\nd: &y\n  e: 1\n", "a: &x {b: 2}\nc: *x\nd: &y\n  e: 2\n", "a: &x  {b: 2}\nc: *x\nd: &y\n  e: 2\n"},
		"merge keys":                    {"a: &x\n  b: 1\nc:\n  <<: *x\n", "a: &x\n  b: 1\nc:\n  <<: *x\n  d: 1\ne:\n  <<: *x\n", "a: &x\n  b: 1\nc:\n  <<: *x\n  d: 1\ne:\n  <<: *x\n"},
		"tags":                          {"a: !t  x\nb: !!str 5\n", "a: !u x\nb: !!str 6\n", "a: !u x\nb: !!str 6\n"},
		"a question mark":               {"? a\n:   1\nb:  1\n", "a: 1\nb: 2\n", "? a\n:   1\nb:  2\n"},
		"a question mark, changed":      {"? a\n:   1\nb:  1\n", "a: 2\nb: 1\n", "a: 2\nb:  1\n"},
		"a comment before a scalar":     {"a:\n  # c\n  x\nb: 1\n", "a:\n  # c\n  y\nb: 1\n", "a:\n  # c\n  y\nb: 1\n"},
		"a root in flow style":          {"--- {a: 1} # c\n", "{a: 2} # c\n", "--- {a: 2} # c\n"},
		"a directive":                   {"%YAML 1.1\n---\na: 1\n...\n", "a: 2\n", "%YAML 1.1\n---\na: 2\n...\n"},
		"another indentation":           {"  a:\n      b: 1\n", "a:\n  b: 1\nc:\n  d: 1\n", "  a:\n      b: 1\n  c:\n      d: 1\n"},
		"long lines":                    {"a: 1\nb: x\n", "a: 2\nb: x " + strings.Repeat("y ", 99) + "\n", "a: 2\nb: x" + strings.Repeat(" y", 99) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := yamledit.Document(c.text, read(t, c.wanted))
			if diff := cmp.Diff(yamledit.Result{Text: c.want}, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestWidened checks what is written as new entries, or as a new document.
func TestWidened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, wanted, want string
		all                bool
	}{
		"a block at the end": {text: "a: |\n  x", wanted: "a: |-\n  x\nb: 1\n", want: "a: |-\n  x\nb: 1"},
		"a question mark":    {text: "a: 1\n", wanted: "? [b]\n: 1\n", want: "? [b]\n: 1\n", all: true},
		"another kind":       {text: "---\na: 1\n", wanted: "- 1\n", want: "---\n- 1\n", all: true},
		"odd lines":          {text: "a: 1 # c\rb: 2\n", wanted: "a: 2\nb: 2\n", want: "a: 2\nb: 2\n", all: true},
		"emptied":            {text: "a: 1\n", wanted: "{}\n", want: "{}\n", all: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := yamledit.Document(c.text, read(t, c.wanted))
			if diff := cmp.Diff(yamledit.Result{Text: c.want, Widened: true, All: c.all}, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestValue checks that the value of a document keeps the comments of the document.
func TestValue(t *testing.T) {
	t.Parallel()
	const text = "# license\n\na: 1\n\n# end\n"
	n := read(t, text).Content[0]
	n.Content[1].Value = "2"
	got, err := yamledit.Document(text, n)
	want := yamledit.Result{Text: "# license\n\na: 2\n\n# end\n"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestUnreadable checks what cannot be read or written.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, err string
		n         *yaml.Node
	}{
		"no YAML":       {"a: {", "cannot be read as YAML: yaml: line 1: did not find expected node content", read(t, "a: 1")},
		"no value":      {"# c\n", "cannot be read as YAML: it holds no value", read(t, "a: 1")},
		"no such value": {"- 1\n", "cannot be read as YAML", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.AliasNode, Value: "x"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := yamledit.Document(c.text, c.n)
			if !errors.Is(err, yamledit.ErrUnreadable) || err.Error() != c.err || got != (yamledit.Result{}) {
				t.Errorf("got %v, %v, want %s", got, err, c.err)
			}
		})
	}
}
