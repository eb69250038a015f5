// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// contentsOf is a Porch that gives contents, and nothing else.
type contentsOf struct{ packages.Home }

func (*contentsOf) Get(context.Context, string, string) (revision.Revision, error) {
	return revision.Revision{}, errBoom
}

func (*contentsOf) Read(context.Context, string, string) (packages.Content, error) {
	return packages.Content{Files: map[string]string{"Kptfile": "k"}}, nil
}

// TestCurrentFails checks that a revision stays known if Porch does not answer when it is asked for it again.
func TestCurrentFails(t *testing.T) {
	t.Parallel()
	draft := revision.Revision{Namespace: namespace, Name: "edge.web.v1", Lifecycle: revision.Draft, Version: "v1.1"}
	o := observed()
	o.Input = decide.Input{Observed: decide.Observed{Upstream: &revision.Revision{}, Revisions: []revision.Revision{draft}}}
	r := &Reconciler{Ports: Ports{Packages: &contentsOf{}}} // in another version
	if _, err := r.current(t.Context(), o, draft.Name); err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff([]revision.Revision{draft}, o.Revisions); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// finished is a home that has written a draft, with its task, in the version that was seen before.
type finished struct{ packages.Home }

func (finished) Get(_ context.Context, namespace, name string) (revision.Revision, error) {
	return revision.Revision{Namespace: namespace, Name: name, Version: "v1.1", Lifecycle: revision.Draft, InParts: true,
		Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}, Lock: &revision.Lock{Ref: "web/v1"}}, nil
}

func (finished) Read(_ context.Context, namespace, name string) (packages.Content, error) {
	return packages.Content{Namespace: namespace, Name: name, Version: "v1.1", Files: map[string]string{"Kptfile": "k"}}, nil
}

// TestCurrentOfUnfinished checks that a draft which was asked for, and seen before the home had written its files, gets
// its task and its lock with these: in the database, it has the same version then.
func TestCurrentOfUnfinished(t *testing.T) {
	t.Parallel()
	o := observed()
	draft := revision.Revision{Namespace: namespace, Name: "edge.web.v1", Lifecycle: revision.Draft, Version: "v1.1",
		InParts: true}
	o.Input = decide.Input{Observed: decide.Observed{Upstream: &revision.Revision{}, Revisions: []revision.Revision{draft}},
		Memory: decide.Memory{Requested: decide.Request{Name: "edge.web.v1",
			Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}}}}
	r := &Reconciler{Ports: Ports{Packages: finished{}}}
	if _, err := r.current(t.Context(), o, "edge.web.v1"); err != nil {
		t.Fatal(err)
	}
	want, _ := finished{}.Get(t.Context(), namespace, "edge.web.v1")
	if diff := cmp.Diff([]revision.Revision{want}, o.Revisions); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// writing is a Porch that publishes a draft: it has a new version, and its files change from read to read.
type writing struct {
	packages.Home
	files []map[string]string // the last of them again and again
}

func (w *writing) Get(_ context.Context, namespace, name string) (revision.Revision, error) {
	return revision.Revision{Namespace: namespace, Name: name, Version: "v1.2", Lifecycle: revision.Published}, nil
}

func (w *writing) Read(_ context.Context, namespace, name string) (packages.Content, error) {
	files := w.files[0]
	w.files = w.files[min(1, len(w.files)-1):]
	return packages.Content{Namespace: namespace, Name: name, Version: "v1.2", Files: files}, nil
}

// TestCurrentWhileWritten checks that a content in another version than the cached one is used if it is read twice with
// the same files: Porch's cache in PostgreSQL writes them one by one, after the version.
func TestCurrentWhileWritten(t *testing.T) {
	t.Parallel()
	few, more, all := map[string]string{"Kptfile": "k"}, map[string]string{"Kptfile": "k", "a.yaml": "a"},
		map[string]string{"Kptfile": "k", "a.yaml": "a", "b.yaml": "b"}
	for name, c := range map[string]struct {
		reads []map[string]string
		want  error
	}{
		"whole":                {[]map[string]string{all, all}, nil},
		"it becomes whole":     {[]map[string]string{more, all}, packages.ErrStale},
		"it is not whole then": {[]map[string]string{few, more, all}, packages.ErrStale},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := observed()
			o.Observed = decide.Observed{Upstream: &revision.Revision{}, Revisions: []revision.Revision{
				{Namespace: namespace, Name: "edge.web.v1", Lifecycle: revision.Proposed, Version: "v1.1"}}}
			r := &Reconciler{Ports: Ports{Packages: &writing{files: c.reads}}}
			if content, err := r.current(t.Context(), o, "edge.web.v1"); !errors.Is(err, c.want) {
				t.Errorf("got %v, %v, want %v", content.Files, err, c.want)
			}
		})
	}
}
