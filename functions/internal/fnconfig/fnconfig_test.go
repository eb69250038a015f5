// SPDX-License-Identifier: Apache-2.0

package fnconfig_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

type inner struct {
	Name *string           `json:"name,omitempty"`
	Map  map[string]string `json:"map,omitempty"`
}

type config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`
	Flag              bool              `json:"flag,omitempty"`
	Number            *int32            `json:"number,omitempty"`
	List              []inner           `json:"list,omitempty"`
	Revision          variant.Revision  `json:"revision,omitzero"`
	Any               any               `json:"any,omitempty"`
	Ignored           string            `json:"-"`
}

// nested is a config that could be nested without end.
type nested struct {
	In *nested `json:"in,omitempty"`
}

// TestNested checks how deep a config may be nested, and that an alias within its own anchor ends.
func TestNested(t *testing.T) {
	t.Parallel()
	const deep = "is nested too deep, or an alias within its own anchor: write the values out"
	for name, c := range map[string]struct{ in, want string }{
		"as deep as it may be": {strings.Repeat("{in: ", 99) + "{}" + strings.Repeat("}", 99), ""},
		"deeper":               {strings.Repeat("{in: ", 101) + "{}" + strings.Repeat("}", 101), deep},
		"itself":               {"&a {in: *a}", deep},
	} {
		got := ""
		if err := fnconfig.Strict(yaml.MustParse(c.in), &nested{}); err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestStrict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want config
		err  string
	}{
		"all": {
			in: "kind: A\nmetadata: {name: n, uid: u, generation: 3, managedFields: [{a: 1}]}\nflag: true\nlist:\n" +
				"- {name: x, map: {a: b}}\n- {}\nrevision: v3\nany: [1, {b: c}]\n",
			want: config{TypeMeta: fnconfig.TypeMeta{Kind: "A"}, Metadata: fnconfig.Metadata{Name: "n", UID: "u"}, Flag: true,
				List: []inner{{Name: ptr("x"), Map: map[string]string{"a": "b"}}, {}}, Revision: variant.Revision{Str: "v3"}},
		},
		"number":            {in: "number: 3\n", want: config{Number: ptr[int32](3)}},
		"number in hex":     {in: "number: 0x10\n", want: config{Number: ptr[int32](16)}},
		"negative number":   {in: "number: -1\n", want: config{Number: ptr[int32](-1)}},
		"number null":       {in: "number: null\n"},
		"number too large":  {in: "number: 2147483648\n", err: "number: is 2147483648, which is out of range: use a smaller number"},
		"number far larger": {in: "number: 99999999999999999999\n", err: "number: is a number, but must be a whole number"},
		"number in quotes":  {in: "number: \"3\"\n", err: "number: is a string, but must be a whole number"},
		"fraction":          {in: "number: 1.5\n", err: "number: is a number, but must be a whole number"},
		"null":              {in: "kind: null\nlist: null\nflag:\nrevision: ~\n"},
		"aliases": {in: "metadata: {name: &n x}\nlist: [{name: *n}]\n",
			want: config{Metadata: fnconfig.Metadata{Name: "x"}, List: []inner{{Name: ptr("x")}}}},
		"alias in a loop": {in: "list: &l [{name: *l}]\n", err: "list[0].name: is a list, but must be a string"},
		"not by the Go name": {in: "Ignored: x\n",
			err: "Ignored: is not a field of this config; it has any, apiVersion, flag, kind, list, metadata, number, revision"},
		"wrong types": {in: "kind: 1\nmetadata: []\nflag: \"yes\"\nlist: {}\n",
			err: "kind: is a number, but must be a string: put it in quotes\nmetadata: is a list, but must be a map\n" +
				"flag: is a string, but must be a boolean\nlist: is a map, but must be a list"},
		"own notation": {in: "revision: [1]\n",
			err: "revision: cannot be read: revision [1] is neither an integer nor a string: " +
				"a tag that looks like a number needs quotes"},
		"merge key": {in: "x: &x {name: a}\nlist: [{<<: *x}]\n",
			err: "x: is not a field of this config; it has any, apiVersion, flag, kind, list, metadata, number, revision\n" +
				"list[0].<<: is not a field of this config; it has map, name"},
		"not a map": {in: "[]\n", err: "is a list, but must be a map"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got config
			err := fnconfig.Strict(yaml.MustParse(c.in), &got)
			message := ""
			if err != nil {
				message, got = strings.ReplaceAll(err.Error(), `1 "": `, ""), config{}
			}
			if diff := cmp.Diff(c.err, message); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
		})
	}
}
