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

// TestThroughKpt checks what kpt leaves in a file after an edit: each comment once, in its place, also after a second
// run.
func TestThroughKpt(t *testing.T) {
	t.Parallel()
	set := func(keys []string, value any) krm.Function {
		return pairEdit{keys: keys, apply: func(f *node.Field) error {
			n, err := node.FromValue(value)
			if err != nil {
				return err
			}
			return f.Set(n)
		}}.function()
	}
	remove := func(keys ...string) krm.Function {
		return pairEdit{keys: keys, apply: func(f *node.Field) error { _, err := f.Remove(); return err }}.function()
	}
	below := func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		item := items[0].Copy()
		item.Content()[len(item.Content())-2].FootComment = "# new"
		return krm.Output{Items: []*yaml.RNode{item}}, nil
	}
	for name, c := range map[string]struct {
		function krm.Function
		in, want string
	}{
		"at the foot of a key and of a map": {set([]string{"data", "b"}, "y"),
			"data:\n  a: x\n  # foot of a\n# foot of data\n",
			"data:\n  a: x\n  # foot of a\n\n  b: \"y\"\n# foot of data\n"},
		"at the foot of a map, value changed": {set([]string{"data", "a"}, "z"),
			"data:\n  a: x # l\n# foot of data\n",
			"data:\n  a: z # l\n# foot of data\n"},
		"at the foot of a list that goes": {set([]string{"data"}, map[string]any{"a": "x"}),
			"data:\n  b:\n  - x # l\n  # foot of b, or of data\n\n  c: x\nlast: x\n",
			"data:\n  a: x\n# foot of b, or of data\n\nlast: x\n"},
		"at the foot of a list": {set([]string{"data"}, []any{"x", "z"}),
			"data:\n- x # l\n# foot of data\n",
			"data:\n- x # l\n# foot of data\n\n- z\n"},
		"at the foot of a map, nothing changed": {fntest.Noop,
			"data:\n  a: x\n# foot of data\n",
			"data:\n  a: x\n# foot of data\n"},
		"at the foot of a map and of a key in it, nothing changed": {fntest.Noop,
			"data:\n  a: x\n  # foot of a\n# foot of data\n",
			"data:\n  a: x\n  # foot of a\n# foot of data\n"},
		"at the foot of a map, last key removed": {remove("data", "b"),
			"data:\n  a: x\n  b: x\n# foot of data\n",
			"data:\n  a: x\n# foot of data\n"},
		"at the foot of the last key, which is removed": {remove("last"),
			"data:\n  a: x\nlast: x\n# foot\n",
			"data:\n  a: x\n# foot\n"},
		"added at the foot":  {below, "data:\n  a: x\n", "data:\n  a: x\n# new\n"},
		"added below a text": {below, "data:\n  a: |\n    x\n", "data:\n  a: |\n    x\n# new\n"},
		"behind a key without value": {set([]string{"data"}, "z"),
			"data: # c\n# on last\nlast: |\n  x\n",
			"data: z # c\n# on last\nlast: |\n  x\n"},
		"behind a map that is emptied": {set([]string{"data"}, map[string]any{}),
			"data: # c\n  a: x\n# on last\nlast: x\n",
			"data: {} # c\n# on last\nlast: x\n"},
		"below a map that becomes a list": {set([]string{"data"}, []any{"x"}),
			"data: # c\n  # of all\n\n  # on a\n  a: x\nlast: x\n",
			"data: # c\n- x\n# of all\n\nlast: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const meta = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n"
			first, err := fntest.ThroughKpt(c.function, "kind: A", meta+c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(meta+c.want, first); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			second, err := fntest.ThroughKpt(c.function, "kind: A", first)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("a second run (-first +second):\n%s", diff)
			}
		})
	}
}

// TestFootInPipe checks that a comment at the foot of an item stays in its column, so that the next reader attaches it to
// the same value, also if the item has no id.
func TestFootInPipe(t *testing.T) {
	t.Parallel()
	const item = "- # head\n  # of two lines\n  apiVersion: v1\n  kind: A\n  metadata:\n    name: "
	list := item + "a\n  data:\n    a: x\n  # foot\n\n" + item + "b\n"
	stdout, stderr, code := fntest.Run(fntest.Noop, []byte(header+"items:\n"+strings.Replace(list, "\n\n", "\n", 1)))
	if code != 0 {
		t.Fatal(stderr)
	}
	if diff := cmp.Diff(header+"items:\n"+list, string(stdout)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestInternalAnnotations checks which annotations are taken for those of the orchestrator.
func TestInternalAnnotations(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"internal.config.kubernetes.io/path":            true,
		"internal.config.kubernetes.io/kpt-resource-id": true,
		"internal.config.k8s.io/kpt-resource-id":        true,
		"config.k8s.io/id":                              true,
		"config.kubernetes.io/path":                     true,
		"config.kubernetes.io/local-config":             false,
		"kpt.dev/config-injection":                      false,
	} {
		if got := krm.IsInternalAnnotation(key); got != want {
			t.Errorf("%s: %t, want %t", key, got, want)
		}
	}
}

// TestResourceIDStays checks that the annotation by which a newer kpt finds a resource again stays on an edited item,
// also if that has lost the one by which comments are copied.
func TestResourceIDStays(t *testing.T) {
	t.Parallel()
	const key = "internal.config.kubernetes.io/kpt-resource-id"
	list := header + "items:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a, annotations: {" + key +
		": '3', internal.config.kubernetes.io/id: '1'}}\n  data: {a: x}\n"
	toText := pairEdit{keys: []string{"data"}, apply: func(f *node.Field) error { return f.Set(node.String("x")) }}
	stdout, stderr, code := fntest.Run(toText.function(), []byte(list))
	if code != 0 {
		t.Fatal(stderr)
	}
	annotations := fntest.Parse(t, stdout).Items[0].GetAnnotations()
	if diff := cmp.Diff(map[string]string{key: "3"}, annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}
