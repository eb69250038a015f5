// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FuzzIsWord checks that what isWord lets pass is text to YAML parsers of both versions.
func FuzzIsWord(f *testing.F) {
	for _, seed := range []string{"yes", "No", "nULL", "e1", "a.b", "inf", "NaN", "Infinity", "x-1", "z/_", "TRUE", "ON",
		"y", "N", "x.io/a:v1", "a: b", "a:", "a :b", "a b", "a ", "yes no", "a: ", "a  b", "https://x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !isWord(s) {
			return
		}
		n := yaml.Node{Kind: yaml.ScalarNode, Value: s}
		if yaml.IsValueNonString(s) || base60().MatchString(s) || n.ShortTag() != tagString {
			t.Errorf("%q is not text to every parser", s)
		}
	})
}
