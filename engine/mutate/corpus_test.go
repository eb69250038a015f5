// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"testing"

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
