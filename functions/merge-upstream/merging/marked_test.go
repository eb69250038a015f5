// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// byKpt returns a resource with what kpt and Porch write into it.
func byKpt(text string) string {
	id := "|ConfigMap|default|settings"
	if strings.Contains(text, "Deployment") {
		id = "apps|Deployment|default|web"
	}
	text = noting("/"+strings.Split(id, "|")[3], text)
	name := "  name: " + strings.Split(id, "|")[3] + "\n"
	return strings.Replace(text, name, name+"  annotations:\n    internal.kpt.dev/upstream-identifier: '"+id+"'\n", 1)
}

// TestBesideValues checks that what the upstream changes beside values arrives in a package that has kpt's marks, and
// that what the package changed in the same place stays.
func TestBesideValues(t *testing.T) {
	t.Parallel()
	const spec = deploy + "spec:\n"
	for name, c := range map[string]struct{ original, updated, local, want string }{
		"a comment behind a value": {cm + "data:\n  a: one\n", cm + "data:\n  a: one # kpt-set: ${a}\n",
			cm + "data:\n  a: one\n", cm + "data:\n  a: one # kpt-set: ${a}\n"},
		"a comment behind another value": {cm + "data:\n  a: one # x\n", cm + "data:\n  a: one # y1\n",
			cm + "data:\n  a: two # x\n", cm + "data:\n  a: two # y1\n"},
		"a comment removed": {cm + "data:\n  # x\n  a: one # y1\n", cm + "data:\n  a: one\n",
			cm + "data:\n  # x\n  a: one # y1\n", cm + "data:\n  a: one\n"},
		"a comment of the package": {cm + "data:\n  a: one # x\n", cm + "data:\n  a: one # y1\n",
			cm + "data:\n  a: one # mine\n", cm + "data:\n  a: one # mine\n"},
		"a comment removed here": {cm + "data:\n  a: one # x\n", cm + "data:\n  a: one # y1\n",
			cm + "data:\n  a: one\n", cm + "data:\n  a: one\n"},
		"comments above and below": {cm + "data:\n  a: one\n  b: x\n", "# top\n" + cm + "data:\n  # above\n  a: one\n  b: x\n  # below\n",
			cm + "data:\n  a: one\n  b: mine\n", "# top\n" + cm + "data:\n  # above\n  a: one\n  b: mine\n  # below\n"},
		"comments of a list": {spec + "  args:\n  - a\n  - b\n", spec + "  args: # c\n  # above\n  - a\n  - b # behind\n",
			spec + "  args:\n  - a\n  - b\n", spec + "  args: # c\n  # above\n  - a\n  - b # behind\n"},
		"comments in a list that changes": {spec + "  args:\n  - a\n  - b\n", spec + "  args:\n  - c # new\n  - a\n",
			spec + "  args:\n  - a # mine\n  - b\n", spec + "  args:\n  - c # new\n  - a # mine\n"},
		"a comment of containers": {pod + "      - name: web\n", pod + "      # c\n      - name: web # d\n",
			pod + "      - name: web\n        tty: true\n", pod + "      # c\n      - name: web # d\n        tty: true\n"},
		"a comment at the key metadata": {cm, strings.Replace(cm, "metadata:", "metadata: # c", 1), cm, cm},
		"kpt's comment of the upstream": {cm + "data: {a: one}\n", noting("/settings", cm) + "data: {a: two}\n", cm + "data: {a: one}\n",
			cm + "data: {a: two}\n"},
		"a header": {"# c 2024\n\n" + cm, "# c 2025\n\n" + cm, "# c 2024\n\n" + cm + "data: {}\n", "# c 2025\n\n" + cm + "data: {}\n"},
		"quotes that make a text": {cm + "data:\n  a: yes\n  b: y\n", cm + "data:\n  a: \"yes\"\n  b: 'y'\n",
			cm + "data:\n  a: yes\n  b: n\n", cm + "data:\n  a: \"yes\"\n  b: 'n'\n"},
		"quotes that go": {cm + "data:\n  a: \"yes\"\n  b: 'x'\n", cm + "data:\n  a: yes\n  b: x\n",
			cm + "data:\n  a: \"yes\"\n  b: 'no'\n", cm + "data:\n  a: yes\n  b: 'no'\n"},
		"quotes of the package": {cm + "data:\n  a: on\n", cm + "data:\n  a: \"on\"\n", cm + "data:\n  a: 'on'\n",
			cm + "data:\n  a: 'on'\n"},
		"quotes of a new text": {cm + "data:\n  a: \"yes\"\n  b: \"x\"\n  c: \"1:30\"\n  d: \"y\"\n  e: \"on\"\n",
			cm + "data:\n  a: \"no\"\n  b: 'z'\n  c: '0o7'\n  d: n\n  e: \"off\"\n",
			cm + "data:\n  a: yes\n  b: x\n  c: 1:30\n  d: y\n  e: 'on'\n",
			cm + "data:\n  a: \"no\"\n  b: z\n  c: '0o7'\n  d: n\n  e: 'off'\n"},
		"quotes of a key":  {cm + "data:\n  on: x\n", cm + "data:\n  \"on\": x\n", cm + "data:\n  on: z\n", cm + "data:\n  \"on\": z\n"},
		"a map in lines":   {spec + "  m: {a: 1}\n", spec + "  m:\n    a: 1 # c\n", spec + "  m: {a: 2}\n", spec + "  m:\n    a: 2 # c\n"},
		"null for a value": {spec + "  a: 1\n", spec + "  a: null\n", spec + "  a: 1\n", spec + "  a: null\n"},
		"null for nothing": {spec + "  a: 1\n", spec + "  a: 1\n  b: null\n", spec + "  a: 2\n", spec + "  a: 2\n  b: null\n"},
		"null goes":        {spec + "  a: 1\n  b: ~\n", spec + "  a: 1\n", spec + "  a: 2\n  b: ~\n", spec + "  a: 2\n"},
		"null of the package": {spec + "  a: 1\n  b: 1\n", spec + "  a: 2\n  b: 1\n", spec + "  a: 1\n  b: null\n",
			spec + "  a: 2\n  b: null\n"},
	} {
		for marks, mark := range map[string]func(string) string{"": func(s string) string { return s }, "by kpt": byKpt} {
			t.Run(name+"/"+marks, func(t *testing.T) {
				t.Parallel()
				local, want := mark(c.local), mark(c.want)
				if marks == "" && c.local == c.original {
					want = c.updated
				}
				got, conflicts := merge(t, one(c.original), one(c.updated), one(local), merging.Options{})
				if diff := cmp.Diff(with(one(want)), got); diff != "" || len(conflicts) > 0 {
					t.Errorf("%v, -want +got:\n%s", told(conflicts), diff)
				}
			})
		}
	}
}

