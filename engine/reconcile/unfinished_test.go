// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestEdits checks what is told of a draft that Porch v1.5, or a newer version, made.
func TestEdits(t *testing.T) {
	t.Parallel()
	const kptfile, context = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
	clone := map[string]string{"Kptfile": kptfile, "package-context.yaml": context, "sub/Kptfile": kptfile,
		"sub/package-context.yaml": context}
	upgrade := &origin{source: map[string]string{"Kptfile": kptfile, "a.yaml": context + "data:\n  a: \"1\"\n  mine: x\n"},
		merge: &decide.Merge{}}
	merged := map[string]string{"Kptfile": kptfile, "a.yaml": context + "data:\n  a: \"2\"\n  mine: x\n"}
	with := func(files map[string]string, change func(map[string]string)) map[string]string {
		files = maps.Clone(files)
		change(files)
		return files
	}
	for name, c := range map[string]struct {
		from  *origin
		saved map[string]string
		files map[string]string
		want  []string
	}{
		"a clone by Porch v1.5": {files: clone},
		"a clone by newer Porch": {files: with(clone, func(f map[string]string) {
			delete(f, "sub/package-context.yaml")
			f["Kptfile"] += "status:\n  conditions:\n  - type: Rendered\n  renderStatus:\n    mutationSteps: []\n"
		})},
		"a nested context is edited": {files: with(clone, func(f map[string]string) { f["sub/package-context.yaml"] += "data: {}\n" }),
			want: []string{"sub/package-context.yaml was changed"}},
		"the context is deleted": {files: with(clone, func(f map[string]string) { delete(f, "package-context.yaml") }),
			want: []string{"package-context.yaml is missing"}},
		"another file is there as well": {files: with(clone, func(f map[string]string) { f["mine.yaml"] = context }),
			want: []string{"mine.yaml was added"}},
		"an upgrade as it was":       {from: upgrade, saved: merged, files: upgrade.source},
		"an upgrade that was merged": {from: upgrade, saved: merged, files: merged},
		"an upgrade by a merge that loses a value": {from: upgrade, saved: merged,
			files: with(merged, func(f map[string]string) { f["a.yaml"] = context + "data:\n  a: \"2\"\n" }),
			want:  []string{"a.yaml was changed"}},
	} {
		if c.from == nil {
			c.from, c.saved = &origin{source: clone}, clone
		}
		if diff := cmp.Diff(c.want, c.from.edits(c.saved, c.files)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSavedUnchanged checks which drafts are known to be edited only by the controller, though they need no save.
func TestSavedUnchanged(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Kptfile": "kind: Kptfile\n"}
	before := decide.Saved{Name: "edge.web.v1", Content: "0"}
	saved := decide.Saved{Name: "edge.web.v2", Content: kpt.Digest(files)}
	for name, c := range map[string]struct {
		edit func(*inspection, *evaluated)
		want decide.Saved
	}{
		"as Porch made it": {func(*inspection, *evaluated) {}, saved},
		"edited":           {func(_ *inspection, e *evaluated) { e.asMade = false }, before},
		"not asked for":    {func(in *inspection, _ *evaluated) { in.Requested = decide.Request{} }, before},
		"published":        {func(in *inspection, _ *evaluated) { in.Revisions[0].Lifecycle = "Published" }, before},
		"to be saved": {func(in *inspection, _ *evaluated) {
			in.Mutations = map[string]decide.Mutation{saved.Name: {Changed: []string{"Kptfile"}}}
		}, before},
		"a function fails": {func(in *inspection, _ *evaluated) {
			in.Mutations = map[string]decide.Mutation{saved.Name: {Err: &mutate.FunctionError{Err: errors.New("no")}}}
		}, before},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			draft := revision.Revision{Name: saved.Name, Package: revision.Package{Repo: "edge", Name: "web"}, Workspace: "v2",
				Lifecycle: revision.Draft, Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}}
			in := &inspection{observation: &observation{Input: decide.Input{
				Observed: decide.Observed{Revisions: []revision.Revision{draft}},
				Memory:   decide.Memory{Requested: decide.Request{Name: draft.Name, Task: draft.Task}},
				Read:     decide.Read{Saved: before}}}}
			e := evaluated{content: packages.Content{Files: files}, files: files, asMade: true}
			c.edit(in, &e)
			in.contents = map[string]evaluated{draft.Name: e}
			if got := in.savedUnchanged(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
