// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// published returns a published revision of a package in the Repository blueprints, with the label tier: base.
func published(pkg string, number int) *porchapi.PackageRevision {
	return &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: fmt.Sprintf("blueprints.%s.v%d", pkg, number),
			Labels: map[string]string{"tier": "base"}},
		Spec: porchapi.PackageRevisionSpec{RepositoryName: "blueprints", PackageName: pkg, Revision: number,
			WorkspaceName: fmt.Sprintf("v%d", number), Lifecycle: porchapi.PackageRevisionLifecyclePublished},
	}
}

// edit changes the set, as a user does.
func (c *cluster) edit(t *testing.T, change func(*v1alpha2.PackageVariantSetSpec)) {
	t.Helper()
	var set v1alpha2.PackageVariantSet
	if err := c.client.Get(t.Context(), types.NamespacedName{Namespace: "fleet", Name: "web"}, &set); err != nil {
		t.Fatal(err)
	}
	change(&set.Spec)
	set.Generation++
	if err := c.client.Update(t.Context(), &set); err != nil {
		t.Fatal(err)
	}
}

// expect reconciles the set and checks what Ready says, and which upstreams the variants have in which Repositories.
func (c *cluster) expect(t *testing.T, step, wantReady, wantMessage string, want ...string) {
	t.Helper()
	_, ready := c.reconcile(t, false)
	var set v1alpha2.PackageVariantSet
	if err := c.client.Get(t.Context(), types.NamespacedName{Namespace: "fleet", Name: "web"}, &set); err != nil {
		t.Fatal(err)
	}
	if got := set.Status.Conditions[0].Message; ready != wantReady || !strings.HasPrefix(got, wantMessage) {
		t.Errorf("%s: ready %q, want %q: %s", step, ready, wantReady, got)
	}
	var list v1alpha1.PackageVariantList
	if err := c.client.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list.Items {
		if s := &list.Items[i].Spec; list.Items[i].DeletionTimestamp.IsZero() {
			got = append(got, fmt.Sprintf("%s@%s in %s", s.Upstream.Package, s.Upstream.Revision, s.Downstream.Repo))
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: variants (-want +got):\n%s", step, diff)
	}
}

// TestSelectedUpstreams checks that a set follows the packages that it selects, and lets none of its variants go
// because a package is not there at all.
func TestSelectedUpstreams(t *testing.T) {
	objects := append(testObjects(), published("db", 1), published("web", 3))
	c := newCluster(t, objects...)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstream, s.Targets[0].Repositories = nil, s.Targets[0].Repositories[:1]
		s.UpstreamSelector = &v1alpha2.UpstreamSelector{LabelSelector: metav1.LabelSelector{
			MatchLabels: map[string]string{"tier": "base"}}}
	})
	c.expect(t, "two match", "2/2/0 VariantsNotReady", "", "db@1 in a", "web@3 in a")
	do(c.client.Create(t.Context(), published("web", 4)))
	c.expect(t, "a newer one", "2/2/0 VariantsNotReady", "", "db@1 in a", "web@4 in a")
	db := published("db", 1)
	do(c.client.Delete(t.Context(), db))
	c.expect(t, "a package is gone", "2/2/0 UpstreamNotFound",
		"spec.upstreamSelector: there is no published PackageRevision of blueprints/db any more, which 1 variants of this set "+
			"are made from: bring it back, or delete these variants: web-a-db-", "db@1 in a", "web@4 in a")
	db = published("db", 1)
	db.Labels = nil
	do(c.client.Create(t.Context(), db))
	c.expect(t, "it has lost its label", "1/1/0 VariantsNotReady", "", "web@4 in a")
	do(c.client.DeleteAllOf(t.Context(), &porchapi.PackageRevision{}, client.InNamespace("fleet")))
	do(c.client.Delete(t.Context(), &configapi.Repository{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet",
		Name: "blueprints"}}))
	c.expect(t, "the Repository is gone", "1/1/0 RepositoryNotFound",
		`there is no Repository "blueprints" in this namespace: register it, or correct spec.upstreamSelector`,
		"web@4 in a")
}

// TestSeveralUpstreams checks what a set with a list of upstreams lacks.
func TestSeveralUpstreams(t *testing.T) {
	c := newCluster(t, append(testObjects(), published("db", 1))...)
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstreams = []variant.Upstream{*s.Upstream, {Repo: "blueprints", Package: "db", Revision: variant.RevisionNumber(1)}}
		s.Upstream = nil
	})
	c.expect(t, "both are there", "4/4/0 VariantsNotReady", "", "db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) { s.Upstreams[1].Revision = variant.RevisionNumber(2) })
	c.expect(t, "one is not there", "4/4/0 UpstreamNotFound", "there is no PackageRevision of blueprints/db with revision 2 "+
		"in this namespace: publish it, or correct spec.upstreams[1]",
		"db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) { s.Upstreams[1].Repo = "nowhere" })
	c.expect(t, "nor is its Repository", "4/4/0 RepositoryNotFound",
		`there is no Repository "nowhere" in this namespace: register it, or correct spec.upstreams[1].repo`,
		"db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
}

// TestHeldBack checks that a set which is held back writes its status only, and goes on when nothing holds it.
func TestHeldBack(t *testing.T) {
	c := newCluster(t, testObjects()...)
	c.reconcile(t, false)
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) {
		s.Suspend, s.Targets[0].Repositories = true, s.Targets[0].Repositories[:1]
	})
	if writes, _ := c.reconcile(t, false); !slices.Equal(writes, []string{status}) {
		t.Errorf("suspended, it writes %v", writes)
	}
	c.expect(t, "suspended", "1/1/0 Suspended", "suspended: would delete 1 (web-b-web-",
		"web@2 in a", "web@2 in b")
	none := intstr.FromString("0%")
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) { s.Suspend, s.MaxDeletions = false, &none })
	if writes, _ := c.reconcile(t, false); !slices.Equal(writes, []string{status}) {
		t.Errorf("with too many deletions, it writes %v", writes)
	}
	c.expect(t, "too many deletions", "1/1/0 TooManyDeletions", "nothing is changed, for 1 of the 2 variants",
		"web@2 in a", "web@2 in b")
	c.edit(t, func(s *v1alpha2.PackageVariantSetSpec) { s.MaxDeletions = nil })
	c.expect(t, "nothing holds it", "1/1/0 VariantsNotReady", "", "web@2 in a")
}
