// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const header = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// TestUnreadable checks that a ResourceList that the SDK cannot take gives an error with the reason, not a panic.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const item = "items:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: a, annotations: " +
		"{internal.config.kubernetes.io/path: a.yaml}}\n"
	for name, c := range map[string]struct{ in, want string }{
		"no YAML": {"a: b: c",
			"failed to parse ResourceList as a single KubeObject: failed to parse input bytes: yaml: " +
				"mapping values are not allowed in this context"},
		"no list": {"apiVersion: v1\nkind: List\n", `input was of unexpected kind "List"; expected ResourceList`},
		"two documents": {header + "---\n" + header,
			"failed to parse ResourceList as a single KubeObject: expected exactly one object, got 2"},
		"null items": {header + "items: null\n",
			`items: is null, but must be a list of resources: write [] if there are none`},
		"empty items": {header + "items:\nfunctionConfig: {}\n",
			`items: is null, but must be a list of resources: write [] if there are none`},
		"items as map": {header + "items: {}\n",
			`items: is a map, but must be a list of resources: write [] if there are none`},
		"config is list": {header + "items: []\nfunctionConfig: []\n",
			`functionConfig: is a list, but must be a map: write the function's config there`},
		"config is text": {header + item + "functionConfig: text\n",
			`functionConfig: is a string, but must be a map: write the function's config there`},
		"config is null": {header + item + "functionConfig: null\n",
			`functionConfig: is null, but must be a map: write the function's config there`},
		"config is alias": {header + "x: &x {kind: A}\nitems: []\nfunctionConfig: *x\n",
			`functionConfig: is a YAML alias, but must be a map: write the function's config there`},
		"null item":    {header + item + "- null\n", `items[1]: is null, not a resource: remove it from its file`},
		"text as item": {header + item + "- text\n", `items[1]: is a string, not a resource: remove it from its file`},
		"aliased item": {header + "x: &x {kind: A}\n" + item + "- *x\n",
			`A "": items[1]: is a YAML alias, not a resource: remove it from its file`},
		"aliased kind": {header + item +
			"- {x: &k Pod, kind: *k, metadata: {annotations: {internal.config.kubernetes.io/path: b.yaml}}}\n",
			`b.yaml: Pod "": kind: is a YAML alias (*k), which KRM functions cannot read in this place: write the value out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := fntest.Run(fntest.Noop, []byte(c.in))
			if diff := cmp.Diff(c.want, strings.TrimSpace(stderr)); diff != "" || code != 1 {
				t.Errorf("exit code %d (-want +got):\n%s", code, diff)
			}
			results := fntest.Parse(t, stdout).Results
			if len(results) != 1 || results[0].Message != c.want || results[0].Severity != fn.Error {
				t.Errorf("results are %v", results)
			}
		})
	}
}

// TestAliases checks that aliases pass through, also where an item's identity stands, and each item keeps its anchors.
func TestAliases(t *testing.T) {
	t.Parallel()
	list := header + "items:\n- apiVersion: v1\n  kind: Pod\n  x: &m {name: a, namespace: &n a}\n  metadata: *m\n" +
		"- apiVersion: v1\n  kind: Pod\n  metadata: {name: &n b, namespace: *n}\n"
	stdout, stderr, code := fntest.Run(fntest.Noop, []byte(list))
	if diff := cmp.Diff(list, string(stdout)); diff != "" || code != 0 {
		t.Errorf("exit code %d, %s (-want +got):\n%s", code, stderr, diff)
	}
}

func TestEmptyInput(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := fntest.Run(fntest.Noop, nil)
	if string(stdout) != header || stderr != "" || code != 0 {
		t.Errorf("%d, %q: %s", code, stderr, stdout)
	}
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := fntest.Run(func(*yaml.RNode, []*yaml.RNode) (krm.Output, error) { panic("boom") },
		[]byte(header))
	if want := "cannot process the ResourceList: boom\n"; stderr != want || code != 1 {
		t.Errorf("%d, %q, want %q", code, stderr, want)
	}
	if got := fntest.Parse(t, stdout).Results.Error(); got != "[error]: cannot process the ResourceList: boom" {
		t.Errorf("results are %s", got)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	files := fntest.Files{"dir/a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: n}\n---\n" +
		"apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"}
	fails := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		return krm.Output{}, errors.Join(
			krm.Errorf(items[1], "spec.x", "is %d", 1),
			fmt.Errorf("second"),
			errors.Join(krm.Errorf(nil, "", "third"), krm.Wrap(items[0], errors.New("fourth"))))
	}
	stdout, stderr, code := fntest.Run(fails, fntest.List(t, "", files))
	want := "dir/a.yaml: Service \"a\": spec.x: is 1\nsecond\nthird\ndir/a.yaml: Pod \"b\": fourth\n"
	if diff := cmp.Diff(want, stderr); diff != "" || code != 1 {
		t.Errorf("exit code %d (-want +got):\n%s", code, diff)
	}
	wantResults := fn.Results{
		{Severity: fn.Error, Message: `dir/a.yaml: Service "a": spec.x: is 1`, Field: &fn.Field{Path: "spec.x"},
			File:        &fn.File{Path: "dir/a.yaml"},
			ResourceRef: &fn.ResourceRef{APIVersion: "v1", Kind: "Service", Name: "a", Namespace: "n"}},
		{Severity: fn.Error, Message: "second"},
		{Severity: fn.Error, Message: "third"},
		{Severity: fn.Error, Message: `dir/a.yaml: Pod "b": fourth`, File: &fn.File{Path: "dir/a.yaml", Index: 1},
			ResourceRef: &fn.ResourceRef{APIVersion: "v1", Kind: "Pod", Name: "b"}},
	}
	if diff := cmp.Diff(wantResults, fntest.Parse(t, stdout).Results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestNotes checks that results which are no errors are written to standard error as well, but only if kustomize runs
// the function, which shows no results.
func TestNotes(t *testing.T) {
	t.Parallel()
	files := fntest.Files{"a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"}
	notes := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		return krm.Output{Items: items, Results: fn.Results{
			krm.Errorf(items[0], "spec", "is empty").Result(fn.Warning), fn.GeneralResult("done", fn.Info),
		}}, nil
	}
	for name, c := range map[string]struct{ config, want string }{
		"no config": {"", ""},
		"kpt":       {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", ""},
		"kustomize": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, annotations: {config.kubernetes.io/function: \"exec: {path: " +
				"f}\"}}\n",
			"warning: a.yaml: Service \"a\": spec: is empty\ninfo: done\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := fntest.Run(notes, fntest.List(t, c.config, files))
			if diff := cmp.Diff(c.want, stderr); diff != "" || code != 0 {
				t.Errorf("exit code %d, standard error (-want +got):\n%s", code, diff)
			}
			if got := len(fntest.Parse(t, stdout).Results); got != 2 {
				t.Errorf("%d results, want 2", got)
			}
		})
	}
}

// TestOrder checks that items come out in the order in which the SDK writes them, for any function.
func TestOrder(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %s\nmetadata: {name: n%d, namespace: ns%d}\n",
			[]string{"v1", "apps/v1"}[i%2], []string{"B", "A", "C"}[i%3], i*7%40, i%4)
	}
	list := fntest.List(t, "", fntest.Files{"a.yaml": b.String()})
	reversed := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		out := make([]*yaml.RNode, 0, len(items))
		for i := range items {
			out = append(out, items[len(items)-1-i])
		}
		return krm.Output{Items: out}, nil
	}
	stdout, _, _ := fntest.Run(reversed, list)
	if diff := cmp.Diff(string(list), string(stdout)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEncode checks that a list is written as the SDK writes it, at any length and with any other fields.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 63, 64, 65, 300} {
		for _, config := range []string{"", fntest.Variant} {
			files := fntest.Package(n)
			files["comments.yaml"] = "# head\n\n# of a\na: |\n  x\n\n   y\n# foot\n\nkind: A # line\nb: \"1\\n2\"\nl:\n" +
				"- # in a list\n  x: 'y'\n\n# the end\n"
			list := fntest.List(t, config, files)
			noop := fn.ResourceListProcessorFunc(func(rl *fn.ResourceList) (bool, error) {
				rl.Results.Infof("done")
				return true, nil
			})
			want, err := fn.Run(noop, list)
			if err != nil {
				t.Fatal(err)
			}
			informs := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
				return krm.Output{Items: items, Results: fn.Results{fn.GeneralResult("done", fn.Info)}}, nil
			}
			got, _, _ := fntest.Run(informs, list)
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%d resources (-SDK +krm):\n%s", n, diff)
			}
		}
	}
}

// TestGuardComments checks that an edited item loses the id by which kpt would copy comments to it only where that
// would put one in a wrong place, or fail.
func TestGuardComments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after string
		wantID        bool
	}{
		"value changed":            {"a: 1 # c\n", "a: 2 # c\n", true},
		"commented key removed":    {"# h\na: 1 # c\nb: 2\n", "b: 2\n", true},
		"element put first":        {"l:\n# h\n- {x: 1}\n", "l:\n- {x: 0}\n# h\n- {x: 1}\n", false},
		"element removed":          {"l:\n- x: 1 # c\n- x: 2\n", "l:\n- x: 2\n", false},
		"without comments":         {"l:\n- {x: 1}\n", "l:\n- {x: 0}\n- {x: 1}\n", true},
		"scalars are told apart":   {"l:\n- a # c\n- b\n", "l:\n- b\n", true},
		"map becomes text":         {"a: {b: c}\n", "a: text\n", false},
		"null becomes map":         {"a:\n", "a: {b: c}\n", true},
		"comment of a null value":  {"a: # c\n", "a: {b: c}\n", false},
		"element moved up by name": {"l:\n- {n: 1}\n- {n: 2} # c\n", "l:\n- {n: 2} # c\n", true},
		"other order of keys":      {"l:\n- {a: 1, b: 2}\n", "l:\n- {c: 0}\n- {a: 1, b: 2}\n", true},
		"keys of another element":  {"l:\n- {a: 1, b: 2}\n- {b: 3, a: 4}\n", "l:\n- {b: 3, a: 4}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const meta = "kind: A\nmetadata:\n  annotations:\n    internal.config.kubernetes.io/id: '1'\n" +
				"    config.k8s.io/id: '1'\n    internal.config.kubernetes.io/path: a.yaml\n"
			after := yaml.MustParse(meta + c.after)
			edit := func(*yaml.RNode, []*yaml.RNode) (krm.Output, error) {
				return krm.Output{Items: []*yaml.RNode{after}}, nil
			}
			rl := &fn.ResourceList{Items: fn.MoveToKubeObjects([]*yaml.RNode{yaml.MustParse(meta + c.before)})}
			if _, err := krm.Processor(edit).Process(rl); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"internal.config.kubernetes.io/path": "a.yaml"}
			wantResults := fn.Results{{
				Severity: fn.Info, ResourceRef: &fn.ResourceRef{Kind: "A"}, File: &fn.File{Path: "a.yaml"},
				Message: `a.yaml: A "": if this file begins with a comment and an empty line, such as a license, kpt drops that comment ` +
					`in this run: put it back without the empty line; if not, nothing is lost`,
			}}
			if c.wantID {
				want["internal.config.kubernetes.io/id"], want["config.k8s.io/id"] = "1", "1"
				wantResults = nil
			}
			if diff := cmp.Diff(wantResults, rl.Results); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, rl.Items[0].GetAnnotations()); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHiddenComment checks when it is said that kpt may drop a comment at the top of a file, and when there can be
// none.
func TestHiddenComment(t *testing.T) {
	t.Parallel()
	const resource = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n"
	prepends := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		out := make([]*yaml.RNode, len(items))
		for i, item := range items {
			out[i] = item.Copy()
			list := node.Get(out[i].YNode(), "l")
			list.Content = append([]*yaml.Node{yaml.MustParse("x: 0\n").YNode()}, list.Content...)
		}
		return krm.Output{Items: out}, nil
	}
	noop := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) { return krm.Output{Items: items}, nil }
	const told = ` begins with a comment and an empty line, such as a license, kpt drops that comment in this run: ` +
		`put it back without the empty line; if not, nothing is lost`
	for name, c := range map[string]struct {
		functions []krm.Function
		in, want  string
		told      []string
	}{
		"no comment that could move": {[]krm.Function{prepends}, resource + "l:\n- x: 1\n",
			resource + "l:\n- x: 0\n- x: 1\n", nil},
		"no comment that could move, and a license": {[]krm.Function{prepends}, "# c\n\n" + resource + "l:\n- x: 1\n",
			"# c\n" + resource + "l:\n- x: 0\n- x: 1\n", nil},
		"a comment in a list": {[]krm.Function{prepends}, resource + "l:\n- x: 1 # pinned\n",
			resource + "l:\n- x: 0\n- x: 1 # pinned\n", []string{`file.yaml: A "a": if this file` + told}},
		"a comment in a list, and a license": {[]krm.Function{prepends}, "# c\n\n" + resource + "l:\n- x: 1 # pinned\n",
			resource + "l:\n- x: 0\n- x: 1 # pinned\n", []string{`file.yaml: A "a": if this file` + told}},
		"after another function, with a license": {[]krm.Function{noop, prepends},
			"# c\n\n" + resource + "l:\n- x: 1 # pinned\n", "# c\n" + resource + "l:\n- x: 0\n- x: 1 # pinned\n", nil},
		"after another function, with a license and a comment": {[]krm.Function{noop, prepends},
			"# c\n\n# d\n" + resource + "l:\n- x: 1 # pinned\n",
			"# c\n# d\n" + resource + "l:\n- x: 0\n- x: 1 # pinned\n", nil},
		"after another function": {[]krm.Function{noop, prepends}, "# d\n" + resource + "l:\n- x: 1 # pinned\n",
			"# d\n" + resource + "l:\n- x: 0\n- x: 1 # pinned\n", []string{`file.yaml: A "a": if this file` + told}},
		"in the second document": {[]krm.Function{prepends},
			resource + "l:\n- x: 1\n---\n# c\n\n" + strings.Replace(resource, "name: a", "name: b", 1) + "l:\n- x: 1 # pinned\n",
			resource + "l:\n- x: 0\n- x: 1\n---\n" + strings.Replace(resource, "name: a", "name: b", 1) +
				"l:\n- x: 0\n- x: 1 # pinned\n", []string{`file.yaml: A "b": if document 2 of this file` + told}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, results, err := fntest.PipelineThroughKpt("kind: A", c.in, c.functions...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			var messages []string
			for _, r := range resultsOf(results) {
				messages = append(messages, node.GetString(r, "message"))
			}
			if diff := cmp.Diff(c.told, messages); diff != "" {
				t.Errorf("results -want +got:\n%s", diff)
			}
		})
	}
}

// TestHiddenCommentOfNoFile checks that no result mentions the top of a file where no file is known, as in kustomize.
func TestHiddenCommentOfNoFile(t *testing.T) {
	t.Parallel()
	const meta = "kind: A\nmetadata:\n  annotations:\n    internal.config.kubernetes.io/id: '1'\n"
	edit := func(*yaml.RNode, []*yaml.RNode) (krm.Output, error) {
		return krm.Output{Items: []*yaml.RNode{yaml.MustParse(meta + "l:\n- {x: 0}\n# h\n- {x: 1}\n")}}, nil
	}
	rl := &fn.ResourceList{Items: fn.MoveToKubeObjects([]*yaml.RNode{yaml.MustParse(meta + "l:\n# h\n- {x: 1}\n")})}
	if _, err := krm.Processor(edit).Process(rl); err != nil {
		t.Fatal(err)
	}
	if len(rl.Results) > 0 || rl.Items[0].GetAnnotation("internal.config.kubernetes.io/id") != "" {
		t.Errorf("results %v, annotations %v", rl.Results, rl.Items[0].GetAnnotations())
	}
}

func resultsOf(n *yaml.RNode) []*yaml.Node {
	if n == nil {
		return nil
	}
	return n.Content()
}
