// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"math/rand"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// agreement compares what we accept with what Porch accepts: its CRD together with the checks in its controllers.
type agreement struct {
	crd string
	// specs makes a spec that is mostly right.
	specs func(*rand.Rand) any
	// refusal says why Porch's controller refuses an object that its CRD accepts; empty if it takes it.
	refusal func(*testing.T, []byte) string
	// stricter are the errors, by a pattern, that we have for objects which Porch accepts although they cannot work.
	stricter []string
	// looser are the errors of Porch, by a pattern, for objects which we accept.
	looser []string
}

// TestPorchAgrees makes random specs with a mistake here and there, has Porch's real code and our CRD judge them, and
// allows no other differences than the ones listed. Each of these has to turn up, so that the list stays true.
func TestPorchAgrees(t *testing.T) {
	t.Parallel()
	cases := map[string]agreement{
		"PackageVariant": {
			crd: variantCRD, specs: randomVariant, refusal: variantRefusal,
			stricter: []string{
				// The function that edits the context refuses a contradiction, where Porch lets the removal win.
				`^spec\.packageContext: .* the same key must not be in both`,
				// kpt refuses the Kptfile.
				`^spec\.pipeline\.(mutators|validators)\[\d\]: .* exactly one of image and exec must be set$`,
				// Porch does not recognize the function as its own again and adds it once more at each reconcile.
				`^spec\.pipeline\.(mutators|validators)\[\d\]\.name: .* must not contain '\.'$`,
			},
		},
		"PackageVariantSet": {
			crd: variantSetCRD, specs: randomSet, refusal: setRefusal,
			stricter: []string{
				// As for a PackageVariant.
				`\.packageContext: .* the same key must not be in both`,
				`\.pipeline\.(mutators|validators)\[\d\]: .* exactly one of image and exec must be set$`,
				// Porch refuses the PackageVariants that it makes of such a template.
				`\.packageContext\.data: .* must not contain the reserved key`,
				`\.packageContext\.removeKeys\[\d\]: .* must not be the reserved key`,
				`\.packageContext\.dataExprs\[\d\]\.key: .* must not set the reserved key`,
				`\.injectors\[\d\]\.name(Expr)?: .* should be at least 1 chars long$`,
				// The key would be empty, which no label, annotation or ConfigMap can have.
				`Exprs\[\d\]: .* one of key and keyExpr must be set$`,
				// An empty expression does not compile.
				`Exprs\[\d\]\.(key|value)Expr: .* should be at least 1 chars long$`,
				`\.removeKeyExprs\[\d\]: .* should be at least 1 chars long$`,
			},
			looser: []string{
				// A function may run an executable instead of an image.
				`^spec\.targets\[\d\]\.template\.pipeline\.(mutators|validators)\[\d\]\.image must not be empty$`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}

func (a agreement) check(t *testing.T) {
	const specs = 5000
	ours := newServer(t, filepath.Join(crdDir, a.crd))
	porchs := newServer(t, filepath.Join(porchCRDs(t), a.crd))
	random := rand.New(rand.NewSource(1))
	seen := map[string]int{}
	accepted := 0
	for range specs {
		object := ours.object(a.specs(random))
		if errs := porchs.create(t, object); len(errs) > 0 {
			t.Fatalf("Porch's CRD refuses what should only be judged by its controller: %v\n%s", errs, encode(t, object.Object))
		}
		refusal := a.refusal(t, encode(t, object.Object))
		errs := sentences(ours.create(t, object))
		switch {
		case refusal == "" && len(errs) == 0:
			accepted++
		case refusal == "":
			for _, err := range errs {
				if !match(a.stricter, err, seen) {
					t.Errorf("Porch accepts, we refuse: %s\n%s", err, encode(t, object.Object))
				}
			}
		case len(errs) == 0:
			for _, err := range strings.Split(refusal, "; ") {
				if !match(a.looser, err, seen) {
					t.Errorf("Porch refuses, we accept: %s\n%s", err, encode(t, object.Object))
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("of %d specs both accept %d; differences: %v", specs, accepted, seen)
	if accepted < specs/20 {
		t.Errorf("both accept only %d of %d specs", accepted, specs)
	}
	for _, pattern := range slices.Concat(a.stricter, a.looser) {
		if seen[pattern] == 0 {
			t.Errorf("the difference %s did not turn up", pattern)
		}
	}
}

// match counts the first pattern that s matches, and reports whether there is one.
func match(patterns []string, s string, seen map[string]int) bool {
	for _, pattern := range patterns {
		if regexp.MustCompile(pattern).MatchString(s) {
			seen[pattern]++
			return true
		}
	}
	return false
}
