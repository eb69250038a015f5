// SPDX-License-Identifier: Apache-2.0

package changes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/changes"
)

// TestOwn has the values that are known to be a package's own, and no other value of its files.
func TestOwn(t *testing.T) {
	t.Parallel()
	got := changes.Own("fra", map[string]string{"region": "eu", "tier": "edge"}, map[string]string{
		"package-context.yaml": "kind: ConfigMap\ndata:\n  name: web\n  region: eu-west\n",
		"a.yaml": "kind: Deployment\nspec: {image: web}\n---\nkind: Net\nmetadata: {annotations: {kpt.dev/injected-resource-name: x}}\n" +
			"spec: {cidr: 10.0.0.0/8, dns: [one, {name: two}], mtu: 1500, on: true}\n",
		"b.yaml":   "kind: ConfigMap\nmetadata:\n  annotations:\n    kpt.dev/injected-resource: x\ndata: {zone: a}\n---\n[",
		"c.yaml":   "spec: {other: value}\n",
		"odd.yaml": "kpt.dev/injected-resource: [",
	})
	want := map[string]string{"repository": "fra", "name": "web", "region": "eu-west", "tier": "edge", "cidr": "10.0.0.0/8",
		"dns.0": "one", "dns.1.name": "two", "zone": "a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"repository": ""}, changes.Own("", nil, nil)); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
}
