// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
)

// limitedRollout soaks at its canary, has a deadline, and allows one failure. People publish its drafts.
const limitedRollout = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositorySelector: {matchExpressions: [{key: wave, operator: Exists}]}
  rollout:
    maxFailures: 1
    progressDeadline: 5s
    waves:
    - {name: canary, selector: {matchLabels: {wave: canary}}, after: {minSuccessTime: 3s}}
    - {name: sites, selector: {matchLabels: {wave: sites}}}
`

// publishAt publishes the first draft that the set has in a Repository, once its variant is ready.
func (w *world) publishAt(repository string) {
	w.t.Helper()
	w.waitLifecycle(repository+".web.packagevariant-1", isDraft)
	w.publish(w.target(w.nameOf(repository + "/web")))
}

// TestRolloutLimits has people publish the canary and one of two sites. The wave of the sites opens after the canary's
// soak time; the other site misses the deadline, which counts as the one allowed failure, until it is published, too.
func TestRolloutLimits(t *testing.T) {
	w := newWorld(t)
	w.site("alpha", "canary")
	w.site("north", "sites")
	w.site("south", "sites")
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newSet(t, limitedRollout))
	w.start()
	w.publishAt("alpha")
	w.publishAt("south")
	w.waitRollout("Complete", "VariantsReady", "canary Complete 1/1/1/0", "sites Complete 2/2/1/1")
	status, north := w.set().Status, w.nameOf("north/web")
	ready := meta.FindStatusCondition(w.Variant(w.nameOf("alpha/web")).Status.Conditions, v1alpha1.ConditionReady)
	if got := status.Rollout.Waves[1].OpenedAt.Sub(ready.LastTransitionTime.Time); got < 3*time.Second {
		t.Errorf("the sites were opened %s after the canary was ready", got)
	}
	if f := status.Failures; len(f) != 1 || f[0].Variant != north || f[0].Reason != "ProgressDeadlineExceeded" {
		t.Errorf("the failures are %+v, want the deadline of %s", f, north)
	}
	want := &v1alpha2.VariantCounts{Desired: 3, UpToDate: 3, Updated: 3, PendingApproval: 1, Failed: 1,
		Waiting: []v1alpha2.VariantWaiting{{Variant: north, Reason: v1alpha1.ReasonManualApproval}}}
	if diff := cmp.Diff(want, status.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	w.publishAt("north")
	w.waitRollout("Complete", "VariantsReady", "canary Complete 1/1/1/0", "sites Complete 2/2/2/0")
}

// TestSetKstatus brings a set into states that other tests do not cover, one after the other. In each its kstatus is
// that of the table.
func TestSetKstatus(t *testing.T) {
	w := newWorld(t)
	w.Repository("edge-1", prod("eu"), false)
	w.Publish("blueprints", "web", "v1", simple())
	w.Draft("blueprints", "api", "v1", simple())
	set := func(upstream, targets, rest string) string {
		return "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: fleet}\nspec:\n" +
			"  upstream: " + upstream + "\n  targets: [" + targets + "]\n" + rest
	}
	const web, edge1 = "{repo: blueprints, package: web, revision: 1}", "{repositories: [{name: edge-1}]}"
	taken := newVariant(expansion.Name("fleet", "edge-1", "web"), plain, downstream("taken"))
	w.Apply(taken, newSet(t, set(web, edge1, "")))
	w.start()
	w.waitSetReason("fleet", "NameTaken")
	w.checkSet()
	w.Delete(newVariant(taken.Name))
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web")
	for _, c := range []struct{ reason, text string }{
		{"KindNotFound", set(web, "{objectSelector: {apiVersion: example.com/v1, kind: Site}}", "")},
		{"PermissionMissing", set(web, "{objectSelector: {apiVersion: v1, kind: Secret}}", "")},
		{"UpstreamNotPublished", set("{repo: blueprints, package: api, workspaceName: v1}", edge1, "  rollout: {}\n")},
		{"VariantsNotReady", set("{repo: blueprints, package: api, workspaceName: v1}", edge1, "")},
	} {
		w.Apply(newSet(t, c.text))
		w.waitSetReason("fleet", c.reason)
		w.checkSet()
	}
}
