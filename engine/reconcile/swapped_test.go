// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSwappedController has a person make another variant, which is looked at first or last, the controller of a
// variant's published revision, of its draft, or of both. The other variant removes neither, even after a restart, and
// the variant takes them back when the person removes the owner.
func TestSwappedController(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{true, false} {
		for _, thief := range []string{"a-thief", "z-thief"} {
			for _, taken := range [][]string{{first}, {second}, {first, second}} {
				t.Run(fmt.Sprintf("%v/%s/%v", git, thief, taken), func(t *testing.T) {
					t.Parallel()
					swap(t, newCluster(t, git), thief, taken)
				})
			}
		}
	}
}

// swap gives revisions of the variant web to another one, and back.
func swap(t *testing.T, c *cluster, thief string, taken []string) {
	t.Helper()
	c.repositories("blueprints", "edge")
	c.blueprint(1, files("red"))
	c.applies()
	c.applies(func(pv *v1alpha1.PackageVariant) { pv.Name, pv.UID, pv.Spec.Downstream.Package = thief, "thief", thief })
	c.Run()
	c.Publishes(first)
	c.edits(zone("b"))
	c.Run()
	before := c.Revision(second).Owners
	give := func(owners []metav1.OwnerReference) {
		for _, name := range taken {
			c.EditRevision(name, func(r *revision.Revision) { r.Owners = owners })
		}
	}
	give(c.Revision("edge." + thief + ".packagevariant-1").Owners)
	c.Run()
	c.Start() // a controller that has restarted looks at everything
	c.Run()
	give(nil)
	c.Run()
	for name, lifecycle := range map[string]revision.Lifecycle{
		first: revision.Published, second: revision.Draft} {
		r := c.Revision(name)
		if r.Lifecycle != lifecycle {
			t.Errorf("%s is %s", name, r.Lifecycle)
		}
		if diff := cmp.Diff(before, r.Owners); diff != "" {
			t.Errorf("owners of %s, -before +after:\n%s", name, diff)
		}
	}
}
