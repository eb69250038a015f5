// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
)

// TestContents checks which packages the requests for contents are about.
func TestContents(t *testing.T) {
	t.Parallel()
	const resource = "packagerevisionresources"
	read, saved := contents([]proxy.Request{
		{Verb: "update", Resource: resource, Name: "edge-1.web-00.packagevariant-1", Status: 200},
		{Verb: "update", Resource: resource, Name: "edge-1.web-00.packagevariant-1", Status: 409},
		{Verb: "get", Resource: resource, Name: "edge-1.web-00.packagevariant-1", Status: 200},
		{Verb: "get", Resource: resource, Name: "edge-2.web-00.packagevariant-2", Status: 200},
		{Verb: "get", Resource: resource, Name: "blueprints.web.v1", Status: 200},
		{Verb: "create", Resource: "packagerevisions", Status: 500},
		{Verb: "get", Status: 200},
	})
	one, two := pkgKey{"edge-1", "web-00"}, pkgKey{"edge-2", "web-00"}
	if diff := cmp.Diff(map[pkgKey]bool{one: true, two: true}, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[pkgKey]bool{one: true}, saved); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
}
