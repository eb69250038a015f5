// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
)

// TestSaving checks what the status says about a save before it, and for how long.
func TestSaving(t *testing.T) {
	t.Parallel()
	const draft = "edge.web.v1"
	before := v1alpha1.SavingDraft{Name: draft, Version: "1", Files: []string{"a", "b"}}
	saves := []decide.Step{{Action: decide.Mutate, Revision: &revision.Revision{Name: draft}}}
	inGit := porch.Content{Version: "0123456789012345678901234567890123456789"}
	read := &evaluated{content: porch.Content{Version: "2"}, files: map[string]string{"c": "", "a": "", "b": ""}}
	after := v1alpha1.SavingDraft{Name: draft, Version: "2", Files: []string{"a", "b", "c"}}
	for name, c := range map[string]struct {
		known *v1alpha1.SavingDraft
		read  *evaluated
		steps []decide.Step
		want  *v1alpha1.SavingDraft
	}{
		"nothing is saved":            {nil, read, nil, nil},
		"a save":                      {nil, read, saves, &after},
		"a save in git":               {nil, &evaluated{content: inGit}, saves, nil},
		"a save of what was not read": {nil, nil, saves, nil},
		"a save after another":        {&before, read, saves, &after},
		"it lacks files":              {&before, nil, nil, &before},
		"it was finished":             {&before, read, nil, nil},
	} {
		in := &inspection{contents: map[string]evaluated{}, observation: &observation{pv: &v1alpha1.PackageVariant{
			Status: v1alpha1.PackageVariantStatus{SavingDraft: c.known}}}}
		in.Spec = &in.pv.Spec
		if c.read != nil {
			in.contents[draft] = *c.read
		}
		if diff := cmp.Diff(c.want, in.savingDraft(c.steps),
			cmpopts.IgnoreFields(v1alpha1.SavingDraft{}, "Since")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestInterrupted checks which drafts lack files because Porch was stopped while it made or saved them.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	asked := func(in *inspection, r *revision.Revision, c *porch.Content) {
		in.pv.Status.SavingDraft, c.Files = nil, nil
		in.Requested = decide.Draft{Package: r.Package, Workspace: r.Workspace, Task: r.Task}
	}
	for name, c := range map[string]struct {
		edit func(*inspection, *revision.Revision, *porch.Content)
		want string
	}{
		"it lacks files": {func(_ *inspection, _ *revision.Revision, c *porch.Content) { delete(c.Files, "Kptfile") },
			"edge.web.v1 lacks files: Kptfile, a.yaml"},
		"it lacks a file":        {func(*inspection, *revision.Revision, *porch.Content) {}, "edge.web.v1 lacks files: a.yaml"},
		"the save was not begun": {func(_ *inspection, _ *revision.Revision, c *porch.Content) { c.Version = "1" }, ""},
		"the save was finished":  {func(_ *inspection, _ *revision.Revision, c *porch.Content) { c.Files["a.yaml"] = "" }, ""},
		"another was saved": {func(in *inspection, _ *revision.Revision, _ *porch.Content) {
			in.pv.Status.SavingDraft.Name = "edge.web.v0"
		}, ""},
		"it is proposed":                     {func(_ *inspection, r *revision.Revision, _ *porch.Content) { r.Lifecycle = revision.Proposed }, ""},
		"it was asked for, and has no files": {asked, "edge.web.v1 lacks files: Kptfile"},
		"it was asked for, and has a Kptfile": {func(in *inspection, r *revision.Revision, c *porch.Content) {
			asked(in, r, c)
			c.Files = map[string]string{"Kptfile": ""}
		}, ""},
	} {
		in := &inspection{observation: &observation{pv: &v1alpha1.PackageVariant{}}}
		in.pv.Status.SavingDraft = &v1alpha1.SavingDraft{Name: "edge.web.v1", Version: "1",
			Files: []string{"a.yaml", "Kptfile"}}
		target := &revision.Revision{Name: "edge.web.v1", Lifecycle: revision.Draft, Workspace: "v1", Created: time.Unix(1, 0),
			Package: revision.Package{Repo: "edge", Name: "web"}, Task: revision.Task{Type: revision.Clone, Source: "b.web.v1"}}
		content := &porch.Content{Version: "2", Files: map[string]string{"Kptfile": ""}}
		c.edit(in, target, content)
		got := ""
		if err := in.interrupted(target, content); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
