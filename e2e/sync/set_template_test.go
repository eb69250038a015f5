// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lifeTemplate has each site's app wait for that site's namespace package.
const lifeTemplate = `approvalPolicyExpr: "repository.labels.approval",
      revisionHistoryLimitExpr: int(repository.labels.history), dependsOn: [{nameExpr: "variantName('namespaces',
      target.name, 'ns')", minRevisionExpr: "1"}]`

// TestSetTemplateOfLife has CEL make the rules of a package's life, and a person suspend a variant of a set.
func TestSetTemplateOfLife(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "ns", "v1", simple())
	for name, history := range map[string]string{"edge-1": "3", "edge-2": "5"} {
		w.Repository(name, map[string]string{"env": "prod", "approval": "Manual", "history": history}, true)
	}
	namespaces := simpleSet(t, "", "")
	namespaces.Name, namespaces.Spec.Upstream.Package = "namespaces", "ns"
	w.Apply(namespaces)
	w.start()
	for _, name := range []string{"namespaces-edge-1-ns-nzdpy7rbry", "namespaces-edge-2-ns-6v4q4ct59r"} {
		w.publish(w.target(name))
		w.seesPublished(name)
	}

	w.Apply(simpleSet(t, "", lifeTemplate))
	one, two := w.appOf("edge-1"), w.appOf("edge-2")
	type life struct {
		Policy  variant.ApprovalPolicy
		History int32
		Depends []variant.Dependency
	}
	for name, want := range map[string]life{
		one: {"Manual", 3, []variant.Dependency{{Name: "namespaces-edge-1-ns-nzdpy7rbry", MinRevision: 1}}},
		two: {"Manual", 5, []variant.Dependency{{Name: "namespaces-edge-2-ns-6v4q4ct59r", MinRevision: 1}}},
	} {
		s := w.Ready(name).Spec
		if diff := cmp.Diff(want, life{s.ApprovalPolicy, *s.RevisionHistoryLimit, s.DependsOn}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	// A person suspends a variant: the set leaves that field as it is, also when it changes others.
	pv := w.Variant(one)
	before := pv.DeepCopy()
	pv.Spec.Suspend = true
	if err := w.Client.Patch(t.Context(), pv, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	generation := pv.Generation
	w.Never(2*time.Second, "the set takes it back", func() error {
		if now := w.Variant(one); now.Generation != generation || !now.Spec.Suspend {
			return fmt.Errorf("its spec is %+v", now.Spec)
		}
		return nil
	})
	w.Apply(simpleSet(t, "", strings.Replace(lifeTemplate, "int(repository.labels.history)", "size(target.name) + 1", 1)))
	for name, want := range map[string]bool{one: true, two: false} {
		w.Eventually(name+" has got the change", func() error {
			if s := w.Variant(name).Spec; *s.RevisionHistoryLimit != 7 || s.Suspend != want {
				return fmt.Errorf("the limit is %d, suspend is %v", *s.RevisionHistoryLimit, s.Suspend)
			}
			return nil
		})
	}
}

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
	w.WaitReason(w.appOf("edge-1"), "DependencyNotFound")
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

// appOf waits until the set has a variant in a Repository, and returns its name.
func (w *world) appOf(repository string) (name string) {
	w.t.Helper()
	w.Eventually("the set has a variant in "+repository, func() error {
		var list v1alpha1.PackageVariantList
		if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
			return err
		}
		for _, pv := range list.Items {
			if *pv.Spec.Downstream == (variant.Downstream{Repo: repository, Package: "web"}) {
				name = pv.Name
				return nil
			}
		}
		return fmt.Errorf("it has not")
	})
	return name
}

// TestSetRefused checks what the API server refuses to store, and what only the expansion can check.
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
	w.start()
	for template, want := range map[string]string{
		"approvalPolicy: Automatic, annotationExprs: [{key: approval.nephio.org/policy, value: always}]": "spec.targets[0]." +
			"template.approvalPolicy: is Automatic, and the annotation approval.nephio.org/policy asks another approver: leave " +
			"out one of them (for target edge-1/web)",
		"revisionHistoryLimitExpr: \"0\"": "spec.targets[0].template.revisionHistoryLimit: is 0, and the latest published " +
			"revision always stays: set it to 1 or more, or leave it out to keep all (for target edge-1/web)",
	} {
		w.Apply(simpleSet(t, "", template))
		w.setCondition(v1alpha1.ConditionReady, want)
		w.expectSet("ExpansionFailed", [3]int32{0, 0, 0})
	}
}
