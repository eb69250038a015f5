// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/stack"
)

// nestsHelp ends the message about a package that would lie inside another one, or around it.
const nestsHelp = ": publishing the outer package would remove the inner one from the branch; name another in " +
	"spec.downstream, or delete that "

// withSubpackage is a blueprint that has a package in it.
func withSubpackage(a string) map[string]string {
	return map[string]string{"settings.yaml": settings, "sub/Kptfile": kptfile("sub"),
		"sub/notes.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\ndata:\n  a: \"" + a + "\"\n"}
}

// TestNested has variants that ask for packages inside others or around them: those of another variant, and of people.
// None is made until the other one goes. A package with a subpackage is not affected.
func TestNested(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", withSubpackage("1"))
	w.Publish("blueprints", "web", "v2", withSubpackage("2"))
	w.Publish("edge", "theirs/inner", "mine", simple())
	w.Apply(newVariant("web", plain))
	c := w.start()
	w.publish(w.target("web"))
	w.seesPublished("web")
	w.Apply(newVariant("web", plain, revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.publish("edge.web.packagevariant-2")
	w.seesPublished("web")

	w.Apply(newVariant("inner", plain, downstream("web/a/inner")))
	w.expectMessage("inner", "DownstreamClaimed", `the package edge/web/a/inner would lie inside edge/web, which belongs to `+
		`the PackageVariant "web"`+nestsHelp+"variant")
	w.Apply(newVariant("theirs", plain, adopt))
	w.expectMessage("theirs", "DownstreamExists", "the package edge/theirs would lie around edge/theirs/inner, which exists "+
		"(edge.theirs.inner.mine is Published)"+nestsHelp+"package")
	w.quiet(c)
	for _, pkg := range []string{"web/a/inner", "theirs"} {
		if err := w.noDrafts(pkg); err != nil {
			t.Error(err)
		}
	}

	w.ProposeDeletion("edge.theirs.inner.mine")
	w.waitTarget("theirs", "edge.theirs.packagevariant-1")
	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.waitTarget("inner", "edge.web.a.inner.packagevariant-1")
	w.Apply(newVariant("web", plain))
	w.claimedBy("web", `"inner"`)
}

// TestRepositoriesOverlap has a variant of a Repository over a directory of an older one's git repository, where
// nothing is made.
func TestRepositoriesOverlap(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	err := w.stack.RegisterRepository(t.Context(), stack.Repository{Namespace: w.Namespace, Name: "younger",
		Git: w.Namespace + "-edge", Directory: "site", Deployment: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Apply(newVariant("web", plain, func(s *variant.Spec) { s.Downstream.Repo = "younger" }))
	c := w.start()
	w.expectMessage("web", "RepositoriesOverlap", `the Repository "younger" (directory /site) overlaps the Repository `+
		`"edge" (directory /) on the same branch of a git repository, so publishing a package of one could remove a package of `+
		`the other: delete one of the two, or register "younger", which is the younger one, with a directory outside of the `+
		"other's")
	w.quiet(c)
	w.expectNoPackageWrite()
}

// TestNestedBefore has packages inside each other that were published before the rule: both stay as they are, and only
// people publish the next revision of the outer one.
func TestNestedBefore(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	for _, pkg := range []string{"web", "web/inner"} {
		w.publish(w.cloneByHand(pkg, "before"))
	}
	w.Apply(newVariant("web", plain, adopt, automatic), newVariant("inner", plain, adopt, automatic,
		downstream("web/inner")))
	c := w.start()
	w.waitTarget("web", "edge.web.before")
	w.waitTarget("inner", "edge.web.inner.before")
	w.quiet(c)
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", plain, adopt, automatic, revision(2)), newVariant("inner", plain, adopt, automatic,
		downstream("web/inner"), revision(2)))
	w.waitLifecycle("edge.web.inner.packagevariant-1", isPublished)
	w.waitTarget("web", "edge.web.packagevariant-1")
	want := "edge.web.packagevariant-1 waits for a person, because publishing it would remove the package " +
		"edge/web/inner, which lies inside it, from the branch: delete that package, or propose and approve the draft, and " +
		"publish that package again"
	if got := w.waitApproved("web", v1alpha1.ReasonDownstreamExists); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	w.expectDrafts("web", "edge.web.packagevariant-1")
}
