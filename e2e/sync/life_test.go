// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
)

func historyLimit(n int32) func(*variant.Spec) {
	return func(s *variant.Spec) { s.RevisionHistoryLimit = &n }
}

func dependsOn(dependencies ...variant.Dependency) func(*variant.Spec) {
	return func(s *variant.Spec) { s.DependsOn = dependencies }
}

// TestHistoryLimit checks that a revision stays if another package was made from it.
func TestHistoryLimit(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic, historyLimit(1)))
	// A variant of the variant is made from its first revision, and stays there.
	leaf := newVariant("leaf", plain, automatic, revision(1), func(s *variant.Spec) {
		s.Upstream.Repo, s.Upstream.Package = "edge", "web"
	})
	w.start()
	w.waitApproved("web", "Published")
	w.Apply(leaf)
	w.waitApproved("leaf", "Published")
	for n := 2; n <= 4; n++ {
		w.Publish("blueprints", "web", fmt.Sprintf("v%d", n), settingsB(fmt.Sprintf("v%d", n)))
		w.Apply(newVariant("web", plain, automatic, revision(n), historyLimit(1)))
		w.waitLifecycle(fmt.Sprintf("edge.web.packagevariant-%d", n), isPublished)
	}
	w.waitRetired("web", "edge.web.packagevariant-2")
	w.waitRetired("web", "edge.web.packagevariant-3")
	w.waitLifecycle("edge.web.packagevariant-4", isPublished)
	w.waitLifecycle("edge.web.packagevariant-1", isPublished)

	// Once the leaf has moved on, the first revision is no longer needed.
	leaf = leaf.DeepCopy()
	leaf.Spec.Upstream.Revision = variant.RevisionNumber(4)
	leaf.ResourceVersion, leaf.UID = "", ""
	w.Apply(leaf)
	w.waitLifecycle("edge.leaf.packagevariant-2", isPublished)
	w.waitRetired("web", "edge.web.packagevariant-1")
}

// waitRetired waits until the deletion of a superseded revision was proposed. With the CR cache, Porch v1.5 may revert
// the proposal later, and the controller proposes only once.
func (w *world) waitRetired(name, revision string) {
	w.t.Helper()
	w.Eventually("the deletion of "+revision+" was proposed", func() error {
		if w.Revision(revision).Spec.Lifecycle == isDeletion {
			return nil
		}
		if retired := w.Variant(name).Status.RetiredRevisions; !slices.Contains(retired, revision) {
			return fmt.Errorf("of %v only", retired)
		}
		return nil
	})
}

// TestLifeWithoutHands takes a blueprint through three versions over two sites without a person touching a draft.
// With more packages that are published at once in one Repository, a busy Porch v1.5 may forget published revisions, and
// begin to number them anew.
func TestLifeWithoutHands(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Timeout = 4 * time.Minute // Porch v1.5 may lose sight of what is in git for a while
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	sites := []string{"north", "east"}
	apply := func(number int) {
		for _, site := range sites {
			w.Apply(newVariant("ns-"+site, plain, automatic, revision(number), historyLimit(2)),
				newVariant("app-"+site, plain, automatic, revision(number), historyLimit(2),
					dependsOn(variant.Dependency{Name: "ns-" + site, MinRevision: int32(number)})))
		}
	}
	w.start()
	for number := 1; number <= 3; number++ {
		if number > 1 {
			w.Publish("blueprints", "web", fmt.Sprintf("v%d", number), settingsB(fmt.Sprintf("v%d", number)))
		}
		apply(number)
		for _, site := range sites {
			for _, pkg := range []string{"ns-", "app-"} {
				name := fmt.Sprintf("edge.%s%s.packagevariant-%d", pkg, site, number)
				w.waitLifecycle(name, isPublished)
			}
			ns := w.Revision(fmt.Sprintf("edge.ns-%s.packagevariant-%d", site, number)).Status.PublishedAt
			app := w.Revision(fmt.Sprintf("edge.app-%s.packagevariant-%d", site, number)).Status.PublishedAt
			if app.Before(&ns) {
				t.Errorf("the app of %s was published at %s, before its namespace at %s", site, app, ns)
			}
		}
	}
	for _, site := range sites {
		for _, pkg := range []string{"ns-", "app-"} {
			// Porch v1.5 may forget a proposal, which is made once: the lifecycle is then Published again.
			old := "edge." + pkg + site + ".packagevariant-1"
			w.Eventually(old+" is proposed for deletion", func() error {
				if retired := w.Variant(pkg + site).Status.RetiredRevisions; !slices.Contains(retired, old) {
					return fmt.Errorf("retired are %v", retired)
				}
				return nil
			})
			var left []string
			for _, r := range w.Revisions("edge", pkg+site) {
				lifecycle := string(r.Spec.Lifecycle)
				if r.Name == old {
					lifecycle = "retired"
				}
				left = append(left, r.Spec.WorkspaceName+" "+lifecycle)
			}
			want := []string{"packagevariant-1 retired", "packagevariant-2 Published", "packagevariant-3 Published"}
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", pkg, site, diff)
			}
		}
	}
}
