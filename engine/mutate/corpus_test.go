// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/mutate/corpustest"
)

// TestCorpus checks that of each package of the corpus, the functions either refuse it or find nothing to do in what
// they made of it.
func TestCorpus(t *testing.T) {
	t.Parallel()
	pv := corpustest.Variant(t)
	r := Request{Name: pv.Name, Namespace: "fleet", Spec: &pv.Spec, Objects: corpustest.Objects(t)}
	packages := corpustest.Packages(t)
	refused := 0
	for name, files := range packages {
		if _, err := Apply(t.Context(), Builtin{}, files, r); err != nil {
			refused++
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := apply(t, files, r); out.Files["Kptfile"] == "" {
				t.Error("the Kptfile does not change")
			}
		})
	}
	if refused == 0 || refused > len(packages)/4 {
		t.Errorf("%d of %d packages are refused", refused, len(packages))
	}
}

// checking is a Runtime whose functions check what they edited one by one.
type checking struct{ Builtin }

// TestCheckedTogether checks that one check of what all functions made gives the same files, points and errors as one
// after each function, and that packages without surprises need no other.
func TestCheckedTogether(t *testing.T) {
	t.Parallel()
	const needs = " needs to be checked function by function"
	pv := corpustest.Variant(t)
	packages := corpustest.Packages(t)
	packages["web"] = web()
	packages["with a block"] = web(map[string]string{
		"Kptfile": rootKptfile + "info:\n  description: >-\n    x\n\n      y\n"})
	packages["JSON"] = web(map[string]string{"points.yaml": "", "p.json": `{"apiVersion":"v1","kind":"ConfigMap",` +
		`"metadata":{"name":"p","annotations":{"kpt.dev/config-injection":"required"}}}`})
	packages["JSON with a number that changes,"+needs] = web(map[string]string{"points.yaml": "", "p.json": `{` +
		`"apiVersion":"v1","kind":"ConfigMap","n":1.0,"metadata":{"name":"p",` +
		`"annotations":{"kpt.dev/config-injection":"required"}}}`})
	packages["comment before an anchor,"+needs] = web(map[string]string{"Kptfile": strings.Replace(rootKptfile,
		"# pinned", "\n    configMap: # c\n      &x\n      a: b", 1)})
	for name, files := range packages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Request{Name: pv.Name, Namespace: "fleet", Spec: &pv.Spec, Objects: corpustest.Objects(t)}
			if before, err := parse(files); err == nil {
				_, sure, err := together(t.Context(), before, r)
				if again := !sure && err == nil; again != strings.HasSuffix(name, needs) {
					t.Errorf("one check is enough: %t", !again)
				}
			}
			got, err := Apply(t.Context(), Builtin{}, files, r)
			want, wantErr := Apply(t.Context(), checking{}, files, r)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-one by one +together:\n%s", diff)
			}
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("got the error %v\nwant %v", err, wantErr)
			}
		})
	}
}
