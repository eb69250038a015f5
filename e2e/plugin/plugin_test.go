// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// TestLife follows a variant by the plugin: from its first draft by a suspension to an upgrade with a conflict.
func TestLife(t *testing.T) {
	w := newWorld(t, "fleet")
	w.Publish("blueprints", "web", "v1", settings("1", "web:1"))
	w.Apply(newVariant("web"))
	w.target("web", "edge.web.packagevariant-1")
	w.WriteFiles("edge.web.packagevariant-1", map[string]string{"settings.yaml": strings.Replace(
		w.Files("edge.web.packagevariant-1")["settings.yaml"], `"1" # of`, `"5" # of`, 1)})
	w.Ready("web")
	w.expect(answer{w.kubectl("variants", "approve", "web").out, "error: there is no terminal to ask on: look at what would " +
		"be done, and do it with --yes\n", 2}, "approve", "web")
	w.shows(0, "approve", "web", "--yes")
	w.Eventually("the variant sees it", func() error {
		return lifecycleIs(w.Variant("web"), "Published")
	})
	w.expect(answer{"", "web has no draft: edge.web.packagevariant-1 is published\n", 0}, "diff", "web")
	w.expect(answer{"web: no draft; edge.web.packagevariant-1 is published\n", "", 0}, "approve", "web")

	w.shows(0, "suspend", "web", "--reason=freeze until Monday")
	w.Publish("blueprints", "web", "v2", settings("2", "web:2"))
	w.WaitReason("web", "Suspended")
	w.shows(0, "trace", "web")
	w.shows(0, "resume", "web")
	w.target("web", "edge.web.packagevariant-2")
	if _, is := w.Variant("web").Annotations[v1alpha1.SuspendReasonAnnotation]; is {
		t.Error("the reason of the suspension is still there")
	}

	w.shows(1, "diff", "web")
	w.shows(0, "trace", "blueprints/web")
	w.shows(2, "approve", "web", "--yes")
	w.Propose("edge.web.packagevariant-2")
	w.Ready("web")
	w.shows(0, "reject", "web", "--yes")
	w.Ready("web")
	if got := w.kubectlWith([]string{"KUBECTL_EXTERNAL_DIFF=diff -rq"}, "variants", "diff", "web",
		"--against=upstream"); got.code != 1 || !strings.Contains(got.out,
		"Files blueprints.web.v2/Kptfile and edge.web.packagevariant-2/Kptfile differ") {
		t.Errorf("with another program it says %+v", got)
	}
	w.expect(answer{w.kubectl("variants", "approve", "web", "--allow-conflicts").out +
		"packagerevision/edge.web.packagevariant-2 approved\n", "", 0}, "approve", "web", "--yes", "--allow-conflicts")
	w.Eventually("it is published", func() error { return lifecycleIs(w.Variant("web"), "Published") })
}

func lifecycleIs(pv *v1alpha1.PackageVariant, want string) error {
	targets := pv.Status.DownstreamTargets
	if !slices.ContainsFunc(targets, func(d v1alpha1.DownstreamTarget) bool { return d.Lifecycle == want }) {
		return fmt.Errorf("its targets are %v", targets)
	}
	return nil
}
