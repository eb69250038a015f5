// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
)

// TestExpansionMemory checks by how many variants and values the memory for a set is reckoned: by those that its targets
// could select, and by no more than a set may have.
func TestExpansionMemory(t *testing.T) {
	t.Parallel()
	const each = 20 << 10
	template := &v1alpha2.PackageVariantTemplate{Labels: make(map[string]string),
		Injectors: make([]v1alpha2.InjectionSelectorTemplate, 18)}
	template.Labels["a"], template.Labels["b"] = "", ""
	packages := []string{"web", "shop", "db"}
	snapshot := &expansion.Snapshot{
		PackageRevisions: make([]expansion.PackageRevision, 4), Repositories: make([]expansion.Object, 100),
		Objects: map[expansion.GroupKind][]expansion.Object{{APIVersion: "v1", Kind: "Cluster"}: make([]expansion.Object, 10)},
	}
	for name, c := range map[string]struct {
		spec v1alpha2.PackageVariantSetSpec
		want int64
	}{
		"nothing": {v1alpha2.PackageVariantSetSpec{}, 0},
		"a list": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{{Repositories: []v1alpha2.RepositoryTarget{
			{Name: "a"}, {Name: "b", PackageNames: packages}}}}}, 4},
		"Repositories": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: packages}}}}, 300},
		"objects of a kind": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "Cluster"}},
			{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "Other"}}}}, 10},
		"two upstreams": {v1alpha2.PackageVariantSetSpec{Upstreams: make([]variant.Upstream, 2), Targets: []v1alpha2.Target{
			{RepositorySelector: &v1alpha2.RepositorySelector{}}}}, 200},
		"selected upstreams, and more than may be": {v1alpha2.PackageVariantSetSpec{
			UpstreamSelector: &v1alpha2.UpstreamSelector{}, Targets: []v1alpha2.Target{
				{RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: make([]string, 100)}}}}, 20_000},
		"by values": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{Template: template, RepositorySelector: &v1alpha2.RepositorySelector{}}}}, 100 + 100*20/20},
		"by more values than may be": {v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{},
			Targets: []v1alpha2.Target{{Template: template,
				RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: make([]string, 100)}}}}, 20_000 + 400_000/20},
	} {
		if got := mutate.ExpansionMemory(&c.spec, snapshot); got != c.want*each {
			t.Errorf("%s: got %d, want that of %d variants", name, got, c.want)
		}
	}
}

// TestMemory checks that the values in YAML files count, and of all files their size.
func TestMemory(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.yaml": "a: b\n", "b.txt": "a: b\n"}
	if got, want := mutate.Memory(files, files), int64(2*(10+3*300)); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
