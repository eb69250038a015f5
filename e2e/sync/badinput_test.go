// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// TestRenderFails has a function of the pipeline fail, in the variant and in the blueprint, and then repairs it.
func TestRenderFails(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	failing := func(data map[string]string) func(*variant.Spec) {
		return func(s *variant.Spec) {
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "context", Image: contextImage, ConfigMap: data}}}
		}
	}
	w.Apply(newVariant("web", plain, failing(map[string]string{"name": "mine"})))
	w.start()
	message := w.message("web", "RenderFailed")
	for _, text := range []string{"nothing was saved, because the pipeline in the package's Kptfile failed", contextImage,
		`data.name: is set by kpt itself`} {
		if !strings.Contains(message, text) {
			t.Errorf("the message has no %q:\n%s", text, message)
		}
	}
	w.expectDrafts("web") // a draft without what the variant sets could be published
	w.Apply(newVariant("web", plain, failing(map[string]string{"color": "blue"})))
	w.waitFile(w.target("web"), "package-context.yaml", "color: blue")
	w.expectDrafts("web", "edge.web.packagevariant-1")
}

// TestBigPackage has a package of 5 MB. The largest file in it is the user's own, which the controller leaves alone; it
// works on the rest, and merges a change of the upstream into all of it.
func TestBigPackage(t *testing.T) {
	w := newWorld(t)
	files := blueprint()
	for i := range 50 {
		files[fmt.Sprintf("big-%02d.yaml",
			i)] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: big-%02d\ndata:\n  text: |\n", i) +
			strings.Repeat("    "+strings.Repeat("x", 95)+"\n", 1024)
	}
	w.Publish("blueprints", "web", "v1", files)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	w.start()
	draft := w.target("web")
	w.waitFile(draft, "region.yaml", "api: eu")
	if got := w.Files(draft); len(got) < 50 || got["big-07.yaml"] == "" {
		t.Errorf("the draft has %d files", len(got))
	}
	files["big-07.yaml"] = strings.Replace(files["big-07.yaml"], "xxx", "yyy", 1)
	w.Publish("blueprints", "web", "v2", files)
	w.Apply(newVariant("web", revision(2)))
	w.waitFile(w.target("web"), "big-07.yaml", "yyyx")
}

// TestWhenOfFunction checks what the variant says of a function's when where Porch renders with a kpt that does not know
// it: nothing is saved until it is removed.
func TestWhenOfFunction(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	conditional := func(when string) func(*variant.Spec) {
		return func(s *variant.Spec) {
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "context", Image: contextImage,
				ConfigMap: map[string]string{"color": "blue"}, When: when}}}
		}
	}
	w.Apply(newVariant("web", plain, conditional("false")))
	w.start()
	const text = "field when not found in type v1.Function"
	if message := w.message("web", "RenderFailed"); !strings.Contains(message, text) {
		t.Errorf("the message has no %q:\n%s", text, message)
	}
	w.expectDrafts("web")
	w.Apply(newVariant("web", plain, conditional("")))
	w.waitFile(w.target("web"), "package-context.yaml", "color: blue")
	w.expectDrafts("web", "edge.web.packagevariant-1")
}
