// SPDX-License-Identifier: Apache-2.0

package edits_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/edits"
)

type files = map[string]string

// deployment is a resource as it is upstream.
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1 # kpt-set: ${replicas}
  template:
    spec:
      initContainers:
      - name: first
        image: a
      - name: second
        image: b
      containers:
      # the web server
      - name: web
        image: web:1
        args: [a, b]
        ports:
        - containerPort: 80
        env:
        - name: A
          value: "1"
`

// upgraded is the same resource of a later revision.
var upgraded = replaced(deployment, "replicas: 1", "replicas: 2", "web:1", "web:2", "[a, b]", "[a, c]",
	"        env:\n", "        env:\n        - name: B\n          value: x\n", "# the web server", "# the web server, again",
	"spec:\n  replicas", "spec:\n  paused: true\n  replicas")

// replaced replaces each old text, which must be there once, by a new one.
func replaced(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			panic("not there once: " + pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// TestFindInFile has the drafts of a file that neither the source nor what is saved has, in normal form.
func TestFindInFile(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]string{
		"a field as it is saved":              {"web:1", "web:2"},
		"a field that is saved only":          {"spec:\n  replicas", "spec:\n  paused: true\n  replicas"},
		"an element that is saved only":       {"        env:\n", "        env:\n        - name: B\n          value: x\n"},
		"a list as it is saved":               {"[a, b]", "[a, c]"},
		"a comment as it is saved":            {"# the web server", "# the web server, again"},
		"neither comment":                     {"      # the web server\n", ""},
		"a field changed":                     {"web:1", "web:3"},
		"a field of another type":             {"replicas: 1", "replicas: '1'"},
		"a field that became a map":           {"replicas: 1 #", "replicas: {} #"},
		"a field added":                       {"spec:\n  replicas", "spec:\n  x: true\n  replicas"},
		"a field removed":                     {"  replicas: 1 # kpt-set: ${replicas}\n", ""},
		"an element added":                    {"- name: A", "- name: C\n        - name: A"},
		"an element removed":                  {"        - name: A\n          value: \"1\"\n", "        - name: B\n          value: x\n"},
		"all elements removed":                {"\n        - name: A\n          value: \"1\"", " []"},
		"elements in another order":           {"first", "third", "second", "first", "third", "second", "image: a", "image: c", "image: b", "image: a", "image: c", "image: b"},
		"a port":                              {"containerPort: 80", "containerPort: 80\n          hostPort: 1"},
		"a list without keys, mixed":          {"[a, b]", "[a, b, c]"},
		"a comment added":                     {"web:1", "web:1\n        # mine"},
		"a comment twice":                     {"# the web server", "# the web server\n      # the web server"},
		"a comment in a line added":           {"web:1", "web:1 # mine"},
		"a comment in a line changed":         {"${replicas}", "${other}"},
		"a comment in a line removed":         {" # kpt-set: ${replicas}", ""},
		"a comment in the line of an element": {"- name: first\n        image: a", "- {name: first, image: a} # mine"},
		"another name":                        {"metadata:\n  name: web", "metadata:\n  name: other"},
		"another kind":                        {"Deployment", "StatefulSet"},
		"another version":                     {"apps/v1", "apps/v2"},
		"a resource added":                    {"apiVersion", "kind: A\nmetadata:\n  name: a\n---\napiVersion"},
		"a resource twice":                    {"apiVersion", deployment + "---\napiVersion"},
		"a document added":                    {"apiVersion", "a: 1\n---\napiVersion"},
		"a comment in a document of its own":  {"apiVersion: apps", "---\n# mine\n---\napiVersion: apps"},
		"not readable":                        {"spec:\n  replicas", "spec:\n replicas"},
		"a key twice":                         {"replicas: 1", "replicas: 1\n  replicas: 2"},
		"a key that is none":                  {"replicas: 1", "? [a]\n  : 1\n  replicas: 1"},
		"a key twice in a list":               {"[a, b]", "[{a: 1, a: 2}]"},
		"an element without its key":          {"- name: A\n          value", "- value"},
		"an anchor":                           {"replicas: 1", "replicas: &a 1"},
		"an anchor at a map":                  {"metadata:", "metadata: &a"},
		"an anchor at a key":                  {"replicas: 1", "&a replicas: 1"},
		"a tag":                               {"replicas: 1", "replicas: !a 1"},
		"a long path":                         {"replicas: 1", strings.Repeat("é", 150) + ": 1\n  replicas: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, saved, found := files{"a.yaml": deployment}, files{"a.yaml": upgraded},
				files{"a.yaml": replaced(deployment, changes...)}
			if diff := cmp.Diff([]string{"a.yaml was changed"}, edits.Find(found, source, saved)); diff != "" {
				t.Errorf("Find (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEachLine checks that each line that a person adds, changes or removes is an edit, wherever it is.
func TestEachLine(t *testing.T) {
	t.Parallel()
	source := files{"a.yaml": deployment}
	lines := strings.SplitAfter(deployment, "\n")
	for i, line := range lines[:len(lines)-1] {
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, text := range []string{"", indent + "# mine\n" + line, "# mine\n" + line, line + indent + "# mine\n",
			strings.TrimSuffix(line, "\n") + " # mine\n"} {
			if edits.Find(files{"a.yaml": before + text + after}, source) == nil {
				t.Errorf("no edits where %q became %q", line, text)
			}
		}
	}
}

// TestFind has the edits of packages, and of files that are no resources.
func TestFind(t *testing.T) {
	t.Parallel()
	changed := func(path string) []string { return []string{path + " was changed"} }
	for name, test := range map[string]struct {
		source, saved, found files
		want                 []string
	}{
		"no files": {},
		"half saved": {files{"a.yaml": "a: 1\n", "b.yaml": "b: 1\n", "Kptfile": "info: {}\n"},
			files{"a.yaml": "a: 2\n", "b.yaml": "b: 2\n", "Kptfile": "info: {}\n", "context.yaml": "x: 1\n"},
			files{"a.yaml": "a: 1\n", "b.yaml": "b: 2\n", "Kptfile": "info: {}\n"}, nil},
		"several": {files{"a": "1", "b": "1", "c": "1"}, files{"a": "1", "b": "1", "c": "1"},
			files{"c": "2", "b": "1", "d": "1"},
			[]string{"a is missing", "c was changed", "d was added"}},
		"missing that one has":      {files{"a": "1"}, files{"b": "1"}, files{}, nil},
		"taken back":                {files{"a.yaml": "a: 1\n"}, files{"a.yaml": "a: 2\nb: 1\n"}, files{"a.yaml": "a: 1\n"}, nil},
		"half taken back":           {files{"a.yaml": "a: 1\n"}, files{"a.yaml": "a: 2\nb: 1\n"}, files{"a.yaml": "a: 2\n"}, changed("a.yaml")},
		"part of a new file":        {files{}, files{"a.yaml": "a: 2\nb: 1\n"}, files{"a.yaml": "a: 2\n"}, changed("a.yaml")},
		"part of a new map":         {files{"a.yaml": "x: 1\n"}, files{"a.yaml": "x: 1\nm: {a: 1, b: 1}\n"}, files{"a.yaml": "x: 1\nm: {a: 1}\n"}, changed("a.yaml")},
		"part of a changed type":    {files{"a.yaml": "m: 1\n"}, files{"a.yaml": "m: {a: 1, b: 1}\n"}, files{"a.yaml": "m: {a: 1}\n"}, changed("a.yaml")},
		"whole of a changed type":   {files{"a.yaml": "m: 1\nn: 1\n"}, files{"a.yaml": "m: {a: 1, b: 1}\nn: 2\n"}, files{"a.yaml": "m: {a: 1, b: 1}\nn: 1\n"}, changed("a.yaml")},
		"an emptied map":            {files{"a.yaml": "m: {a: 1}\n"}, files{"a.yaml": "m: {b: 1}\n"}, files{"a.yaml": "m: {}\n"}, changed("a.yaml")},
		"a scalar":                  {files{"a.yaml": "1\n"}, files{"a.yaml": "2\n"}, files{"a.yaml": "3\n"}, changed("a.yaml")},
		"a list":                    {files{"a.yaml": "[1]\n"}, files{"a.yaml": "[2]\n"}, files{"a.yaml": "[1, 2]\n"}, changed("a.yaml")},
		"a comment moved in a list": {files{"a.yaml": "- 1 # x\n- 2\n"}, files{"a.yaml": "- 1 # x\n- 3\n"}, files{"a.yaml": "- 1\n- 2 # x\n"}, nil},
		"a text":                    {files{"a.md": "x: 1\n"}, files{"a.md": "x: 2\n"}, files{"a.md": "x:  1\n"}, changed("a.md")},
		"a text that is saved":      {files{"a.md": "x: 1\n"}, files{"a.md": "x: 2\n"}, files{"a.md": "x: 2\n"}, nil},
		"an empty text":             {files{"a.md": "x"}, files{"a.md": "x"}, files{"a.md": ""}, changed("a.md")},
		"ends of a text":            {files{"a.md": "x\n"}, files{"a.md": "x\n"}, files{"a.md": "x\r\n"}, changed("a.md")},
		"an emptied file":           {files{"a.yaml": "x: 1\n"}, files{"a.yaml": "x: 1\n"}, files{"a.yaml": "# x: 1\n"}, []string{"a.yaml is missing"}},
		"a file that was empty":     {files{"a.yaml": ""}, files{"a.yaml": "# c\n"}, files{"a.yaml": "x: 1\n"}, []string{"a.yaml was added"}},
		"not readable":              {files{"a.yaml": "x: [\n"}, files{"a.yaml": "x: 1\n"}, files{"a.yaml": "x: [\n\n"}, changed("a.yaml")},
		"readable again":            {files{"a.yaml": "x: [\n"}, files{"a.yaml": "x: 1\ny: 1\n"}, files{"a.yaml": "x: 1\n"}, changed("a.yaml")},
		"a template":                {files{"a.yaml": "{{ x }}\n"}, files{"a.yaml": "{{ x }}\n"}, files{"a.yaml": "{{  x }}\n"}, changed("a.yaml")},
		"an expanded alias":         {files{"a.yaml": "a: &x 1\nb: *x\n"}, files{"a.yaml": "a: &x 1\nb: *x\n"}, files{"a.yaml": "a: &x 1\nb: 1\n"}, changed("a.yaml")},
		"an alias":                  {files{"a.yaml": "a: &x 1\nb: *x\n"}, files{"a.yaml": "a: &x 2\nb: *x\n"}, files{"a.yaml": "a: &x 2\n\nb: *x\n"}, nil},
		"a renamed resource": {files{"a.yaml": marked("web")}, files{"a.yaml": marked("prod-web")},
			files{"a.yaml": replaced(marked("prod-web"), "  x: 1\n", "")}, changed("a.yaml")},
		"no Kptfile of the package": {files{"sub/Kptfile": "status: {renderStatus: 1}\n"}, files{}, files{"sub/Kptfile": "status: {renderStatus: 2}\n"},
			changed("sub/Kptfile")},
		"a comment in another Kptfile": {files{"sub/Kptfile": "a: 1\n"}, files{}, files{"sub/Kptfile": "# c\na: 1\n"},
			changed("sub/Kptfile")},
		"conditions that are no list": {files{"Kptfile": "status: {conditions: {x: {type: Rendered, a: 1}}}\n"}, files{}, files{"Kptfile": "status: {conditions: {x: {type: Rendered, a: 2}}}\n"},
			changed("Kptfile")},
		"the source's order":    {files{"a.yaml": pod("a", "b")}, files{"a.yaml": pod("b", "a")}, files{"a.yaml": pod("a", "b") + "\n"}, nil},
		"the saved one's order": {files{"a.yaml": pod("a", "b")}, files{"a.yaml": pod("b", "a")}, files{"a.yaml": pod("b", "a") + "\n"}, nil},
		"another condition": {files{"Kptfile": "status: {conditions: [{type: a}]}\n"}, files{}, files{"Kptfile": "status: {conditions: [{type: b}]}\n"},
			changed("Kptfile")},
		"a comment at a mark": {files{"a.yaml": marked("web")}, files{"a.yaml": marked("web")}, files{"a.yaml": replaced(marked("web"), "|web\n", "|web # mine\n")},
			changed("a.yaml")},
		"a comment in a mark": {files{"a.yaml": marked("web")}, files{"a.yaml": marked("web")}, files{"a.yaml": replaced(marked("web"), "metadata:\n", "metadata: # kpt-merge: /web mine\n")},
			changed("a.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, edits.Find(test.found, test.source, test.saved)); diff != "" {
				t.Errorf("Find (-want +got):\n%s", diff)
			}
		})
	}
}

// pod returns a resource with containers in this order.
func pod(containers ...string) string {
	return "{apiVersion: v1, kind: Pod, spec: {containers: [{name: " + strings.Join(containers, "}, {name: ") + "}]}}\n"
}

// marked returns a resource with this name that is called web upstream.
func marked(name string) string {
	return "apiVersion: g/v1\nkind: A\nmetadata:\n  name: " + name + "\n  annotations:\n" +
		"    internal.kpt.dev/upstream-identifier: g|A|default|web\nspec:\n  x: 1\n  y: 1\n"
}

// TestNotCompared has pairs of files that count as the same.
func TestNotCompared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ path, a, b string }{
		"order of keys":       {"a.yaml", "a: 1\nb: 2 # c\n", "b: 2 # c\na: 1\n"},
		"order of many keys":  {"a.yaml", "{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1}", "{j: 1, i: 1, h: 1, g: 1, f: 1, e: 1, d: 1, c: 1, b: 1, a: 1}"},
		"order of resources":  {"a.yaml", "kind: A\n---\nkind: B\n", "kind: B\n---\nkind: A\n"},
		"quotes":              {"a.yaml", "a: b\n\"c\": 'd'\n", "\"a\": 'b'\nc: d\n"},
		"style":               {"a.yaml", "a: |\n  x\n  y\nb: [1, {c: d}]\n", "a: \"x\\ny\\n\"\nb:\n  - 1\n  - c: d\n"},
		"null and true":       {"a.yaml", "a:\nb: True\n", "a: null\nb: true\n"},
		"a tag that is known": {"a.yaml", "a: !!str 1\n", "a: '1'\n"},
		"ends of lines":       {"a.yaml", "a: 1 # c\n# d\nb: 2\n", "a: 1 # c\r\n# d\r\nb: 2\r\n"},
		"ends of all lines":   {"a.yaml", deployment, strings.ReplaceAll(deployment, "\n", "\r\n")},
		"ends of commented lines": {"a.yaml", "# a\n# b\n\n# c\nx: 1 # d\n# e\n\n# f\ny:\n- 1 # g\n# h\n- 2 # i\n  # j\nz: 'a\n  b'\n",
			"# a\r\n# b\r\n\r\n# c\r\nx: 1 # d\r\n# e\r\n\r\n# f\r\ny:\r\n- 1 # g\r\n# h\r\n- 2 # i\r\n  # j\r\nz: 'a\r\n  b'\r\n"},
		"empty lines":     {"a.yaml", "# c\n\na: 1\n", "# c\na: 1\n\n\n"},
		"empty documents": {"a.yaml", "a: 1\n---\nb: 1\n", "---\n---\na: 1\n---\n---\nb: 1\n---\n"},
		"empty files":     {"a.yaml", "", "---\n# c\n"},
		"kpt's comments":  {"a.yaml", "kind: A\nmetadata: # kpt-merge: n/a\n  name: a\n", "kind: A\nmetadata:\n  name: a\n"},
		"kpt's annotations": {"a.yaml", "apiVersion: g/v1\nkind: A\nmetadata:\n  name: a\n  annotations:\n    internal.kpt.dev/upstream-identifier: g|A|default|a\n",
			"apiVersion: g/v1\nkind: A\nmetadata:\n  name: a\n"},
		"kpt's annotations beside others": {"a.yaml", "kind: A\nmetadata: {name: a, annotations: {b: c, internal.kpt.dev/d: e}}\n",
			"kind: A\nmetadata: {name: a, annotations: {b: c}}\n"},
		"a Kptfile that Porch writes": {"Kptfile", "# mine\napiVersion: kpt.dev/v1\nkind: Kptfile # b\nmetadata:\n  name: a\n# end\n",
			"kind: Kptfile\napiVersion: \"kpt.dev/v1\"\nmetadata: {name: a}\n"},
		"a Kptfile that was rendered": {"Kptfile", "kind: Kptfile\nstatus:\n  conditions:\n  - type: a\n",
			"kind: Kptfile\nstatus:\n  conditions:\n  - {type: Rendered, status: 'True'}\n  - type: a\n  renderStatus: {a: b}\n"},
		"a Kptfile that had no status": {"Kptfile", "kind: Kptfile\n",
			"kind: Kptfile\nstatus: {conditions: [{type: Rendered, status: 'False'}], renderStatus: {}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, other := files{test.path: test.a}, files{test.path: test.b}, files{test.path: "other: 1\n"}
			for _, got := range [][]string{edits.Find(b, a), edits.Find(a, b), edits.Find(b, a, other), edits.Find(b, other, a)} {
				if got != nil {
					t.Errorf("got edits: %v", got)
				}
			}
		})
	}
}
