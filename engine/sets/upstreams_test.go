// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// expect reconciles the set and checks what Ready says, and which upstreams the variants have in which Repositories.
func (c *cluster) expect(step, wantReady, wantMessage string, want ...string) {
	c.T.Helper()
	if _, ready := c.reconcile(false); ready != wantReady || !strings.HasPrefix(c.message(), wantMessage) {
		c.T.Errorf("%s: ready %q, want %q: %s", step, ready, wantReady, c.message())
	}
	var got []string
	for _, pv := range c.Objects.AllVariants() {
		if s := &pv.Spec; pv.DeletionTimestamp.IsZero() {
			got = append(got, fmt.Sprintf("%s@%s in %s", s.Upstream.Package, s.Upstream.Revision, s.Downstream.Repo))
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		c.T.Errorf("%s: variants (-want +got):\n%s", step, diff)
	}
}

// TestSelectedUpstreams checks that a set follows the packages that it selects, and lets none of its variants go
// because a package is not there at all.
func TestSelectedUpstreams(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.published("db", 1)
	c.published("web", 3)
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstream, s.Targets[0].Repositories = nil, s.Targets[0].Repositories[:1]
		s.UpstreamSelector = &v1alpha2.UpstreamSelector{LabelSelector: metav1.LabelSelector{
			MatchLabels: map[string]string{"tier": "base"}}}
	})
	c.expect("two match", "2/2/0 VariantsNotReady", "", "db@1 in a", "web@3 in a")
	c.published("web", 4)
	c.expect("a newer one", "2/2/0 VariantsNotReady", "", "db@1 in a", "web@4 in a")
	c.Removes("blueprints.db.v1")
	c.expect("a package is gone", "2/2/0 UpstreamNotFound",
		"spec.upstreamSelector: there is no published PackageRevision of blueprints/db any more, which 1 variants of this set "+
			"are made from: bring it back, or delete these variants: web-a-db-", "db@1 in a", "web@4 in a")
	c.Blueprint("db", 1, memorytest.Files("db", "red"))
	c.expect("it has lost its label", "1/1/0 VariantsNotReady", "", "web@4 in a")
	for _, r := range c.Revisions() {
		c.Removes(r.Name)
	}
	c.Unregisters("blueprints")
	c.expect("the Repository is gone", "1/1/0 RepositoryNotFound",
		`there is no Repository "blueprints" in this namespace: register it, or correct spec.upstreamSelector`,
		"web@4 in a")
}

// TestSeveralUpstreams checks what a set with a list of upstreams lacks.
func TestSeveralUpstreams(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.published("db", 1)
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstreams = []variant.Upstream{*s.Upstream, {Repo: "blueprints", Package: "db", Revision: variant.RevisionNumber(1)}}
		s.Upstream = nil
	})
	c.expect("both are there", "4/4/0 VariantsNotReady", "", "db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) { s.Upstreams[1].Revision = variant.RevisionNumber(2) })
	c.expect("one is not there", "4/4/0 UpstreamNotFound", "there is no PackageRevision of blueprints/db with revision 2 "+
		"in this namespace: publish it, or correct spec.upstreams[1]",
		"db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) {
		s.Upstreams[1].Revision, s.Upstreams[1].WorkspaceName = variant.Revision{}, "main"
	})
	c.expect("a branch is not there", "4/4/0 UpstreamNotFound", "there is no PackageRevision of blueprints/db with "+
		"workspace main in this namespace: publish the upstream, and name its revision in spec.upstreams[1], as not every "+
		"version of Porch derives a package from the branch",
		"db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) { s.Upstreams[1].Repo = "nowhere" })
	c.expect("nor is its Repository", "4/4/0 RepositoryNotFound",
		`there is no Repository "nowhere" in this namespace: register it, or correct spec.upstreams[1].repo`,
		"db@1 in a", "db@1 in b", "web@2 in a", "web@2 in b")
}

// TestHeldBack checks that a set which is held back writes its status only, and goes on when nothing holds it.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.reconcile(false)
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) {
		s.Suspend, s.Targets[0].Repositories = true, s.Targets[0].Repositories[:1]
	})
	if writes, _ := c.reconcile(false); !slices.Equal(writes, []string{status}) {
		t.Errorf("suspended, it writes %v", writes)
	}
	c.expect("suspended", "1/1/0 Suspended", "suspended: would delete 1 (web-b-web-",
		"web@2 in a", "web@2 in b")
	none := intstr.FromString("0%")
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) { s.Suspend, s.MaxDeletions = false, &none })
	if writes, _ := c.reconcile(false); !slices.Equal(writes, []string{status}) {
		t.Errorf("with too many deletions, it writes %v", writes)
	}
	c.expect("too many deletions", "1/1/0 TooManyDeletions", "nothing is changed, for 1 of the 2 variants",
		"web@2 in a", "web@2 in b")
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) { s.MaxDeletions = nil })
	c.expect("nothing holds it", "1/1/0 VariantsNotReady", "", "web@2 in a")
}
