// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/programs"
	"k8s.io/apimachinery/pkg/types"
)

// TestWrite checks what is written to a directory, and that one with anything in it is left as it is.
func TestWrite(t *testing.T) {
	t.Parallel()
	site, other := types.NamespacedName{Namespace: "fleet", Name: "site"}, types.NamespacedName{Namespace: "other", Name: "site"}
	files := map[string]string{"Kptfile": "1", "a/x.yaml": "2"}
	written := map[string]string{"out/site/Kptfile": "1", "out/site/a/x.yaml": "2"}
	for name, c := range map[string]struct {
		before map[string]string
		drafts []types.NamespacedName
		want   map[string]string
		err    string
	}{
		"new":   {nil, []types.NamespacedName{site}, written, ""},
		"empty": {map[string]string{"out/": ""}, []types.NamespacedName{site}, written, ""},
		"not empty": {map[string]string{"out/mine": "mine"}, []types.NamespacedName{site}, map[string]string{"out/mine": "mine"},
			"TOP/out has mine: name a new or an empty directory by --write-to"},
		"nothing to write": {nil, nil, map[string]string{}, ""},
		"two namespaces": {nil, []types.NamespacedName{site, other}, written, "two namespaces have a draft site, one of them other: " +
			"plan them one after the other, each with a directory of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			for file, text := range c.before {
				if err := os.MkdirAll(filepath.Join(top, filepath.Dir(file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(file, "/") {
					if err := os.WriteFile(filepath.Join(top, file), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			o := &output{directory: filepath.Join(top, "out")}
			for _, draft := range c.drafts {
				if err := o.adder()(draft, files); err != nil {
					t.Fatal(err)
				}
			}
			said := ""
			if err := o.write(); err != nil {
				said = strings.ReplaceAll(err.Error(), top, "TOP")
			}
			if diff := cmp.Diff(c.err, said); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			got, err := programs.Read(top)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
