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

// TestFindInFile has the edits of a draft with a Deployment. The changes are made to the source's file.
func TestFindInFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes []string
		want    string // "" if the draft is not edited
	}{
		"as the source":                   {nil, ""},
		"a field as it is saved":          {[]string{"web:1", "web:2"}, ""},
		"a field that is saved only":      {[]string{"spec:\n  replicas", "spec:\n  paused: true\n  replicas"}, ""},
		"an element that is saved only":   {[]string{"        env:\n", "        env:\n        - name: B\n          value: x\n"}, ""},
		"a list as it is saved":           {[]string{"[a, b]", "[a, c]"}, ""},
		"a comment as it is saved":        {[]string{"# the web server", "# the web server, again"}, ""},
		"neither comment":                 {[]string{"      # the web server\n", ""}, ""},
		"a field changed":                 {[]string{"web:1", "web:3"}, "Deployment web: spec.template.spec.containers[name=web].image was changed"},
		"a field of another type":         {[]string{"replicas: 1", "replicas: '1'"}, "Deployment web: spec.replicas was changed"},
		"a field that became a map":       {[]string{"replicas: 1 #", "replicas: {} #"}, "Deployment web: spec.replicas was changed"},
		"a field added":                   {[]string{"spec:\n  replicas", "spec:\n  x: true\n  replicas"}, "Deployment web: spec.x was added"},
		"a field removed":                 {[]string{"  replicas: 1 # kpt-set: ${replicas}\n", ""}, "Deployment web: spec.replicas is missing"},
		"an element added":                {[]string{"- name: A", "- name: C\n        - name: A"}, "Deployment web: spec.template.spec.containers[name=web].env[name=C] was added"},
		"an element removed":              {[]string{"        - name: A\n          value: \"1\"\n", "        - name: B\n          value: x\n"}, "Deployment web: spec.template.spec.containers[name=web].env[name=A] is missing"},
		"all elements removed":            {[]string{"\n        - name: A\n          value: \"1\"", " []"}, "Deployment web: spec.template.spec.containers[name=web].env was changed"},
		"an element twice":                {[]string{"- name: A", "- name: A\n        - name: A"}, "Deployment web: spec.template.spec.containers[name=web].env was changed"},
		"elements in another order":       {[]string{"first", "third", "second", "first", "third", "second", "image: a", "image: c", "image: b", "image: a", "image: c", "image: b"}, "Deployment web: spec.template.spec.initContainers has its elements in another order"},
		"a port":                          {[]string{"containerPort: 80", "containerPort: 80\n          hostPort: 1"}, "Deployment web: spec.template.spec.containers[name=web].ports[containerPort=80,protocol=TCP].hostPort was added"},
		"a list without keys, mixed":      {[]string{"[a, b]", "[a, b, c]"}, "Deployment web: spec.template.spec.containers[name=web].args was changed"},
		"a comment added":                 {[]string{"web:1", "web:1\n        # mine"}, "Deployment web: a comment was added"},
		"a comment twice":                 {[]string{"# the web server", "# the web server\n      # the web server"}, "Deployment web: a comment was added"},
		"a comment in a line added":       {[]string{"web:1", "web:1 # mine"}, "Deployment web: the comment on spec.template.spec.containers[name=web].image was added"},
		"a comment in a line changed":     {[]string{"${replicas}", "${other}"}, "Deployment web: the comment on spec.replicas was changed"},
		"a comment in a line removed":     {[]string{" # kpt-set: ${replicas}", ""}, "Deployment web: the comment on spec.replicas is missing"},
		"a comment moved to another line": {[]string{" # kpt-set: ${replicas}", "", "web:1", "web:1 # kpt-set: ${replicas}"}, "Deployment web: the comment on spec.template.spec.containers[name=web].image was added"},
		"a comment in the line of an element": {[]string{"- name: first\n        image: a", "- {name: first, image: a} # mine"},
			"Deployment web: a comment was added"},
		"another name":      {[]string{"metadata:\n  name: web", "metadata:\n  name: other"}, "Deployment other was added"},
		"another kind":      {[]string{"Deployment", "StatefulSet"}, "StatefulSet web was added"},
		"another version":   {[]string{"apps/v1", "apps/v2"}, "Deployment web: apiVersion was changed"},
		"another namespace": {[]string{"metadata:\n  name: web", "metadata:\n  namespace: n\n  name: web"}, "Deployment web was added"},
		"a resource added":  {[]string{"apiVersion", "kind: A\nmetadata:\n  name: a\n---\napiVersion"}, "A a was added"},
		"a resource twice":  {[]string{"apiVersion", deployment + "---\napiVersion"}, "Deployment web was added"},
		"a document added":  {[]string{"apiVersion", "a: 1\n---\napiVersion"}, "a document was added"},
		"a comment in a document of its own": {[]string{"apiVersion: apps", "---\n# mine\n---\napiVersion: apps"},
			"a comment was added"},
		"not readable":               {[]string{"spec:\n  replicas", "spec:\n replicas"}, "was changed"},
		"a key twice":                {[]string{"replicas: 1", "replicas: 1\n  replicas: 2"}, "was changed"},
		"a key that is none":         {[]string{"replicas: 1", "? [a]\n  : 1\n  replicas: 1"}, "was changed"},
		"a key twice in a list":      {[]string{"[a, b]", "[{a: 1, a: 2}]"}, "was changed"},
		"an element without its key": {[]string{"- name: A\n          value", "- value"}, "Deployment web: spec.template.spec.containers[name=web].env was changed"},
		"an anchor":                  {[]string{"replicas: 1", "replicas: &a 1"}, "Deployment web: spec.replicas was changed"},
		"an anchor at a map":         {[]string{"metadata:", "metadata: &a"}, "Deployment web: metadata was changed"},
		"an anchor at a key":         {[]string{"replicas: 1", "&a replicas: 1"}, "Deployment web: spec.replicas was added"},
		"a tag":                      {[]string{"replicas: 1", "replicas: !a 1"}, "Deployment web: spec.replicas was changed"},
		"a long path": {[]string{"replicas: 1", strings.Repeat("é", 150) + ": 1\n  replicas: 1"},
			"Deployment web: spec." + strings.Repeat("é", 89) + "… was added"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []edits.Edit
			if test.want != "" {
				want = []edits.Edit{{Path: "a.yaml", Change: test.want}}
			}
			source, saved, found := files{"a.yaml": deployment}, files{"a.yaml": upgraded},
				files{"a.yaml": replaced(deployment, test.changes...)}
			if diff := cmp.Diff(want, edits.Find(source, saved, found)); diff != "" {
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
			if edits.Find(source, source, files{"a.yaml": before + text + after}) == nil {
				t.Errorf("no edits where %q became %q", line, text)
			}
		}
	}
}

