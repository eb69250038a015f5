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

// TestWoken checks which sets an object wakes, whatever their conditions say.
func TestWoken(t *testing.T) {
	foreign := func(name string) *v1alpha1.PackageVariant {
		return &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: name}, Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
			Downstream: &variant.Downstream{Repo: "a", Package: "web"},
		}}
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
