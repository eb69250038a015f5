// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// manySet is a set of several upstreams over the Repositories with the label env=prod.
func manySet(t *testing.T, upstreams string) *v1alpha2.PackageVariantSet {
	t.Helper()
	set := simpleSet(t, "", "")
	many := newSet(t, "spec: {"+upstreams+"}")
	set.Spec.Upstream, set.Spec.Upstreams, set.Spec.UpstreamSelector = nil, many.Spec.Upstreams, many.Spec.UpstreamSelector
	return set
}

// expectUpstreams waits until the variants have these upstreams.
func (w *world) expectUpstreams(want ...string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the variants have the upstreams %v", want), func() error {
		var list v1alpha1.PackageVariantList
		if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
			return err
		}
		var got []string
		for _, pv := range list.Items {
			if u := pv.Spec.Upstream; pv.DeletionTimestamp.IsZero() {
				got = append(got, fmt.Sprintf("%s@%s in %s", u.Package, u.Revision, pv.Spec.Downstream.Repo))
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("-want +got:\n%s", diff)
		}
		return nil
	})
}

// labelRevision changes the labels of a package revision as it is now.
func (w *world) labelRevision(name string, labels map[string]string) {
	w.t.Helper()
	w.changeMeta(name, func(r *porchapi.PackageRevision) {
		labels := maps.Clone(labels)
		if labels == nil {
			labels = map[string]string{}
		}
		if latest, found := r.Labels[porchapi.LatestPackageRevisionKey]; found && w.stack.Foreign() {
			labels[porchapi.LatestPackageRevisionKey] = latest // newer Porch does not allow to remove it
		}
		r.Labels = labels
	})
}

// TestSetUpstreamSelector has packages, and their revisions, start and stop matching.
func TestSetUpstreamSelector(t *testing.T) {
	w := newWorld(t)
	base := map[string]string{"tier": "base"}
	w.prods("edge-1", "edge-2")
	for _, pkg := range []string{"web", "db", "tools"} {
		w.Publish("blueprints", pkg, "v1", simple())
	}
	w.labelRevision("blueprints.web.v1", base)
	w.Apply(manySet(t, "upstreamSelector: {matchLabels: {tier: base}}"))
	c := w.start()
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")
	w.labelRevision("blueprints.db.v1", base)
	w.expectSet("VariantsReady", [3]int32{4, 4, 4}, "edge-1/db", "edge-1/web", "edge-2/db", "edge-2/web")

	// A newer revision counts once it matches; until then the set does not reconcile.
	w.quiet(c)
	before := c.Metric(reconcilesMetric, map[string]string{"controller": "packagevariantset"})
	w.Publish("blueprints", "web", "v2", map[string]string{"settings.yaml": settings, "more.yaml": point})
	w.quiet(c)
	after := c.Metric(reconcilesMetric, map[string]string{"controller": "packagevariantset"})
	if after != before {
		t.Errorf("a revision that does not match had the set reconciled %v times", after-before)
	}
	w.expectUpstreams("db@1 in edge-1", "db@1 in edge-2", "web@1 in edge-1", "web@1 in edge-2")
	w.labelRevision("blueprints.web.v2", base)
	w.expectUpstreams("db@1 in edge-1", "db@1 in edge-2", "web@2 in edge-1", "web@2 in edge-2")
	w.waitFile("edge-2.web.packagevariant-1", "more.yaml", "name: region")
	w.expectSet("VariantsReady", [3]int32{4, 4, 4}, "edge-1/db", "edge-1/web", "edge-2/db", "edge-2/web")

	if w.stack.Foreign() { // Porch deletes no revision that another has as its upstream
		w.labelRevision("blueprints.db.v1", nil)
	} else {
		w.replacesUpstream()
	}
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")

	w.labelRevision("blueprints.web.v2", nil)
	w.expectUpstreams("web@1 in edge-1", "web@1 in edge-2")
	w.labelRevision("blueprints.web.v1", nil)
	w.setCondition(v1alpha1.ConditionReady, "the targets or the upstreamSelector select nothing any more, and the 2 "+
		"variants of this set are kept")
	w.Never(2*time.Second, "a variant goes", func() error {
		if diff := cmp.Diff([]string{"edge-1/web", "edge-2/web"}, w.variants()); diff != "" {
			return fmt.Errorf("-want +got:\n%s", diff)
		}
		return nil
	})
}

// replacesUpstream is the part of TestSetUpstreamSelector in which a package goes and comes back. A package that is
// gone differs from one that has lost its label.
func (w *world) replacesUpstream() {
	w.t.Helper()
	w.ProposeDeletion("blueprints.db.v1")
	w.Delete(w.Revision("blueprints.db.v1"))
	w.setCondition(v1alpha1.ConditionReady, "there is no published PackageRevision of blueprints/db any more, which 2 "+
		"variants of this set are made from: bring it back, or delete these variants: fleet-edge-1-db-")
	w.expectSet("UpstreamNotFound", [3]int32{4, 4, 4}, "edge-1/db", "edge-1/web", "edge-2/db", "edge-2/web")
	if w.stack.Cache() == stack.DBCache { // the branch keeps Porch v1.5 from publishing a first revision again
		w.sql("DELETE FROM package_revisions WHERE k8s_name = 'blueprints.db.main' AND k8s_name_space = '" + w.Namespace + "'")
	}
	w.Publish("blueprints", "db", "v3", simple())
}
