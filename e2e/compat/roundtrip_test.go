// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	porchvariant "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	porchset "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// pairs are Porch's types and ours. The functions return new, empty values.
var pairs = map[string]struct {
	porch, ours func() any
	samples     string
}{
	"PackageVariant": {
		porch:   func() any { return &porchvariant.PackageVariant{} },
		ours:    func() any { return &v1alpha1.PackageVariant{} },
		samples: filepath.Join("..", "..", "api", "v1alpha1", "testdata", "porch.yaml"),
	},
	"PackageVariantSet": {
		porch:   func() any { return &porchset.PackageVariantSet{} },
		ours:    func() any { return &v1alpha2.PackageVariantSet{} },
		samples: filepath.Join("..", "..", "api", "v1alpha2", "testdata", "porch.yaml"),
	},
}

// TestRandomObjects encodes random objects of Porch's types, decodes them as ours, and expects the same JSON again.
func TestRandomObjects(t *testing.T) {
	t.Parallel()
	const objects = 500
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A fixed seed: a failure is found again by its number.
			filler := newFiller(1)
			for i := range objects {
				in := pair.porch()
				filler.Fill(in)
				compareJSON(t, fmt.Sprintf("object %d", i), encode(t, in), pair.ours())
			}
		})
	}
}

// TestSamples does the same with hand-written manifests that have every field.
func TestSamples(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(pair.samples)
			if err != nil {
				t.Fatal(err)
			}
			in := pair.porch()
			if err := yaml.UnmarshalStrict(content, in); err != nil {
				t.Fatalf("Porch's type does not take the sample: %v", err)
			}
			compareJSON(t, pair.samples, encode(t, in), pair.ours())
		})
	}
}

// compareJSON decodes in into ours, with no field left over, and compares what ours encodes to.
func compareJSON(t *testing.T, what string, in []byte, ours any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(in))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(ours); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, in)
	}
	if diff := cmp.Diff(generic(t, in), generic(t, encode(t, ours))); diff != "" {
		t.Fatalf("%s: -Porch +ours:\n%s", what, diff)
	}
}

func encode(t *testing.T, in any) []byte {
	t.Helper()
	out, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// generic decodes JSON without a type. Porch writes an empty status where we write none, and has no counts where we
// write 0; both mean the same.
func generic(t *testing.T, in []byte) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(in))
	decoder.UseNumber()
	var out map[string]any
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	if status, ok := out["status"].(map[string]any); ok {
		for _, count := range []string{"desired", "current", "ready", "injected"} {
			if status[count] == json.Number("0") {
				delete(status, count)
			}
		}
		if len(status) == 0 {
			delete(out, "status")
		}
	}
	return out
}

func newFiller(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(20).Funcs(
		// The type is the same on both sides; its inner parts need not be tried here.
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			*m = metav1.ObjectMeta{}
			c.Fill(&m.Name)
			c.Fill(&m.Labels)
			c.Fill(&m.CreationTimestamp)
		},
		func(m *metav1.Time, c randfill.Continue) {
			// JSON has whole seconds, of years with four digits.
			*m = metav1.NewTime(time.Unix(c.Int63n(4_000_000_000), 0).UTC())
		},
		// JSON has no way to say that an element of a list is a nil pointer.
		func(l *porchapi.ResultList, c randfill.Continue) {
			c.FillNoCustom(l)
			l.Items = slices.DeleteFunc(l.Items, func(r *porchapi.Result) bool { return r == nil })
		},
	)
}
