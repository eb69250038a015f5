// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestAliasesThroughKpt checks that kpt, which gives the keys of an edited resource the order that they had, does not
// put an alias before its anchor: the file could not be read any more.
func TestAliasesThroughKpt(t *testing.T) {
	t.Parallel()
	const resource = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n"
	for name, c := range map[string]struct{ in, edited, want string }{
		"in new keys around an old one": {
			resource + "spec: # s\n  b:\n    c: [] # c\n",
			resource + "spec: # s\n  a: &l\n    x: y\n  b:\n    m: *l\n    c: [] # c\n",
			resource + "spec: # s\n  a: &l\n    x: y\n  b:\n    m: *l\n    c: [] # c\n"},
		"at the top": {
			resource + "data:\n  a: x # a\n",
			"apiVersion: v1\nkind: A\ndata: &d\n  a: x # a\nmetadata:\n  name: a\n  labels: *d\n",
			"apiVersion: v1\nkind: A\ndata: &d\n  a: x # a\nmetadata:\n  name: a\n  labels: *d\n"},
		"by a merge key": {
			resource + "data:\n  a: x # a\n",
			"x-base: &b\n  b: x\n" + resource + "data:\n  !!merge <<: *b\n  a: x # a\n",
			"x-base: &b\n  b: x\n" + resource + "data:\n  !!merge <<: *b\n  a: x # a\n"},
		"in an element of a list": {
			resource + "l:\n- b:\n    c: x\n",
			resource + "l:\n- a: &l\n    x: y\n  b:\n    m: *l\n    c: x\n",
			resource + "l:\n- a: &l\n    x: y\n  b:\n    m: *l\n    c: x\n"},
		"with an anchor that is set twice": {
			resource + "b: x\nc: x\n",
			resource + "a: &l one\nd: *l\nb: &l two\nc: *l\n",
			resource + "a: &l one\nd: *l\nb: &l two\nc: *l\n"},
		"that kpt does not move": {
			"# license\n\n" + resource + "a: &l one\nb: *l\nc: x\n",
			resource + "a: &l one\nb: *l\nnew: x\nc: x\n",
			"# license\n" + resource + "a: &l one\nb: *l\nc: x\nnew: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := fntest.ThroughKpt(replacedBy(c.edited), "kind: A", c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, err := fntest.ThroughKpt(fntest.Noop, "kind: A", got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("without an edit (-first +second):\n%s", diff)
			}
		})
	}
}

// replacedBy returns a function that gives the first item the content of a text, and keeps what kpt notes in it.
func replacedBy(text string) krm.Function {
	return func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		edited := yaml.MustParse(text)
		for key, value := range items[0].GetAnnotations() {
			if err := edited.PipeE(yaml.SetAnnotation(key, value)); err != nil {
				return krm.Output{}, err
			}
		}
		return krm.Output{Items: []*yaml.RNode{edited}}, nil
	}
}
