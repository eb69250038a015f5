// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnmetGates(t *testing.T) {
	t.Parallel()
	gates := func(names ...string) string {
		return "apiVersion: kpt.dev/v1\nkind: Kptfile\ninfo:\n  readinessGates:\n  - conditionType: " +
			strings.Join(names, "\n  - conditionType: ") + "\n"
	}
	for name, c := range map[string]struct {
		kptfile string
		want    []string
		fails   bool
	}{
		"no Kptfile":  {kptfile: ""},
		"no gates":    {kptfile: "kind: Kptfile\nstatus:\n  conditions:\n  - type: a\n    status: \"False\"\n"},
		"not set yet": {kptfile: gates("a", "b"), want: []string{"a", "b"}},
		"True":        {kptfile: gates("a") + "status:\n  conditions:\n  - type: a\n    status: \"True\"\n"},
		"False, with its message": {
			kptfile: gates("a", "b") + "status:\n  conditions:\n  - type: b\n    status: \"False\"\n    message: no such object\n" +
				"  - type: a\n    status: \"True\"\n",
			want: []string{"b (no such object)"},
		},
		"Unknown, without one": {kptfile: gates("a") + "status:\n  conditions:\n  - type: a\n    status: Unknown\n", want: []string{"a"}},
		"no YAML":              {kptfile: "info: [", fails: true},
		"of another shape":     {kptfile: "info: none\n", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := UnmetGates(map[string]string{"Kptfile": c.kptfile, "sub/Kptfile": gates("of the subpackage")})
			if (err != nil) != c.fails {
				t.Errorf("got error %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	const kptfile = "kind: Kptfile\nmetadata:\n  name: web\n"
	with := func(kptfile string) map[string]string {
		return map[string]string{"a.yaml": "a: 1\n", "Kptfile": kptfile}
	}
	before := Digest(with(kptfile))
	for name, c := range map[string]struct {
		files map[string]string
		same  bool
	}{
		"the same":                         {with(kptfile), true},
		"a condition":                      {with(kptfile + "status:\n  conditions:\n  - type: a\n    status: \"True\"\n"), true},
		"conditions in front":              {with("status:\n  conditions: []\n" + kptfile), true},
		"what kpt says of a render":        {with(kptfile + "status:\n  renderStatus:\n    mutationSteps:\n    - exitCode: 0\n"), true},
		"both of the renderer's":           {with(kptfile + "status:\n  conditions:\n  - type: Rendered\n  renderStatus: {}\n"), true},
		"another part of the status":       {with(kptfile + "status:\n  renderStatus: {}\n  other: {}\n"), false},
		"a comment of the status":          {with(kptfile + "status: # mine\n  conditions: []\n"), false},
		"a comment in front":               {with("# web\n" + kptfile), false},
		"a comment at the end of a line":   {with("kind: Kptfile # web\nmetadata:\n  name: web\n"), false},
		"a comment at the end":             {with(kptfile + "# web\n"), false},
		"a further document":               {with(kptfile + "---\nkind: ConfigMap\n"), false},
		"conditions of a further document": {with(kptfile + "---\nstatus:\n  conditions: []\n"), false},
		"another field":                    {with(kptfile + "info: {}\n"), false},
		"a Kptfile that cannot be parsed":  {with("["), false},
		"a Kptfile that is a list":         {with("- a\n"), false},
		"a comment of another file":        {map[string]string{"a.yaml": "a: 1 # one\n", "Kptfile": kptfile}, false},
		"a file more":                      {map[string]string{"a.yaml": "a: 1\n", "b.yaml": "", "Kptfile": kptfile}, false},
		"a file less":                      {map[string]string{"Kptfile": kptfile}, false},
		"a file by another name":           {map[string]string{"b.yaml": "a: 1\n", "Kptfile": kptfile}, false},
		"the status of a subpackage":       {map[string]string{"a.yaml": "a: 1\n", "Kptfile": kptfile, "sub/Kptfile": "status: {}\n"}, false},
	} {
		if same := Digest(c.files) == before; same != c.same {
			t.Errorf("%s: the digest is the same: %v", name, same)
		}
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	const kptfile = "kind: Kptfile\nmetadata:\n  name: web\n"
	with := func(kptfile string) map[string]string {
		return map[string]string{"a.yaml": "a: 1\n", "Kptfile": kptfile}
	}
	before := Meaning(with(kptfile))
	for name, c := range map[string]struct {
		files map[string]string
		same  bool
	}{
		"the same":                        {with(kptfile), true},
		"a condition":                     {with(kptfile + "status:\n  conditions:\n  - type: a\n    status: \"True\"\n"), true},
		"a comment":                       {with("# web\n" + kptfile), true},
		"another order and style":         {with("metadata: {name: 'web'}\nkind: Kptfile\n"), true},
		"another field":                   {with(kptfile + "info: {}\n"), false},
		"another value":                   {with("kind: Kptfile\nmetadata:\n  name: db\n"), false},
		"a further document":              {with(kptfile + "---\nkind: ConfigMap\n"), false},
		"a Kptfile that cannot be parsed": {with("["), false},
		"no Kptfile":                      {map[string]string{"a.yaml": "a: 1\n"}, false},
		"no files":                        {nil, false},
		"a comment of another file":       {map[string]string{"a.yaml": "a: 1 # one\n", "Kptfile": kptfile}, false},
	} {
		if same := Meaning(c.files) == before; same != c.same {
			t.Errorf("%s: the meaning is the same: %v", name, same)
		}
	}
}

// TestLarge checks that a Kptfile that is larger than any that is worked on is not parsed: it is the same only if it is
// so byte for byte.
func TestLarge(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"largest": 512 << 10, "too large": 512<<10 + 1} {
		const begin, end = "kind: Kptfile\n", "status:\n  conditions: []\n"
		kptfile := begin + "# " + strings.Repeat("x", size-len(begin)-len("# ")-len("\n")-len(end)) + "\n" + end
		reported := strings.Replace(kptfile, "[]", "{}", 1) // of the same size
		for what, of := range map[string]func(map[string]string) string{"digest": Digest, "meaning": Meaning} {
			same := of(map[string]string{"Kptfile": kptfile}) == of(map[string]string{"Kptfile": reported})
			if want := name == "largest"; same != want {
				t.Errorf("%s: the %s is the same: %t", name, what, same)
			}
		}
	}
}
