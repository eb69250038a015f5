// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
)

// TestExpansionMemory checks by how many variants, values and bytes of text the memory for a set is estimated: by those
// that its targets could select, and by no more than a set may have.
func TestExpansionMemory(t *testing.T) {
	t.Parallel()
	const each = 20 << 10
	expr := "target.name"
	texts := func(text string, valueExpr *string) *v1alpha2.PackageVariantTemplate {
		return &v1alpha2.PackageVariantTemplate{PackageContext: &v1alpha2.PackageContextTemplate{
			Data: map[string]string{"k": text}, DataExprs: []v1alpha2.MapExpr{{Key: &text, ValueExpr: valueExpr}}}}
	}
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
		text int64
	}{
		"nothing": {v1alpha2.PackageVariantSetSpec{}, 0, 0},
		"a list": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{{Repositories: []v1alpha2.RepositoryTarget{
			{Name: "a"}, {Name: "b", PackageNames: packages}}}}}, 4, 0},
		"Repositories": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: packages}}}}, 300, 0},
		"objects of a kind": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "Cluster"}},
			{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "Other"}}}}, 10, 0},
		"two upstreams": {v1alpha2.PackageVariantSetSpec{Upstreams: make([]variant.Upstream, 2), Targets: []v1alpha2.Target{
			{RepositorySelector: &v1alpha2.RepositorySelector{}}}}, 200, 0},
		"selected upstreams, and more than may be": {v1alpha2.PackageVariantSetSpec{
			UpstreamSelector: &v1alpha2.UpstreamSelector{}, Targets: []v1alpha2.Target{
				{RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: make([]string, 100)}}}}, 20_000, 0},
		"by values": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{Template: template, RepositorySelector: &v1alpha2.RepositorySelector{}}}}, 100 + 100*20/20, 100 * 2},
		"by more values than may be": {v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{},
			Targets: []v1alpha2.Target{{Template: template,
				RepositorySelector: &v1alpha2.RepositorySelector{PackageNames: make([]string, 100)}}}}, 20_000 + 400_000/20, 40_000 * 2},
		"by text, and by what expressions may give": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{Template: texts("text", &expr), RepositorySelector: &v1alpha2.RepositorySelector{}}}}, 100 + 100*3/20,
			100 * (1 + 4 + 4 + 16<<10)},
		"by more text than may be": {v1alpha2.PackageVariantSetSpec{Targets: []v1alpha2.Target{
			{Template: texts(strings.Repeat("x", 1<<20), nil), RepositorySelector: &v1alpha2.RepositorySelector{}}}},
			100 + 100*2/20, 64 << 20},
	} {
		work, result := mutate.ExpansionMemory(&c.spec, snapshot)
		if want := c.want*each + 3*c.text; work != want || result != want/8+c.text {
			t.Errorf("%s: got %d and %d, want %d, that of %d variants and %d bytes of text, and %d", name, work, result, want,
				c.want, c.text, want/8+c.text)
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
