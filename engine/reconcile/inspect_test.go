// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestEvaluated checks which files a revision should have, and which of them change: also by a merge, which may remove
// some.
func TestEvaluated(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	read := files{"Kptfile": "k", "a.yaml": "a", "b.yaml": ""}
	for name, c := range map[string]struct {
		files, edited, want files
		changed             []string
	}{
		"nothing": {read, nil, read, nil},
		"the functions change two": {read, files{"b.yaml": "b", "Kptfile": "l"},
			files{"Kptfile": "l", "a.yaml": "a", "b.yaml": "b"}, []string{"Kptfile", "b.yaml"}},
		"the functions add an empty": {read, files{"c.yaml": ""},
			files{"Kptfile": "k", "a.yaml": "a", "b.yaml": "", "c.yaml": ""}, []string{"c.yaml"}},
		"the functions change nothing": {read, files{"a.yaml": "a"}, read, nil},
		"the merge changes one": {files{"Kptfile": "k", "a.yaml": "m", "b.yaml": ""}, nil,
			files{"Kptfile": "k", "a.yaml": "m", "b.yaml": ""}, []string{"a.yaml"}},
		"the merge removes an empty": {files{"Kptfile": "k", "a.yaml": "a"}, nil, files{"Kptfile": "k", "a.yaml": "a"},
			[]string{"b.yaml"}},
		"the merge removes and adds": {files{"Kptfile": "k", "c.yaml": "c", "b.yaml": ""}, nil,
			files{"Kptfile": "k", "c.yaml": "c", "b.yaml": ""}, []string{"a.yaml", "c.yaml"}},
		"both change the same": {files{"Kptfile": "m", "a.yaml": "a", "b.yaml": ""}, files{"Kptfile": "l"},
			files{"Kptfile": "l", "a.yaml": "a", "b.yaml": ""}, []string{"Kptfile"}},
		"the functions undo the merge": {files{"Kptfile": "k", "a.yaml": "m", "b.yaml": ""}, files{"a.yaml": "a"}, read, nil},
	} {
		before := maps.Clone(c.files)
		e := evaluated{content: packages.Content{Files: read}, files: c.files, outcome: mutate.Outcome{Files: c.edited}}
		if diff := cmp.Diff(c.want, e.wanted()); diff != "" {
			t.Errorf("%s: files, -want +got:\n%s", name, diff)
		}
		if diff := cmp.Diff(c.changed, e.changed()); diff != "" {
			t.Errorf("%s: changed, -want +got:\n%s", name, diff)
		}
		if diff := cmp.Diff(before, c.files); diff != "" {
			t.Errorf("%s: the files given were changed, -want +got:\n%s", name, diff)
		}
	}
}

// TestConfirmProposal checks how long the status keeps an announced proposal: while the cache still has a draft, or
// has lost sight of it, Porch may have proposed it.
func TestConfirmProposal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lifecycle revision.Lifecycle
		want      string
	}{
		"a draft":               {revision.Draft, "files"},
		"published":             {revision.Published, ""},
		"proposed for deletion": {revision.DeletionProposed, ""},
		"out of sight":          {"", "files"},
	} {
		in := &inspection{observation: &observation{progress: newProgresses(time.Now).of(&v1alpha1.PackageVariant{}),
			Input: decide.Input{Read: decide.Read{Saved: decide.Saved{Name: "edge.web.v1", Proposing: "files"}}}}}
		if c.lifecycle != "" {
			in.Revisions = []revision.Revision{{Name: "edge.web.v1", Lifecycle: c.lifecycle}}
		}
		if err := (&Reconciler{}).confirmProposal(t.Context(), in); err != nil || in.Saved.Proposing != c.want ||
			in.Saved.Proposed != "" {
			t.Errorf("%s: got %+v, %v", name, in.Saved, err)
		}
	}
}
