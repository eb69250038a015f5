// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// version2 publishes another version of the blueprint, with other manifests of the fleet.
func (w *world) version2(manifests string) {
	w.Helper()
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large"), "fleet/web.yaml": manifests},
		"HEAD:refs/tags/blueprints/web/v2")
}

// TestSuspended suspends a variant in its manifest: nothing is done to it, and what would be done is said.
func TestSuspended(t *testing.T) {
	t.Parallel()
	automatic := web + "  approvalPolicy: Automatic\n"
	w := newWorld(t, automatic)
	w.sync()
	w.version2(strings.Replace(automatic, "{name: web}",
		"{name: web, annotations: {config.porch.kpt.dev/suspend-reason: freeze}}", 1) + "  suspend: true\n")
	report := w.sync()
	w.Equal("suspended", []string{"web: Suspended v1"}, lines(report))
	w.Equal("why", "suspended: freeze; would upgrade edge.web.packagevariant-1 from blueprints.web.v1 to "+
		"blueprints.web.v2; set spec.suspend to false to continue", report.Variants[0].Message)
	w.idle()
	w.Push("main", "Go on", map[string]string{"fleet/web.yaml": automatic})
	w.Equal("resumed", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.idle()
}

// TestSuspendedSet suspends a set, and a variant of a set by an annotation of the set.
func TestSuspendedSet(t *testing.T) {
	t.Parallel()
	automatic := strings.Replace(webSet, "package: web}}\n", "package: web}, approvalPolicy: Automatic}\n", 1)
	w := newWorld(t, automatic)
	name := w.sync().Variants[0].Name
	w.version2(strings.Replace(automatic, "{name: webs}",
		"{name: webs, annotations: {config.porch.kpt.dev/suspend-variants: 'other, "+name+"'}}", 1))
	report := w.sync()
	w.Equal("a variant", []string{name + ": Suspended v1"}, lines(report))
	w.Equal("a name that is wrong", []string{"default/other: the annotation config.porch.kpt.dev/suspend-variants of a set " +
		"names it, and no set has such a variant"}, report.Notes)
	w.idle()
	w.Push("main", "Go on", map[string]string{"fleet/web.yaml": automatic})
	w.Equal("resumed", []string{name + ": UpToDate v2"}, lines(w.sync()))
	changed := strings.Replace(automatic, "package: web}, approval", "package: site}, approval", 1) + "  suspend: true\n"
	w.Push("main", "Suspend the set", map[string]string{"fleet/web.yaml": changed})
	report = w.sync()
	w.Equal("a set", []string{name + ": UpToDate v2"}, lines(report))
	w.Equal("its state", "Suspended", report.Sets[0].Reason)
	w.idle()
}

// TestSuspendedInWave suspends a variant of a set with a rollout: a plan does not say that its wave is to open.
func TestSuspendedInWave(t *testing.T) {
	t.Parallel()
	waves := webSet + "  rollout: {waves: [{name: one, selector: {}}]}\n"
	w := newWorld(t, waves)
	name := w.sync().Variants[0].Name
	w.version2(strings.Replace(waves, "{name: webs}", "{name: webs, annotations: {config.porch.kpt.dev/suspend-variants: "+name+"}}", 1))
	w.Equal("what it waits for", "it is suspended, and its wave, one, does not wait for it",
		w.plan(w.options()).Variants[0].Condition.Message)
}
