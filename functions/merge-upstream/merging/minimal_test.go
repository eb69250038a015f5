// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// mixed is a resource as people write it: no list is indented like the one around it, and no line like the encoder's.
const mixed = deploy + `spec:
  replicas:   2   # few
  template:
    spec:
      containers:
      - name: web
        image: web:v1
        args:
          - "--a"
          - '--b'
        env:
          - {name: A,  value: x}   # why

          # long
          - name: B
            value: >-
              one
              two
              three
      nodeSelector: {edge, disk: ssd, zone: }
`

// TestMinimal checks that a merge changes only the lines of what the upstream changed.
func TestMinimal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ original, replace, edit []string }{
		"a value":               {replace: []string{"web:v1", "web:v2"}, edit: []string{"replicas:   2", "replicas:   5"}},
		"in flow style":         {replace: []string{"value: x", "value: z"}, edit: []string{"disk: ssd", "disk: hdd"}},
		"without a value":       {replace: []string{"web:v1", "web:v2"}, edit: []string{"{edge, disk: ssd", "{edge, disk: hdd"}},
		"an element":            {replace: []string{"          - '--b'\n", "          - '--b'\n          - new\n"}, edit: []string{"# why", "# mine"}},
		"a comment":             {replace: []string{"# long\n", "# very long\n"}, edit: []string{"--a", "--c"}},
		"a removed line":        {replace: []string{"          - '--b'\n", ""}, edit: []string{"# why", "# mine"}},
		"behind the separator":  {original: []string{"apiVersion", "--- # c\napiVersion"}, replace: []string{"web:v1", "web:v2"}, edit: []string{"--a", "--c"}},
		"the separator changes": {original: []string{"apiVersion", "--- # c\napiVersion"}, replace: []string{"# c", "# d"}, edit: []string{"--a", "--c"}},
		"no line end":           {original: []string{"zone: }\n", "zone: }"}, replace: []string{"web:v1", "web:v2"}, edit: []string{"--a", "--c"}},
		"line ends":             {original: []string{"\n", "\r\n"}, replace: []string{"web:v1", "web:v2"}, edit: []string{"--a", "--c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edited := func(text string, edits ...[]string) string {
				for _, e := range edits {
					text = strings.NewReplacer(e...).Replace(text)
				}
				return text
			}
			original := edited(mixed, c.original)
			got, conflicts := merge(t, one(original), one(edited(original, c.replace)), one(edited(original, c.edit)),
				merging.Options{})
			if diff := cmp.Diff(with(one(edited(original, c.replace, c.edit))), got); diff != "" || len(conflicts) > 0 {
				t.Errorf("%v, -want +got:\n%s", conflicts, diff)
			}
		})
	}
}
