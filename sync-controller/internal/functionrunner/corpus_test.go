// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate/corpustest"
)

// TestCorpus holds that of each package of the corpus, functions that run by image make what they make in this process,
// byte for byte, or fail with the same message.
func TestCorpus(t *testing.T) {
	t.Parallel()
	runtime, request := start(t, nil), corpusRequest(t)
	for name, files := range corpustest.Packages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectSame(t, runtime, files, request)
		})
	}
}

// expectSame fails the test unless the runtime makes of a package what mutate.Builtin does.
func expectSame(t *testing.T, runtime mutate.Runtime, files map[string]string, request mutate.Request) {
	t.Helper()
	want, wantErr := mutate.Apply(t.Context(), mutate.Builtin{}, files, request)
	got, err := mutate.Apply(t.Context(), runtime, files, request)
	if diff := cmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
		t.Errorf("error (-builtin +by image):\n%s", diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-builtin +by image):\n%s", diff)
	}
}

func corpusRequest(t *testing.T) mutate.Request {
	t.Helper()
	pv := corpustest.Variant(t)
	return mutate.Request{Name: pv.Name, Namespace: "fleet", Spec: &pv.Spec, Objects: corpustest.Objects[mutate.Unreadable]}
}
