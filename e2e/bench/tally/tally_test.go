// SPDX-License-Identifier: Apache-2.0

package tally

import (
	"testing"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
)

// TestOf checks that requests are counted by verb and resource.
func TestOf(t *testing.T) {
	t.Parallel()
	const contents = "packagerevisionresources"
	requests := []proxy.Request{
		{Verb: "update", Resource: contents, Name: "edge-1.web-00.packagevariant-1", Status: 200},
		{Verb: "update", Resource: contents, Name: "edge-1.web-00.packagevariant-1", Status: 409},
		{Verb: "get", Resource: contents, Name: "blueprints.web.v1", Status: 200},
		{Verb: "patch", Resource: "packagevariants", Subresource: "status", Name: "a", Status: 200},
		{Verb: "get", Status: 200},
		{Verb: "create", Resource: "packagerevisions", Status: 500},
		{Verb: "watch", Resource: "packagerevisions"},
	}
	want := []report.RequestCount{
		{Verb: "get", Resource: "(discovery)", Count: 1},
		{Verb: "get", Resource: contents, Count: 1},
		{Verb: "update", Resource: contents, Count: 2, Refused: 1},
		{Verb: "create", Resource: "packagerevisions", Count: 1, Refused: 1},
		{Verb: "watch", Resource: "packagerevisions", Count: 1},
		{Verb: "patch", Resource: "packagevariants/status", Count: 1},
	}
	if diff := cmp.Diff(want, Of(requests)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
