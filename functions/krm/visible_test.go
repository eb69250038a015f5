// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestVisible checks what is escaped in texts for people.
func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      "",
		"plain, ü, 日本, \\x1b":   "plain, ü, 日本, \\x1b",
		"two\n\tlines\n":        "two\n\tlines\n",
		"\x1b[2Jx\x00\a\r\x7f":  `\x1b[2Jx\x00\a\r\x7f`,
		"\u0085\u009b31m":       `\u0085\u009b31m`,
		"a\u202eb\u202a\u202cc": `a\u202eb\u202a\u202cc`,
		"\u2066a\u2069\u2065":   `\u2066a\u2069` + "\u2065",
		"\u200ea\u200f\u061c":   `\u200ea\u200f\u061c`,
		"a\xffb\x9b":            `a\xffb\x9b`,
	} {
		got := krm.Visible(text)
		if diff := cmp.Diff(want, got); diff != "" || krm.Visible(got) != got {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestHiddenCharacters checks that nothing that is shown of a run has control characters or direction overrides, though
// they stand in every name that a message can have: neither standard error, nor what orchestrators print of results.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	const name = "a\x1b[2J\u202eb\u2066"
	item := yaml.NewRNode(&yaml.Node{Kind: yaml.MappingNode})
	for _, field := range [][]string{{name, "apiVersion"}, {name, "kind"}, {name, "metadata", "name"}, {name, "metadata",
		"namespace"}, {"dir/\u202e.yaml", "metadata", "annotations", "internal.config.kubernetes.io/path"}} {
		if err := item.PipeE(yaml.LookupCreate(yaml.ScalarNode, field[1:]...),
			yaml.Set(yaml.NewStringRNode(field[0]))); err != nil {
			t.Fatal(err)
		}
	}
	input := []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: A, " +
		"metadata: {name: a, annotations: {config.kubernetes.io/function: x}}}\nitems:\n- " +
		strings.ReplaceAll(strings.TrimSpace(item.MustString()), "\n", "\n  ") + "\n")
	for test, f := range map[string]krm.Function{
		"errors": func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
			return krm.Output{}, errors.Join(krm.Errorf(items[0], name, "is %s", name), errors.New(name))
		},
		"results": func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
			results := fn.Results{krm.Errorf(items[0], name, "is %s", name).Result(fn.Warning)}
			results.Infof("%s", name)
			return krm.Output{Items: items, Results: results}, nil
		},
	} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, _ := fntest.Run(f, input)
			const shown = `a\x1b[2J\u202eb\u2066`
			if krm.Visible(stderr) != stderr || strings.Count(stderr, shown) < 3 {
				t.Errorf("standard error is %q", stderr)
			}
			ref := &fn.ResourceRef{APIVersion: shown, Kind: shown, Namespace: shown, Name: shown}
			all := fntest.Parse(t, stdout).Results
			if len(all) != 2 || !strings.HasSuffix(all[0].Message, ": is "+shown) || all[1].Message != shown ||
				!cmp.Equal(ref, all[0].ResourceRef) || all[0].Field.Path != shown || all[0].File.Path != `dir/\u202e.yaml` {
				t.Errorf("the results are %+v", all)
			}
		})
	}
}
