// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMarked checks what a clone in git has of the text of a file: all of it, and the marks on resources.
func TestMarked(t *testing.T) {
	t.Parallel()
	const mark = "    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'\n"
	const head, marked1 = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /a\n"
	for name, c := range map[string]struct{ text, want string }{
		"a template":                   {"{{ if .Values.x }}\nfoo: bar\n{{ end }}\n", ""},
		"a template of a resource":     {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.a }}\n", ""},
		"a call":                       {"{{ include \"common.labels\" . }}\n", ""},
		"values":                       {"# Values\nreplicas:   3\n", ""},
		"comments only":                {"# Values of the chart\n# replicas: 3\n", ""},
		"nothing":                      {"", ""},
		"no YAML":                      {"a: [\n", ""},
		"a list":                       {"- a\n", ""},
		"no name":                      {"apiVersion: v1\nkind: ConfigMap\n", ""},
		"neither name nor annotations": {head + "  annotations: {}   # none\n", ""},
		"a resource":                   {head + "  name: a\n\ndata: {b:   1} # one\n", marked1 + "  name: a\n  annotations:\n" + mark + "\ndata: {b:   1} # one\n"},
		"annotations":                  {head + "  annotations:\n    b: |\n      c\n\n      # d\n  name: a\n", marked1 + "  annotations:\n    b: |\n      c\n\n      # d\n" + mark + "  name: a\n"},
		"marked":                       {marked1 + "  name: a\n  annotations:\n" + mark, ""},
		"renamed":                      {marked1 + "  name: b\n  annotations:\n" + mark, ""},
		"marked in part":               {marked1 + "  name: b\n", marked1 + "  name: b\n  annotations:\n" + mark},
		"no line end":                  {head + "  name: a", marked1 + "  name: a\n  annotations:\n" + strings.TrimSuffix(mark, "\n")},
		"a license":                    {"# Copyright\n---\n" + head + "  name: a\n", "# Copyright\n---\n" + marked1 + "  name: a\n  annotations:\n" + mark},
		"documents":                    {"# a\n\n" + head + "  name: a\n---\n---\n# b\n---\nb:  1\n...\n", "# a\n\n" + marked1 + "  name: a\n  annotations:\n" + mark + "---\n---\n# b\n---\nb:  1\n...\n"},
		"a byte order mark":            {"\uFEFF" + head + "  name: a\n", "\uFEFF" + marked1 + "  name: a\n  annotations:\n" + mark},
		"line ends":                    {"apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: a\r\n", "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: # kpt-merge: /a\r\n  name: a\r\n  annotations:\r\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'\r\n"},
		"a map in one line": {"# a\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:   {}\n", "# a\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, " +
			"annotations: {internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'}}\ndata:   {}\n"},
		"a comment":         {"apiVersion: v1\nkind: ConfigMap\nmetadata: # ours\n  name: a\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: # ours\n  name: a\n  annotations:\n" + mark},
		"wide lists":        {head + "  name: a\n  finalizers:\n      - b\nc:\n    - d\n", marked1 + "  name: a\n  finalizers:\n      - b\n  annotations:\n" + mark + "c:\n    - d\n"},
		"a comment below":   {head + "  name: a\n  # below\n# data\ndata:\n  b: c\n", marked1 + "  name: a\n  # below\n\n  annotations:\n" + mark + "# data\ndata:\n  b: c\n"},
		"empty annotations": {head + "  name: a\n  annotations: {}\n", marked1 + "  name: a\n  annotations:\n" + mark},
		"a comment at none": {head + "  name: a\n  annotations: {}   # none\n", marked1 + "  name: a\n  annotations: # none\n" + mark},
		"comments with spaces": {head + "  name: a   # spaced\n  labels:   # aligned\n    b:   c    # d\n  annotations:\n    x:   \"y\"    # keep\n    z: >\n      folded\n      text\n",
			marked1 + "  name: a   # spaced\n  labels:   # aligned\n    b:   c    # d\n  annotations:\n    x:   \"y\"    # keep\n    z: >\n      folded\n      text\n" + mark},
		"a shared map":            {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: &l\n    b: c\n  annotations: *l\n", ""},
		"a map that others share": {"apiVersion: v1\nkind: ConfigMap\nmetadata: &m\n  name: a\ndata: *m\n", ""},
		"another identifier":      {marked1 + "  name: a\n  annotations:\n    internal.kpt.dev/upstream-identifier: other\n", marked1 + "  name: a\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'\n"},
	} {
		want := c.want
		if want == "" {
			want = c.text
		}
		got := marked(c.text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(got, marked(got)); diff != "" {
			t.Errorf("%s, marked twice (-want +got):\n%s", name, diff)
		}
	}
}

// TestCopy checks that the Kptfile of a clone in git keeps its comments, and has its own upstream.
func TestCopy(t *testing.T) {
	t.Parallel()
	const before = `# Copyright
apiVersion: kpt.dev/v1
kind: Kptfile
# ours
metadata:
  name: web # a site
upstream:
  type: git
  git:
    repo: https://git.example.com/base.git
    directory: base
    ref: base/v1
  updateStrategy: resource-merge
pipeline:
  mutators:
    - image: set-labels:v1 # ours, too
# the end
`
	const after = `# Copyright
apiVersion: kpt.dev/v1
kind: Kptfile
# ours
metadata: # kpt-merge: /eu
  name: eu # a site
  annotations:
    internal.kpt.dev/upstream-identifier: 'kpt.dev|Kptfile|default|eu'
upstream:
  type: git
  git:
    repo: https://git.example.com/blueprints
    directory: web
    ref: web/v1
upstreamLock:
  type: git
  git:
    repo: https://git.example.com/blueprints
    directory: web
    ref: web/v1
    commit: 3f1c
pipeline:
  mutators:
    - image: set-labels:v1 # ours, too
# the end
`
	upstream := map[string]string{"Kptfile": before, "values.yaml": "# replicas: 3\n", "no.yaml": "a: [\n"}
	given := maps.Clone(upstream)
	got, err := NewMemo().Copy(upstream, "eu", false)
	if err != nil {
		t.Fatal(err)
	}
	if got["Kptfile"], err = Lock(got["Kptfile"], lock); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"Kptfile": after, "values.yaml": "# replicas: 3\n", "no.yaml": "a: [\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(given, upstream); diff != "" {
		t.Errorf("the files given were changed (-want +got):\n%s", diff)
	}
	if _, err := NewMemo().Copy(map[string]string{"Kptfile": "unknown: 1\n"}, "eu", false); err == nil {
		t.Error("a Kptfile that kpt does not read is copied")
	}
}

// FuzzMarked marks any text: twice is once, and what is no YAML stays as it is.
func FuzzMarked(f *testing.F) {
	f.Add("# a\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    b: c\n---\n{{ a }}\n")
	f.Add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {}}\n")
	f.Add("apiVersion: v1\r\nkind: &k ConfigMap\r\nmetadata:\r\n  name: a\r\n  annotations: *k\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		once := marked(text)
		if twice := marked(once); twice != once {
			t.Errorf("of\n%q\nmarked\n%q\nmarked twice\n%q", text, once, twice)
		}
	})
}
