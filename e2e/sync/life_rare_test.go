// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
)

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
			w.Apply(newVariant("ns-"+site, plain, automatic, revision(number)),
				newVariant("app-"+site, plain, automatic, revision(number),
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
			var there []string
			for _, r := range w.Revisions("edge", pkg+site) {
				there = append(there, r.Spec.WorkspaceName+" "+string(r.Spec.Lifecycle))
			}
			want := []string{"packagevariant-1 Published", "packagevariant-2 Published", "packagevariant-3 Published"}
			if diff := cmp.Diff(want, there); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", pkg, site, diff)
			}
		}
	}
}