// TestIrregular checks that a resource is merged around what has no fields to merge: anchors and aliases, keys that are
// no texts or are there twice.
func TestIrregular(t *testing.T) {
	t.Parallel()
	const spec = deploy + "spec:\n"
	for name, c := range map[string]struct {
		original, updated, local, want string
		conflicts                      []string
	}{
		"an alias, nothing changed here": {spec + "  m: &m {a: b}\n  n: *m\n  r: 1\n", spec + "  m: &m {a: b}\n  n: *m\n  r: 2\n",
			spec + "  m: &m {a: b}\n  n: *m\n  r: 1\n", spec + "  m: &m {a: b}\n  n: *m\n  r: 2\n", nil},
		"an alias for a map that both changed": {spec + "  m: &m {a: b}\n  n: *m\n", spec + "  m: &m {a: c}\n  n: *m\n",
			spec + "  m: &m {a: b, d: e}\n  n: *m\n", spec + "  m: &m {a: c, d: e}\n  n: *m\n", nil},
		"an alias that the upstream adds": {spec + "  m: {a: b}\n  n: {a: b}\n", spec + "  m: &m {a: b}\n  n: *m\n",
			spec + "  m: {a: b, c: d}\n  n: {a: b}\n", spec + "  m: {a: b, c: d}\n  n: {a: b}\n", nil},
		"an alias whose anchor goes here": {spec + "  m: &m {a: b}\n  n: {a: b}\n", spec + "  m: &m {a: b}\n  n: *m\n",
			spec + "  n: {a: b}\n", spec + "  n: {a: b}\n", nil},
		"an alias of the package whose anchor goes upstream": {spec + "  m: &m {a: b}\n  r: 1\n", spec + "  r: 1\n",
			spec + "  m: &m {a: b}\n  r: 1\n  n: *m\n", spec + "  r: 1\n  n: {a: b}\n", nil},
		"an alias that both changed": {spec + "  m: &m {a: b}\n  n: *m\n  r: 1\n", spec + "  m: &m {a: b}\n  n: {c: d}\n  r: 2\n",
			spec + "  m: &m {a: b}\n  n: {e: f}\n  r: 1\n", spec + "  m: &m {a: b}\n  n: {e: f, c: d}\n  r: 2\n", nil},
		"an alias that only the upstream has": {spec + "  m: 1\n  n: 1\n", spec + "  m: &m 1\n  n: *m\n",
			spec + "  m: 9\n  n: 1\n", spec + "  m: 9\n  n: 1\n", nil},
		"an alias that only the package has": {spec + "  m: 1\n  n: 1\n", spec + "  m: 2\n  n: 1\n",
			spec + "  m: &m 1\n  n: *m\n", spec + "  m: &m 2\n  n: 1\n", nil},
		"an alias that the package has not": {spec + "  m: &m 1\n  n: *m\n", spec + "  m: &m 2\n  n: *m\n",
			spec + "  m: 1\n  n: 1\n", spec + "  m: 2\n  n: 2\n", nil},
		"an alias with another value here": {spec + "  m: &m 1\n  n: *m\n", spec + "  m: &m 2\n  n: *m\n",
			spec + "  m: &m 1\n  n: 7\n", spec + "  m: &m 2\n  n: 7\n", []string{`a.yaml Deployment "web" spec.n: local`}},
		"an alias for what has another value here": {spec + "  m: 1\n  n: 1\n", spec + "  m: &m 1\n  n: *m\n  r: 2\n",
			spec + "  m: 1\n  n: 9\n", spec + "  m: 1\n  n: 9\n  r: 2\n", nil},
		"a merge key written out here": {spec + "  m: &m {a: b}\n  n: {<<: *m, c: 1}\n", spec + "  m: &m {a: z}\n  n: {<<: *m, c: 1}\n",
			spec + "  m: {a: b}\n  n: {a: b, c: 1}\n", spec + "  m: {a: z}\n  n: {a: z, c: 1}\n", nil},
		"a merge key": {spec + "  m: &m {a: b}\n  n: {<<: *m, c: 1}\n", spec + "  m: &m {a: b}\n  n: {<<: *m, c: 2}\n",
			spec + "  m: &m {a: b}\n  n: {<<: *m, c: 1, d: 1}\n", spec + "  m: &m {a: b}\n  n: {<<: *m, c: 2, d: 1}\n", nil},
		"a key twice, not changed": {spec + "  a: 1\n  a: 2\n  b: 1\n", spec + "  a: 1\n  a: 2\n  b: 2\n",
			spec + "  a: 1\n  a: 2\n  b: 1\n  c: 1\n", spec + "  a: 1\n  a: 2\n  b: 2\n  c: 1\n", nil},
		"a key twice, changed upstream": {spec + "  a: 1\n  a: 2\n  b: 1\n", spec + "  a: 3\n  b: 1\n", spec + "  a: 1\n  a: 2\n  b: 2\n",
			spec + "  b: 2\n  a: 3\n", nil},
		"a key twice, changed on both sides": {spec + "  a: 1\n  a: 2\n  b: 1\n", spec + "  a: 3\n  b: 2\n", spec + "  a: 1\n  a: 4\n  b: 1\n",
			spec + "  a: 1\n  a: 4\n  b: 2\n", []string{`a.yaml Deployment "web" spec.a: local`}},
		"keys that are numbers": {spec + "  m:\n    1: a\n    2: b\n", spec + "  m:\n    1: c\n    2: b\n", spec + "  m:\n    1: a\n    2: d\n    \"1\": e\n",
			spec + "  m:\n    1: c\n    2: d\n    \"1\": e\n", nil},
		"a key that is a list": {spec + "  ? [a]\n  : b\n  c: 1\n", spec + "  ? [a]\n  : b\n  c: 2\n", spec + "  ? [a]\n  : d\n  c: 1\n",
			spec + "  ? [a]\n  : d\n  c: 2\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mark := range []func(string) string{func(s string) string { return s }, byKpt} {
				got, conflicts := merge(t, one(c.original), one(c.updated), one(mark(c.local)), merging.Options{})
				if diff := cmp.Diff(with(one(mark(c.want))), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
					t.Errorf("conflicts -want +got:\n%s", diff)
				}
			}
		})
	}
}
