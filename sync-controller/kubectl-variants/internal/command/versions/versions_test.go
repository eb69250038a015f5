// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestTagOf(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{
		"ghcr.io/package-variants/sync-controller:v0.1.0":            "v0.1.0",
		"localhost:5000/sync-controller:v0.2.0@sha256:0123456789abc": "v0.2.0",
		"localhost:5000/sync-controller":                             "not known: the image localhost:5000/sync-controller has no tag",
	} {
		deployment := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{
			"spec": map[string]any{"containers": []any{map[string]any{"name": "sidecar", "image": "x:v9"}, map[string]any{
				"name": "sync-controller", "image": image}}}}}}}
		if got := tagOf(deployment); got != want {
			t.Errorf("%s: got %q, want %q", image, got, want)
		}
	}
	want := "not known: the Deployment sync-controller has no container of that name"
	if got := tagOf(&unstructured.Unstructured{Object: map[string]any{}}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestClient checks that the version of the plugin needs no cluster.
func TestClient(t *testing.T) {
	t.Parallel()
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	cmd := New(cli.New(streams))
	cmd.SetArgs([]string{"--client"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "client:     (devel) (" + runtime.GOOS + "/" + runtime.GOARCH + ")\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
