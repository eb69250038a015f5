// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// TestExpansionSize checks that a set is as large as what its targets could select.
func TestExpansionSize(t *testing.T) {
	t.Parallel()
	template := &v1alpha2.PackageVariantTemplate{Labels: map[string]string{"a": "", "b": ""}}
	packages := []string{"web", "shop", "db"}
	snapshot := &expansion.Snapshot{
		PackageRevisions: make([]expansion.PackageRevision, 4), Repositories: make([]expansion.Object, 100),
		Objects: map[expansion.GroupKind][]expansion.Object{{APIVersion: "v1", Kind: "Cluster"}: make([]expansion.Object, 10)},
	}
	all := []v1alpha2.Target{{RepositorySelector: &v1alpha2.RepositorySelector{}}}
	for name, c := range map[string]struct {
		spec v1alpha2.PackageVariantSetSpec
		want int
	}{
		"nothing": {v1alpha2.PackageVariantSetSpec{}, 0},
		"a list": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{{Repositories: []v1alpha2.RepositoryTarget{
			{Name: "a"}, {Name: "b", PackageNames: packages}}}}}, 4 * 20},
		"Repositories": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: packages}}}}, 300 * 20},
		"objects of a kind": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "Cluster"}},
			{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "Other"}}}}, 10 * 20},
		"two upstreams":      {v1alpha2.PackageVariantSetSpec{Upstreams: make([]variant.Upstream, 2), Targets: all}, 200 * 20},
		"selected upstreams": {v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{}, Targets: all}, 400 * 20},
		"values": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{Template: template, RepositorySelector: &v1alpha2.RepositorySelector{}}}}, 100 * 22},
	} {
		if got := mutate.ExpansionSize(&c.spec, snapshot); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

// TestSize checks that the values in YAML files count, and of all files their size.
func TestSize(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.yaml": "a: b\n", "b.txt": strings.Repeat("a: b\n", 20)}
	if got, want := mutate.Size(files, files), 2*(3+100/50); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
