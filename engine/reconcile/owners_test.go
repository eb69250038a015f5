// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// withAnother returns the state once another variant has a package, too, and somebody has edited the draft of the variant
// web.
func withAnother(c *cluster, edits ...func(*v1alpha1.PackageVariant)) map[string]string {
	c.T.Helper()
	c.applies(append([]func(*v1alpha1.PackageVariant){named("other")}, edits...)...)
	c.Run()
	c.SavesFiles(first, settings("blue"))
	c.Run()
	c.Writes()
	c.Written = nil
	return c.Is()
}

// TestForgedOwner has a person add another variant as an owner of a draft that people have edited. The variant that
// controls the draft keeps it, and nothing is written to it.
func TestForgedOwner(t *testing.T) {
	t.Parallel()
	onCaches(t, func(t *testing.T, c *cluster) {
		before := withAnother(c)
		forged := c.Revision("edge.other.packagevariant-1").Owners[0]
		forged.Controller = nil
		c.EditRevision(first, func(pr *revision.Revision) { pr.Owners = append(pr.Owners, forged) })
		c.Writes()
		c.Run()
		c.Start() // a controller that has restarted looks at everything
		c.Run()
		if got := c.Is(); got["web"] != before["web"] || got["other"] != before["other"] {
			t.Errorf("-before +after:\n%s", cmp.Diff(before, got))
		}
		expectNoPackageWrite(t, c)
	})
}

// TestForgedStatus has a person write into the statuses of two variants, one of which asks for the package of another
// one, that they made that package. Nothing is written to it.
func TestForgedStatus(t *testing.T) {
	t.Parallel()
	onCaches(t, func(t *testing.T, c *cluster) {
		c.applies(named("rival"), policy(variant.ApprovalPolicyAutomatic), func(pv *v1alpha1.PackageVariant) {
			pv.Spec.Downstream.Package, pv.Spec.AdoptionPolicy = "web", variant.AdoptionPolicyAdoptExisting
		})
		before := withAnother(c)
		of := c.Variant("web")
		for _, name := range []string{"other", "rival"} {
			c.remembersOf(name, func(status *v1alpha1.PackageVariantStatus) {
				status.OwnedRevisions = append(status.OwnedRevisions, of.Status.OwnedRevisions...)
				status.DownstreamTargets, status.Downstream = of.Status.DownstreamTargets, of.Status.Downstream
				status.LastDraft, status.SavedDraft, status.ObservedInputs = of.Status.LastDraft, of.Status.SavedDraft, ""
			})
		}
		c.Writes()
		c.Run()
		if got := c.Is(); got[first] != before[first] || got["web"] != before["web"] {
			t.Errorf("-before +after:\n%s", cmp.Diff(before, got))
		}
		expectNoPackageWrite(t, c)
	})
}

// expectNoPackageWrite fails the test if the controller has written to a package.
func expectNoPackageWrite(t *testing.T, c *cluster) {
	t.Helper()
	for _, w := range c.Written {
		if w.Resource != "packagevariants" {
			t.Errorf("the controller writes %v", w)
		}
	}
}
