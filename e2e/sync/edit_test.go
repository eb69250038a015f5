// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// TestEditDraft changes each thing that a variant sets while its draft is open, with a user's edit in it.
func TestEditDraft(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	w.start()
	draft := w.target("web")
	mine := strings.Replace(w.Files(draft)["settings.yaml"], `a: "1" # one`, `a: "mine" # my own`, 1)
	w.WriteFiles(draft, map[string]string{"settings.yaml": mine, "notes.md": "mine\n"})

	for _, step := range []struct {
		name       string
		change     func()
		file, text string
	}{
		{"packageContext", func() {
			w.Apply(newVariant("web", func(s *variant.Spec) { s.PackageContext.Data["zone"] = "a" }))
		}, "package-context.yaml", "zone: a"},
		{"pipeline", func() {
			w.Apply(newVariant("web", func(s *variant.Spec) {
				s.PackageContext.Data["zone"] = "a"
				s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "c", Image: contextImage,
					ConfigMap: map[string]string{"pipe": "line"}}}}
			}))
		}, "package-context.yaml", "pipe: line"},
		{"in-cluster object", func() { w.Apply(configMap("eu", map[string]string{"api": "eu-2"})) }, "region.yaml",
			"api: eu-2"},
		{"injector", func() {
			w.Apply(configMap("us", map[string]string{"api": "us"}))
			w.Apply(newVariant("web", func(s *variant.Spec) { s.Injectors[0].Name = "us" }))
		}, "region.yaml", "api: us"},
		{"object of the new injector", func() { w.Apply(configMap("us", map[string]string{"api": "us-2"})) }, "region.yaml",
			"api: us-2"},
		{"object deleted and made anew", func() {
			w.Delete(configMap("us", nil))
			w.expectCondition("web", conditionInjected, "False", unmet)
			w.Apply(configMap("us", map[string]string{"api": "us-3"}))
		}, "region.yaml", "api: us-3"},
	} {
		step.change()
		w.waitFile(draft, step.file, step.text)
		w.Ready("web")
		// With the DB cache, Porch writes the files of a draft one by one.
		w.Eventually("the user's edit is there after a change of the "+step.name, func() error {
			files, err := w.GetFiles(draft)
			if err == nil && (files["settings.yaml"] != mine || files["notes.md"] != "mine\n") {
				err = fmt.Errorf("it is:\n%s\n%s", files["settings.yaml"], files["notes.md"])
			}
			return err
		})
	}
	if got := w.Files(draft)["Kptfile"]; strings.Contains(got, "PackageVariant.web") {
		t.Errorf("the function that the variant has no more is still in the Kptfile:\n%s", got)
	}
	w.expectDrafts("web", draft)
}

// TestEditPublished changes an in-cluster object of a published downstream.
func TestEditPublished(t *testing.T) {
	w := published(t)
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}))
	w.waitTarget("web", "edge.web.packagevariant-2")
	r := w.Revision("edge.web.packagevariant-2")
	if r.Spec.Tasks[0].Type != porchapi.TaskTypeEdit || r.Spec.Tasks[0].Edit.Source.Name != "edge.web.packagevariant-1" {
		t.Errorf("it is made by %+v, want an edit of the published revision", r.Spec.Tasks[0])
	}
	files := w.Files(r.Name)
	if !strings.Contains(files["region.yaml"], "api: eu-2") || !strings.Contains(files["settings.yaml"],
		`a: "mine" # my own`) {
		t.Errorf("it has:\n%s\n%s", files["region.yaml"], files["settings.yaml"])
	}
	// Back to what is published: the draft stays ours and follows.
	w.Apply(configMap("eu", map[string]string{"api": "eu"}))
	w.waitFile(r.Name, "region.yaml", "api: eu\n")
	w.Ready("web")
	w.expectDrafts("web", r.Name)
}
