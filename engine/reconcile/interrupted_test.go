// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	stdcmp "cmp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSaving checks what the status says about a save before it, and for how long.
func TestSaving(t *testing.T) {
	t.Parallel()
	const draft = "edge.web.v1"
	saving := func(version string, files ...string) *v1alpha1.Operation {
		return &v1alpha1.Operation{Do: "save", Revision: draft, Save: &v1alpha1.Save{Version: version, Files: files}}
	}
	before := saving("1", "a", "b")
	saves := decide.Step{Action: decide.Mutate, Revision: &revision.Revision{Name: draft, InParts: true}}
	var none decide.Step
	savesWhole := decide.Step{Action: decide.Mutate, Revision: &revision.Revision{Name: draft}}
	read := &evaluated{content: packages.Content{Version: "2"}, files: map[string]string{"c": "", "a": "", "b": ""}}
	after := saving("2", "a", "b", "c")
	asked := &v1alpha1.Operation{Do: "clone", Revision: draft, Source: "blueprints.web.v1"}
	askedAndSaved := asked.DeepCopy()
	askedAndSaved.Save = after.Save
	proposed := &v1alpha1.Operation{Do: "propose", Revision: draft, Digest: "0"}
	for name, c := range map[string]struct {
		known *v1alpha1.Operation
		read  *evaluated
		step  decide.Step
		want  *v1alpha1.Operation
	}{
		"nothing is saved":             {nil, read, none, nil},
		"a save":                       {nil, read, saves, after},
		"a save as a whole":            {nil, read, savesWhole, nil},
		"a save after another":         {before, read, saves, after},
		"it lacks files":               {before, nil, none, before},
		"it was finished":              {before, read, none, nil},
		"a save of what was asked for": {asked, read, saves, askedAndSaved},
		"what was asked for was saved": {askedAndSaved, read, none, asked},
		"it is being proposed":         {proposed, read, none, proposed},
	} {
		in := &inspection{contents: map[string]evaluated{}, observation: &observation{pv: &v1alpha1.PackageVariant{
			Status: v1alpha1.PackageVariantStatus{Operation: c.known}}, progress: &progress{}}}
		in.Spec, in.Requested = &in.pv.Spec, requestOf(&in.pv.Status)
		if c.read != nil {
			in.contents[draft] = *c.read
		}
		if diff := cmp.Diff(c.want, stdcmp.Or(in.saveOperation(&c.step, metav1.Time{}), in.pendingOperation()),
			cmpopts.IgnoreTypes(metav1.Time{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestInterrupted checks which drafts lack files because Porch was stopped while it made or saved them.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	asked := func(in *inspection, r *revision.Revision, c *packages.Content) {
		in.pv.Status.Operation, c.Files = nil, nil
		in.Requested = decide.Request{Name: r.Name, Task: r.Task}
	}
	for name, c := range map[string]struct {
		edit func(*inspection, *revision.Revision, *packages.Content)
		want string
	}{
		"it lacks files": {func(_ *inspection, _ *revision.Revision, c *packages.Content) { delete(c.Files, "Kptfile") },
			"edge.web.v1 lacks files: Kptfile, a.yaml"},
		"it lacks a file":        {func(*inspection, *revision.Revision, *packages.Content) {}, "edge.web.v1 lacks files: a.yaml"},
		"the save was not begun": {func(_ *inspection, _ *revision.Revision, c *packages.Content) { c.Version = "1" }, ""},
		"the save was finished":  {func(_ *inspection, _ *revision.Revision, c *packages.Content) { c.Files["a.yaml"] = "" }, ""},
		"another was saved": {func(in *inspection, _ *revision.Revision, _ *packages.Content) {
			in.pv.Status.Operation.Revision = "edge.web.v0"
		}, ""},
		"it is proposed":                     {func(_ *inspection, r *revision.Revision, _ *packages.Content) { r.Lifecycle = revision.Proposed }, ""},
		"it was asked for, and has no files": {asked, "edge.web.v1 lacks files: Kptfile"},
		"it was asked for, and has a Kptfile": {func(in *inspection, r *revision.Revision, c *packages.Content) {
			asked(in, r, c)
			c.Files = map[string]string{"Kptfile": ""}
		}, ""},
	} {
		in := &inspection{observation: &observation{pv: &v1alpha1.PackageVariant{}}}
		in.pv.Status.Operation = &v1alpha1.Operation{Do: "save", Revision: "edge.web.v1",
			Save: &v1alpha1.Save{Version: "1", Files: []string{"a.yaml", "Kptfile"}}}
		target := &revision.Revision{Name: "edge.web.v1", Lifecycle: revision.Draft, Workspace: "v1", Created: time.Unix(1, 0),
			Package: revision.Package{Repo: "edge", Name: "web"}, Task: revision.Task{Type: revision.Clone, Source: "b.web.v1"}}
		content := &packages.Content{Version: "2", Files: map[string]string{"Kptfile": ""}}
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
