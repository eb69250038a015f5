// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func TestVariantChanged(t *testing.T) {
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
			if got := variantChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestRevisionChanged(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*porchapi.PackageRevision)
		want bool
	}{
		"its content":   {func(pr *porchapi.PackageRevision) { pr.ResourceVersion = "c2" }, false},
		"its lock":      {func(pr *porchapi.PackageRevision) { pr.Status.UpstreamLock = &porchapi.UpstreamLock{} }, false},
		"its lifecycle": {func(pr *porchapi.PackageRevision) { pr.Spec.Lifecycle = porchapi.PackageRevisionLifecyclePublished }, true},
		"its number":    {func(pr *porchapi.PackageRevision) { pr.Spec.Revision = 1 }, true},
		"a label": {func(pr *porchapi.PackageRevision) {
			pr.Labels = map[string]string{"tag.config.porch.kpt.dev/stable": "true"}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := &porchapi.PackageRevision{
				ObjectMeta: metav1.ObjectMeta{Name: "blueprints.web.v1", ResourceVersion: "c1"},
				Spec:       porchapi.PackageRevisionSpec{RepositoryName: "blueprints", PackageName: "web", WorkspaceName: "v1"},
			}
			after := before.DeepCopy()
			test.edit(after)
			if got := revisionChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

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

// TestWoken checks which sets an object wakes, whatever their conditions say.
func TestWoken(t *testing.T) {
	foreign := func(name string) *v1alpha1.PackageVariant {
		pv := ownVariant(name, "a")
		pv.Namespace, pv.Labels, pv.OwnerReferences = "fleet", nil, nil
		return &pv
	}
	named := foreign(expansion.Name("web", "a", "web"))
	c := newCluster(t, append(testObjects(), named, published("db", 1), published("web", 3))...)
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstream, s.UpstreamSelector = nil, &v1alpha2.UpstreamSelector{LabelSelector: metav1.LabelSelector{
			MatchLabels: map[string]string{"tier": "base"}}}
	})
	c.expect(t, "a name is taken", "4/3/0 NameTaken", "", "db@1 in a", "db@1 in b", "web@2 in a", "web@3 in b")
	c.silence(t)
	if len(c.affectedByVariant(t.Context(), named)) == 0 {
		t.Error("a variant that has the name of one of the set's does not wake it")
	}
	if len(c.affectedByVariant(t.Context(), foreign("web"))) > 0 {
		t.Error("any variant wakes the set")
	}
	unlabelled := published("db", 1)
	unlabelled.Labels = nil
	if len(c.affectedByRevision(t.Context(), unlabelled)) == 0 {
		t.Error("a revision of a package that variants are made from does not wake the set")
	}
	unlabelled.Spec.Lifecycle = porchapi.PackageRevisionLifecycleDraft
	if len(c.affectedByRevision(t.Context(), unlabelled)) > 0 {
		t.Error("a draft wakes the set")
	}
	other := published("cache", 1)
	other.Labels = nil
	if len(c.affectedByRevision(t.Context(), other)) > 0 {
		t.Error("a revision of another package wakes the set")
	}
}

// silence takes the messages out of the set's status.
func (c *cluster) silence(t *testing.T) {
	t.Helper()
	var set v1alpha2.PackageVariantSet
	key := types.NamespacedName{Namespace: "fleet", Name: "web"}
	if err := c.client.Get(t.Context(), key, &set); err != nil {
		t.Fatal(err)
	}
	for i := range set.Status.Conditions {
		set.Status.Conditions[i].Message = ""
	}
	if err := c.client.Status().Update(t.Context(), &set); err != nil {
		t.Fatal(err)
	}
}
