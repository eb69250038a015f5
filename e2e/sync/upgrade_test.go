// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// settingsV2 is what the second revision of the blueprint changes.
var settingsV2 = map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, `b: "3"`, 1)}

// published returns a world in which the variant web is published on the blueprint's first revision, with an edit by a
// user in it, and there is a second revision of the blueprint.
func published(t *testing.T, changes ...func(*variant.Spec)) *world {
	t.Helper()
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web", changes...))
	w.start()
	draft := w.target("web")
	w.WriteFiles(draft, map[string]string{"settings.yaml": strings.Replace(w.Files(draft)["settings.yaml"], `a: "1" # one`,
		`a: "mine" # my own`, 1)})
	w.publish(draft)
	w.seesPublished("web")
	return w
}

// expectUpgraded fails the test unless the draft has the change of the blueprint's second revision and the user's.
func (w *world) expectUpgraded(draft, ref string) {
	w.t.Helper()
	r := w.Revision(draft)
	if r.Spec.Tasks[0].Type != porchapi.TaskTypeUpgrade || r.Status.UpstreamLock.Git.Ref != ref {
		w.t.Errorf("%s is from a %s to %s, want an upgrade to %s", draft, r.Spec.Tasks[0].Type, r.Status.UpstreamLock.Git.Ref,
			ref)
	}
	got := w.Files(draft)
	for _, text := range []string{`a: "mine" # my own`, `b: "3"`} {
		if !strings.Contains(got["settings.yaml"], text) {
			w.t.Errorf("settings.yaml has no %q:\n%s", text, got["settings.yaml"])
		}
	}
	if !strings.Contains(got["region.yaml"], "api: eu") || !strings.Contains(got["package-context.yaml"], "region: eu") {
		w.t.Errorf("the mutations are not applied:\n%s\n%s", got["region.yaml"], got["package-context.yaml"])
	}
}

func TestUpgrade(t *testing.T) {
	w := published(t)
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectUpgraded("edge.web.packagevariant-2", "web/v2")

	// Back to the first revision, once the second is published.
	w.publish("edge.web.packagevariant-2")
	w.Apply(newVariant("web", revision(1)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	if got := w.Files("edge.web.packagevariant-3")["settings.yaml"]; !strings.Contains(got, `b: "2"`) ||
		!strings.Contains(got, `a: "mine"`) {
		t.Errorf("after the way back, settings.yaml is:\n%s", got)
	}
}
