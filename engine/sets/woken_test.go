// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestWoken checks which sets an object wakes, whatever their conditions say.
func TestWoken(t *testing.T) {
	t.Parallel()
	foreign := func(name string) *v1alpha1.PackageVariant {
		return &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: memorytest.Namespace, Name: name},
			Spec: variant.Spec{
				Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
				Downstream: &variant.Downstream{Repo: "a", Package: "web"},
			}}
	}
	c, named := newCluster(t), foreign(expansion.Name("web", "a", "web"))
	c.Objects.Add(named)
	c.published("db", 1)
	c.published("web", 3)
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstream, s.UpstreamSelector = nil, &v1alpha2.UpstreamSelector{LabelSelector: metav1.LabelSelector{
			MatchLabels: map[string]string{"tier": "base"}}}
	})
	c.expect("a name is taken", "4/3/0 NameTaken", "", "db@1 in a", "db@1 in b", "web@2 in a", "web@3 in b")
	c.EditSet("web", func(set *v1alpha2.PackageVariantSet) {
		for i := range set.Status.Conditions {
			set.Status.Conditions[i].Message = ""
		}
	})
	byVariant := func(pv *v1alpha1.PackageVariant) bool {
		woken, err := c.ByVariant(t.Context(), pv)
		c.Must(err)
		return len(woken) > 0
	}
	if !byVariant(named) {
		t.Error("a variant that has the name of one of the set's does not wake it")
	}
	if byVariant(foreign("web")) {
		t.Error("any variant wakes the set")
	}
	byRevision := func(pkg string, lifecycle revision.Lifecycle) bool {
		woken, err := c.ByRevision(t.Context(), &revision.Revision{Namespace: memorytest.Namespace, Number: 1,
			Name: "blueprints." + pkg + ".v1", Package: revision.Package{Repo: "blueprints", Name: pkg}, Workspace: "v1",
			Lifecycle: lifecycle})
		c.Must(err)
		return len(woken) > 0
	}
	if !byRevision("db", revision.Published) {
		t.Error("a revision of a package that variants are made from does not wake the set")
	}
	if byRevision("db", revision.Draft) {
		t.Error("a draft wakes the set")
	}
	if byRevision("cache", revision.Published) {
		t.Error("a revision of another package wakes the set")
	}
}
