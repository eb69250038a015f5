// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// TestSaving checks what the status says about a save before it, and for how long.
func TestSaving(t *testing.T) {
	t.Parallel()
	const draft = "edge.web.v1"
	before := v1alpha1.SavingDraft{Name: draft, Version: "1", Files: 2}
	saves := []decide.Step{{Action: decide.Mutate, Revision: &revision.Revision{Name: draft}}}
	inGit := porch.Content{Version: "0123456789012345678901234567890123456789"}
	read := func(version string, unfinished bool) *evaluated {
		return &evaluated{content: porch.Content{Version: version}, files: map[string]string{"a": "", "b": "", "c": ""},
			unfinished: unfinished}
	}
	for name, c := range map[string]struct {
		known *v1alpha1.SavingDraft
		read  *evaluated
		steps []decide.Step
		want  *v1alpha1.SavingDraft
	}{
		"nothing is saved":             {nil, read("1", false), nil, nil},
		"a save":                       {nil, read("1", false), saves, &v1alpha1.SavingDraft{Name: draft, Version: "1", Files: 3}},
		"a save in git":                {nil, &evaluated{content: inGit}, saves, nil},
		"a save of what was not read":  {nil, nil, saves, nil},
		"a save after one that failed": {&before, read("1", false), saves, &v1alpha1.SavingDraft{Name: draft, Version: "1", Files: 3}},
		"a save of what has lost files": {&before, read("2", true), saves,
			&v1alpha1.SavingDraft{Name: draft, Version: "1", Files: 3}},
		"it has lost files, and nothing is saved": {&before, read("2", true), nil, &before},
		"it was not looked at":                    {&before, nil, nil, &before},
		"it was finished":                         {&before, read("2", false), nil, nil},
		"it has gone": {&v1alpha1.SavingDraft{Name: "edge.web.v0", Version: "1", Files: 2}, read("2", false), nil,
			nil},
	} {
		in := &inspection{contents: map[string]evaluated{}, observation: &observation{pv: &v1alpha1.PackageVariant{
			Status: v1alpha1.PackageVariantStatus{SavingDraft: c.known}}}}
		in.Revisions = []revision.Revision{{Name: draft}}
		if c.read != nil {
			in.contents[draft] = *c.read
		}
		if diff := cmp.Diff(c.want, in.saving(c.steps)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestIsUnfinished checks which drafts have lost files because Porch was stopped during a save by the controller.
func TestIsUnfinished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*v1alpha1.PackageVariant, *revision.Revision, *porch.Content)
		want bool
	}{
		"it lacks a file": {func(*v1alpha1.PackageVariant, *revision.Revision, *porch.Content) {}, true},
		"it was not begun": {func(_ *v1alpha1.PackageVariant, _ *revision.Revision, c *porch.Content) {
			c.Version = "1"
		}, false},
		"it was finished": {func(_ *v1alpha1.PackageVariant, _ *revision.Revision, c *porch.Content) {
			c.Files["b"] = ""
		}, false},
		"another was saved": {func(pv *v1alpha1.PackageVariant, _ *revision.Revision, _ *porch.Content) {
			pv.Status.SavingDraft.Name = "edge.web.v0"
		}, false},
		"none was saved": {func(pv *v1alpha1.PackageVariant, _ *revision.Revision, _ *porch.Content) {
			pv.Status.SavingDraft = nil
		}, false},
		"it is proposed": {func(_ *v1alpha1.PackageVariant, r *revision.Revision, _ *porch.Content) {
			r.Lifecycle = revision.Proposed
		}, false},
		"Porch keeps it in git": {func(_ *v1alpha1.PackageVariant, _ *revision.Revision, c *porch.Content) {
			c.Version = "0123456789012345678901234567890123456789"
		}, false},
	} {
		pv := &v1alpha1.PackageVariant{}
		pv.Status.SavingDraft = &v1alpha1.SavingDraft{Name: "edge.web.v1", Version: "1", Files: 2}
		target := &revision.Revision{Name: "edge.web.v1", Lifecycle: revision.Draft}
		content := &porch.Content{Version: "2", Files: map[string]string{"a": ""}}
		c.edit(pv, target, content)
		in := &inspection{observation: &observation{pv: pv}}
		if got := in.isUnfinished(target, content); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
