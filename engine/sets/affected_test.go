// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMayUse(t *testing.T) {
	named := v1alpha2.Target{Repositories: []v1alpha2.RepositoryTarget{{Name: "a"}, {Name: "b"}}}
	elsewhere := named
	elsewhere.Template = &v1alpha2.PackageVariantTemplate{Downstream: &v1alpha2.DownstreamTemplate{}}
	only := v1alpha2.Target{Repositories: named.Repositories[:1]}
	none := v1alpha2.PackageVariantSetSpec{}
	of := func(u *variant.Upstream) v1alpha2.PackageVariantSetSpec {
		return v1alpha2.PackageVariantSetSpec{Upstream: u}
	}
	for name, test := range map[string]struct {
		target   v1alpha2.Target
		upstream v1alpha2.PackageVariantSetSpec
		want     bool
	}{
		"names it":                   {named, none, true},
		"names others":               {only, none, false},
		"names others, for upstream": {only, of(&variant.Upstream{Repo: "a"}), false},
		"takes its upstream from it": {only, of(&variant.Upstream{Repo: "b"}), true},
		"takes one of its upstreams from it": {only, v1alpha2.PackageVariantSetSpec{
			Upstreams: []variant.Upstream{{Repo: "a"}, {Repo: "b"}}}, true},
		"takes its upstreams from others": {only, v1alpha2.PackageVariantSetSpec{
			Upstreams: []variant.Upstream{{Repo: "a"}, {Repo: "c"}}}, false},
		"selects its upstreams in it": {only, v1alpha2.PackageVariantSetSpec{
			UpstreamSelector: &v1alpha2.UpstreamSelector{Repo: "b"}}, true},
		"selects its upstreams in another": {only, v1alpha2.PackageVariantSetSpec{
			UpstreamSelector: &v1alpha2.UpstreamSelector{Repo: "a"}}, false},
		"selects its upstreams in all": {only, v1alpha2.PackageVariantSetSpec{
			UpstreamSelector: &v1alpha2.UpstreamSelector{}}, true},
		"has another elsewhere": {elsewhere, none, true},
		"selects repositories":  {v1alpha2.Target{RepositorySelector: &v1alpha2.RepositorySelector{}}, none, true},
		"selects objects":       {v1alpha2.Target{ObjectSelector: &v1alpha2.ObjectSelector{}}, none, true},
	} {
		t.Run(name, func(t *testing.T) {
			set := &v1alpha2.PackageVariantSet{Spec: test.upstream}
			set.Spec.Targets = []v1alpha2.Target{test.target}
			if got := mayUse(set, "b"); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestChanged(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*v1alpha1.PackageVariant)
		want bool
	}{
		"nothing":        {func(*v1alpha1.PackageVariant) {}, false},
		"a user's label": {func(pv *v1alpha1.PackageVariant) { pv.Labels["team"] = "edge" }, false},
		"its targets": {func(pv *v1alpha1.PackageVariant) {
			pv.Status.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: "x", Lifecycle: "Published"}}
		}, false},
		"that it has a draft": {func(pv *v1alpha1.PackageVariant) {
			pv.Status.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: "x", Lifecycle: "Draft"}}
		}, true},
		"what it was made from": {func(pv *v1alpha1.PackageVariant) {
			pv.Status.Upstream = &v1alpha1.ResolvedUpstream{Name: "x"}
		}, true},
		"a conflict": {func(pv *v1alpha1.PackageVariant) {
			pv.Status.Conditions = append(pv.Status.Conditions, metav1.Condition{Type: "Conflicted", Status: "True"})
		}, true},
		"what its draft waits for": {func(pv *v1alpha1.PackageVariant) {
			pv.Status.OpenDraft = &v1alpha1.OpenDraft{Name: "x", Reason: "EditedByOthers"}
		}, true},
		"a message": {func(pv *v1alpha1.PackageVariant) { pv.Status.Conditions[0].Message = "x" }, false},
		"the spec":  {func(pv *v1alpha1.PackageVariant) { pv.Generation = 3 }, true},
		"readiness": {func(pv *v1alpha1.PackageVariant) { pv.Status.Conditions[0].Status = metav1.ConditionTrue },
			true},
		"the reason":          {func(pv *v1alpha1.PackageVariant) { pv.Status.Conditions[0].Reason = "Other" }, true},
		"what Ready is about": {func(pv *v1alpha1.PackageVariant) { pv.Status.Conditions[0].ObservedGeneration = 1 }, true},
		"the owner label":     {func(pv *v1alpha1.PackageVariant) { delete(pv.Labels, v1alpha2.OwnerLabel) }, true},
		"the owner":           {func(pv *v1alpha1.PackageVariant) { pv.OwnerReferences = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := conditioned("a", metav1.ConditionFalse, "RenderFailed", 2)
			after := before.DeepCopy()
			test.edit(after)
			if got := Changed(before, after); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
