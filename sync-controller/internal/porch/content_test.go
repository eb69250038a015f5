// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"strings"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestRenderStatus checks that Porch's render status and this project's have the same JSON.
func TestRenderStatus(t *testing.T) {
	t.Parallel()
	zero := 0
	got := renderStatus(&porchapi.RenderStatus{Err: "e", Result: porchapi.ResultList{
		ObjectMeta: metav1.ObjectMeta{Name: "fnresults"}, ExitCode: 1,
		Items: []*porchapi.Result{{Image: "example.com/f:v1", Stderr: "s", ExitCode: zero,
			Results: []porchapi.ResultItem{{Message: "m", Severity: "error"}}}},
	}})
	if strings.HasPrefix(got.Err, "cannot read") || got.Err != "e" || got.Result.ExitCode != 1 ||
		got.Result.Metadata.Name != "" || len(got.Result.Items) != 1 {
		t.Fatalf("got %+v", got)
	}
	if item := got.Result.Items[0]; item.Image != "example.com/f:v1" || item.Stderr != "s" || len(item.Results) != 1 ||
		item.Results[0].Message != "m" {
		t.Errorf("got %+v", item)
	}
}
