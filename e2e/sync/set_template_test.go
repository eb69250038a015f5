// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// TestSetWithoutHands has two sets take a blueprint through three versions over three sites, each app after its site's
// namespace package, without a person touching a draft.
func TestSetWithoutHands(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	sites := []string{"edge-1", "edge-2", "edge-3"}
	for _, site := range sites {
		w.Repository(site, map[string]string{"env": "prod", "approval": "Automatic"}, true)
	}
	const automatic = `approvalPolicyExpr: repository.labels.approval, revisionHistoryLimit: 2`
	namespaces := simpleSet(t, "", automatic+`, downstream: {package: ns}`)
	namespaces.Name = "namespaces"
	apps := simpleSet(t, "", automatic+`, dependsOn: [{nameExpr: "variantName('namespaces', target.name, 'ns')"}]`)
	w.Apply(apps)
	w.start()
	w.WaitReason(expansion.Name(apps.Name, "edge-1", "web"), "DependencyNotFound")
	w.Apply(namespaces)
	for number := 1; number <= 3; number++ {
		if number > 1 {
			w.Publish("blueprints", "web", fmt.Sprintf("v%d", number),
				map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, fmt.Sprintf(`b: "v%d"`, number), 1)})
		}
		for _, site := range sites {
			for _, pkg := range []string{"ns", "web"} {
				w.waitLifecycle(fmt.Sprintf("%s.%s.packagevariant-%d", site, pkg, number), isPublished)
			}
		}
	}
	for _, site := range sites {
		ns, app := w.Revision(site+".ns.packagevariant-1"), w.Revision(site+".web.packagevariant-1")
		if app.Status.PublishedAt.Before(&ns.Status.PublishedAt) {
			t.Errorf("the app of %s was published at %s, before its namespace at %s", site, app.Status.PublishedAt,
				ns.Status.PublishedAt)
		}
		for _, pkg := range []string{"ns", "web"} {
			w.waitLifecycle(site+"."+pkg+".packagevariant-1", isDeletion)
		}
	}
	w.expectSet("VariantsReady", [3]int32{3, 3, 3}, "edge-1/ns", "edge-1/web", "edge-2/ns", "edge-2/web", "edge-3/ns",
		"edge-3/web")
}

// TestSetRefused checks what the API server refuses to store.
func TestSetRefused(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.prods("edge-1")
	for _, c := range []struct{ fields, template, want string }{
		{"  maxDeletions: 101%\n", "", "must be a number from 0, or a percentage from 0% to 100%"},
		{"  maxDeletions: -1\n", "", "must be a number from 0, or a percentage from 0% to 100%"},
		{"  maxDeletions: abc\n", "", "must be a number from 0, or a percentage from 0% to 100%"},
		{"  upstreams: [{repo: blueprints, package: web, revision: 1}]\n", "",
			"exactly one of upstream, upstreams and upstreamSelector must be set"},
		{"  upstreamSelector: {}\n", "", "exactly one of upstream, upstreams and upstreamSelector must be set"},
		{"", "revisionHistoryLimit: 0", "should be greater than or equal to 1"},
		{"", "approvalPolicy: Automatic, annotations: {approval.nephio.org/policy: always}",
			"approvalPolicy and the annotation approval.nephio.org/policy name two approvers: leave out one of them"},
	} {
		set := simpleSet(t, c.fields, c.template)
		set.Namespace = w.Namespace
		if err := w.Client.Create(t.Context(), set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: error %v, want %s", c.fields, c.template, err, c.want)
		}
	}
}
