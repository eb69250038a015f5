// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"

	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

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
	const zone, other = "{repositories: [{name: edge-1}], template: {packageContext: {data: {zone: b}}}}",
		"{repositories: [{name: edge-1, packageNames: [other]}]}"
	for _, c := range []struct{ reason, text string }{
		{"Suspended", set(web, zone, "  suspend: true\n")},
		{"TooManyDeletions", set(web, other, "  maxDeletions: 0\n")},
		{"RolloutPaused", set(web, zone, "  rollout: {paused: true}\n")},
		{"RolloutProgressing", set(web, zone, "  rollout: {maxFailures: 1}\n")},
		{"RolloutStopped", set(web, zone, "  rollout: {progressDeadline: 1s}\n")},
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
