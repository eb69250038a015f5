// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// TestDependencyDeleted deletes a variant that others depend on: they report that it is missing, and continue with the
// next one of its name.
func TestDependencyDeleted(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("ns", plain), newVariant("a", plain, dependsOn(variant.Dependency{Name: "ns"})),
		newVariant("b", plain, dependsOn(variant.Dependency{Name: "ns"})))
	w.start()
	w.target("ns")
	for _, name := range []string{"a", "b"} {
		w.WaitReason(name, "DependencyNotReady")
	}
	w.Delete(newVariant("ns"))
	w.waitGone("ns")
	for _, name := range []string{"a", "b"} {
		w.WaitReason(name, "DependencyNotFound")
	}
	w.Apply(newVariant("ns", plain))
	w.publish(w.target("ns"))
	for _, name := range []string{"a", "b"} {
		w.waitTarget(name, "edge."+name+".packagevariant-1")
	}
}
