// SPDX-License-Identifier: Apache-2.0

package life

import (
	"errors"
	"maps"
	"testing"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kptfile"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestIsMade checks which drafts are as Porch made them, by v1.5 or by a newer version.
func TestIsMade(t *testing.T) {
	t.Parallel()
	const kptfile, context = "kind: Kptfile\n", "kind: ConfigMap\n"
	made := map[string]string{"Kptfile": kptfile, "package-context.yaml": context, "sub/Kptfile": kptfile,
		"sub/package-context.yaml": context}
	with := func(change func(map[string]string)) map[string]string {
		files := maps.Clone(made)
		change(files)
		return files
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"by Porch v1.5": {made, true},
		"by newer Porch": {with(func(f map[string]string) {
			delete(f, "sub/package-context.yaml")
			f["Kptfile"] += "status:\n  conditions:\n  - type: Rendered\n  renderStatus:\n    mutationSteps: []\n"
		}), true},
		"a nested context is edited":    {with(func(f map[string]string) { f["sub/package-context.yaml"] += "data: {}\n" }), false},
		"the context is deleted":        {with(func(f map[string]string) { delete(f, "package-context.yaml") }), false},
		"the Kptfile is edited":         {with(func(f map[string]string) { f["Kptfile"] += "info: {}\n" }), false},
		"another file is there as well": {with(func(f map[string]string) { f["mine.yaml"] = context }), false},
	} {
		if got := isMade(made, c.files); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
	if isMade(nil, made) {
		t.Error("what cannot be predicted is taken for what is there")
	}
}

// TestSavedUnchanged checks which drafts are known to be edited only by the controller, though they need no save.
func TestSavedUnchanged(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Kptfile": "kind: Kptfile\n"}
	before := decide.Saved{Name: "edge.web.v1", Content: "0"}
	saved := decide.Saved{Name: "edge.web.v2", Content: kptfile.Digest(files)}
	for name, c := range map[string]struct {
		edit func(*inspection, *evaluated)
		want decide.Saved
	}{
		"as Porch made it": {func(*inspection, *evaluated) {}, saved},
		"edited":           {func(_ *inspection, e *evaluated) { e.asMade = false }, before},
		"not asked for":    {func(in *inspection, _ *evaluated) { in.Requested = decide.Request{} }, before},
		"published":        {func(in *inspection, _ *evaluated) { in.Revisions[0].Lifecycle = "Published" }, before},
		"to be saved": {func(_ *inspection, e *evaluated) {
			e.files = map[string]string{"Kptfile": "kind: Kptfile\ninfo: {}\n"}
		}, before},
		"a function fails": {func(in *inspection, _ *evaluated) {
			in.Mutations = map[string]decide.Mutation{saved.Name: {Err: &mutate.FunctionError{Err: errors.New("no")}}}
		}, before},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			draft := revision.Revision{Name: saved.Name, Package: revision.Package{Repo: "edge", Name: "web"}, Workspace: "v2",
				Lifecycle: revision.Draft, Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}}
			in := &inspection{observation: &observation{Input: decide.Input{Saved: before,
				Revisions: []revision.Revision{draft},
				Requested: decide.Request{Name: draft.Name, Task: draft.Task}}}}
			e := evaluated{content: packages.Content{Files: files}, files: files, asMade: true}
			c.edit(in, &e)
			in.contents = map[string]evaluated{draft.Name: e}
			if got := in.savedUnchanged(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