// TestFind has the edits of packages, and of files that are no resources.
func TestFind(t *testing.T) {
	t.Parallel()
	changed := func(path string) []edits.Edit { return []edits.Edit{{Path: path, Change: "was changed"}} }
	for name, test := range map[string]struct {
		source, saved, found files
		want                 []edits.Edit
	}{
		"no files": {},
		"half saved": {files{"a.yaml": "a: 1\n", "b.yaml": "b: 1\n", "Kptfile": "info: {}\n"},
			files{"a.yaml": "a: 2\n", "b.yaml": "b: 2\n", "Kptfile": "info: {}\n", "context.yaml": "x: 1\n"},
			files{"a.yaml": "a: 1\n", "b.yaml": "b: 2\n", "Kptfile": "info: {}\n"}, nil},
		"several": {files{"a": "1", "b": "1", "c": "1"}, files{"a": "1", "b": "1", "c": "1"},
			files{"c": "2", "b": "1", "d": "1"},
			[]edits.Edit{{"a", "is missing"}, {"c", "was changed"}, {"d", "was added"}}},
		"missing that one has":    {files{"a": "1"}, files{"b": "1"}, files{}, nil},
		"taken back":              {files{"a.yaml": "a: 1\n"}, files{"a.yaml": "a: 2\nb: 1\n"}, files{"a.yaml": "a: 1\n"}, nil},
		"half taken back":         {files{"a.yaml": "a: 1\n"}, files{"a.yaml": "a: 2\nb: 1\n"}, files{"a.yaml": "a: 2\n"}, nil},
		"part of a new file":      {files{}, files{"a.yaml": "a: 2\nb: 1\n"}, files{"a.yaml": "a: 2\n"}, []edits.Edit{{"a.yaml", "b is missing"}}},
		"part of a new map":       {files{"a.yaml": "x: 1\n"}, files{"a.yaml": "x: 1\nm: {a: 1, b: 1}\n"}, files{"a.yaml": "x: 1\nm: {a: 1}\n"}, []edits.Edit{{"a.yaml", "m.b is missing"}}},
		"part of a changed type":  {files{"a.yaml": "m: 1\n"}, files{"a.yaml": "m: {a: 1, b: 1}\n"}, files{"a.yaml": "m: {a: 1}\n"}, []edits.Edit{{"a.yaml", "m.b is missing"}}},
		"whole of a changed type": {files{"a.yaml": "m: 1\nn: 1\n"}, files{"a.yaml": "m: {a: 1, b: 1}\nn: 2\n"}, files{"a.yaml": "m: {a: 1, b: 1}\nn: 1\n"}, nil},
		"an emptied map":          {files{"a.yaml": "m: {a: 1}\n"}, files{"a.yaml": "m: {b: 1}\n"}, files{"a.yaml": "m: {}\n"}, []edits.Edit{{"a.yaml", "m was changed"}}},
		"a scalar":                {files{"a.yaml": "1\n"}, files{"a.yaml": "2\n"}, files{"a.yaml": "3\n"}, []edits.Edit{{"a.yaml", "a document was changed"}}},
		"a list":                  {files{"a.yaml": "[1]\n"}, files{"a.yaml": "[2]\n"}, files{"a.yaml": "[1, 2]\n"}, []edits.Edit{{"a.yaml", "a document was changed"}}},
		"a comment in a list":     {files{"a.yaml": "- 1 # x\n- 2\n"}, files{"a.yaml": "- 1 # x\n- 3\n"}, files{"a.yaml": "- 1\n- 2 # x\n"}, []edits.Edit{{"a.yaml", "a document was changed"}}},
		"a text":                  {files{"a.md": "x: 1\n"}, files{"a.md": "x: 2\n"}, files{"a.md": "x:  1\n"}, changed("a.md")},
		"a text that is saved":    {files{"a.md": "x: 1\n"}, files{"a.md": "x: 2\n"}, files{"a.md": "x: 2\n"}, nil},
		"an empty text":           {files{"a.md": "x"}, files{"a.md": "x"}, files{"a.md": ""}, changed("a.md")},
		"ends of a text":          {files{"a.md": "x\n"}, files{"a.md": "x\n"}, files{"a.md": "x\r\n"}, changed("a.md")},
		"an emptied file":         {files{"a.yaml": "x: 1\n"}, files{"a.yaml": "x: 1\n"}, files{"a.yaml": "# x: 1\n"}, []edits.Edit{{"a.yaml", "is missing"}}},
		"a file that was empty":   {files{"a.yaml": ""}, files{"a.yaml": "# c\n"}, files{"a.yaml": "x: 1\n"}, []edits.Edit{{"a.yaml", "was added"}}},
		"not readable":            {files{"a.yaml": "x: [\n"}, files{"a.yaml": "x: 1\n"}, files{"a.yaml": "x: [\n\n"}, changed("a.yaml")},
		"readable again":          {files{"a.yaml": "x: [\n"}, files{"a.yaml": "x: 1\ny: 1\n"}, files{"a.yaml": "x: 1\n"}, []edits.Edit{{"a.yaml", "y is missing"}}},
		"a template":              {files{"a.yaml": "{{ x }}\n"}, files{"a.yaml": "{{ x }}\n"}, files{"a.yaml": "{{  x }}\n"}, changed("a.yaml")},
		"an expanded alias":       {files{"a.yaml": "a: &x 1\nb: *x\n"}, files{"a.yaml": "a: &x 1\nb: *x\n"}, files{"a.yaml": "a: &x 1\nb: 1\n"}, []edits.Edit{{"a.yaml", "b was changed"}}},
		"an alias":                {files{"a.yaml": "a: &x 1\nb: *x\n"}, files{"a.yaml": "a: &x 2\nb: *x\n"}, files{"a.yaml": "a: &x 2\n\nb: *x\n"}, nil},
		"a renamed resource": {files{"a.yaml": marked("web")}, files{"a.yaml": marked("prod-web")},
			files{"a.yaml": replaced(marked("prod-web"), "  x: 1\n", "")}, []edits.Edit{{"a.yaml", "A web: spec.x is missing"}}},
		"no Kptfile of the package": {files{"sub/Kptfile": "status: {renderStatus: 1}\n"}, files{}, files{"sub/Kptfile": "status: {renderStatus: 2}\n"},
			[]edits.Edit{{"sub/Kptfile", "status.renderStatus was changed"}}},
		"a comment in another Kptfile": {files{"sub/Kptfile": "a: 1\n"}, files{}, files{"sub/Kptfile": "# c\na: 1\n"},
			[]edits.Edit{{"sub/Kptfile", "a comment was added"}}},
		"conditions that are no list": {files{"Kptfile": "status: {conditions: {x: {type: Rendered, a: 1}}}\n"}, files{}, files{"Kptfile": "status: {conditions: {x: {type: Rendered, a: 2}}}\n"},
			[]edits.Edit{{"Kptfile", "status.conditions.x.a was changed"}}},
		"the source's order":    {files{"a.yaml": pod("a", "b")}, files{"a.yaml": pod("b", "a")}, files{"a.yaml": pod("a", "b") + "\n"}, nil},
		"the saved one's order": {files{"a.yaml": pod("a", "b")}, files{"a.yaml": pod("b", "a")}, files{"a.yaml": pod("b", "a") + "\n"}, nil},
		"another condition": {files{"Kptfile": "status: {conditions: [{type: a}]}\n"}, files{}, files{"Kptfile": "status: {conditions: [{type: b}]}\n"},
			[]edits.Edit{{"Kptfile", "status.conditions was changed"}}},
		"a comment at a mark": {files{"a.yaml": marked("web")}, files{"a.yaml": marked("web")}, files{"a.yaml": replaced(marked("web"), "|web\n", "|web # mine\n")},
			[]edits.Edit{{"a.yaml", "A web: a comment was added"}}},
		"a comment in a mark": {files{"a.yaml": marked("web")}, files{"a.yaml": marked("web")}, files{"a.yaml": replaced(marked("web"), "metadata:\n", "metadata: # kpt-merge: /web mine\n")},
			[]edits.Edit{{"a.yaml", "A web: the comment on metadata was added"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, edits.Find(test.source, test.saved, test.found)); diff != "" {
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
		"protocol of ports": {"a.yaml", "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 1, name: b, protocol: TCP}]}}",
			"metadata: {name: a}\nspec:\n  ports:\n  - protocol: TCP\n    name: b\n    port: 1\napiVersion: v1\nkind: Service\n"},
		"kpt's comments": {"a.yaml", "kind: A\nmetadata: # kpt-merge: n/a\n  name: a\n", "kind: A\nmetadata:\n  name: a\n"},
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
			for _, got := range [][]edits.Edit{edits.Find(a, a, b), edits.Find(b, b, a), edits.Find(a, other, b), edits.Find(other, a, b)} {
				if got != nil {
					t.Errorf("got edits: %v", got)
				}
			}
		})
	}
}
