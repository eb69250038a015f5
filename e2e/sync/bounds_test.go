// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// deep is a blueprint with a resource that is nested deeper than is worked on. Porch bears it.
func deep() map[string]string {
	files := simple()
	files["deep.yaml"] = "apiVersion: example.com/v1\nkind: Deep\nmetadata:\n  name: deep\nspec: " +
		strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n"
	return files
}

// TestPackageTooLarge has an upstream beyond the bounds, first to be cloned, and then to be upgraded to: it stalls its
// variants, Porch is asked for nothing, and a smaller one is followed.
func TestPackageTooLarge(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", deep())
	w.Apply(newVariant("clone", plain, revision(2)), newVariant("web", plain))
	c := w.start()
	w.publish(w.target("web"))
	const said = "blueprints.web.v2 is not worked on: deep.yaml: spec[0]"
	const deeper = "is nested deeper than 250 levels: make it flatter"
	expect := func(name string) {
		t.Helper()
		if got := w.message(name, "PackageTooLarge"); !strings.HasPrefix(got, said) || !strings.HasSuffix(got, deeper) {
			t.Errorf("the message of %s is %q, want %q and %q", name, got, said, deeper)
		}
		w.expectCondition(name, v1alpha1.ConditionStalled, "True", "PackageTooLarge")
	}
	expect("clone")
	w.proxy.Reset()
	w.Apply(newVariant("web", plain, revision(2)))
	expect("web")
	w.quiet(c)
	if n := proxy.Count(w.proxy.Requests(), isCreate); n != 0 {
		t.Errorf("Porch was asked for %d drafts, want none", n)
	}
	flat := simple()
	flat["deep.yaml"] = "apiVersion: example.com/v1\nkind: Deep\nmetadata:\n  name: deep\nspec: []\n"
	w.Publish("blueprints", "web", "v3", flat)
	w.Apply(newVariant("clone", plain, revision(3)), newVariant("web", plain, revision(3)))
	w.target("clone")
	w.target("web")
}

// TestSetTooLarge has a set whose lists are as long as may be, and more in all than is worked on: none of its variants
// is made.
func TestSetTooLarge(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	set := simpleSet(t, "", "")
	set.Spec.Targets[0].RepositorySelector, set.Spec.Targets[0].Repositories = nil, []v1alpha2.RepositoryTarget{}
	for i := range 11 {
		of := v1alpha2.RepositoryTarget{Name: fmt.Sprintf("edge-%d", i)}
		for j := range 2_000 {
			of.PackageNames = append(of.PackageNames, fmt.Sprintf("p%d", j))
		}
		set.Spec.Targets[0].Repositories = append(set.Spec.Targets[0].Repositories, of)
	}
	w.Apply(set)
	c := w.start()
	w.setCondition(v1alpha1.ConditionStalled,
		"spec.targets: select 22000 variants in all, and a set may have 20000: select fewer, or split the set")
	w.quiet(c)
	w.expectSet("InvalidSpec", [3]int32{})
}
