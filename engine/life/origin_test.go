// SPDX-License-Identifier: Apache-2.0

package life

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kptfile"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/ttlcache"
)

// contentsOf is a Porch with one file in each revision, which gives the commit of only one of them.
type contentsOf struct {
	packages.Home
	files  map[string]string
	commit string
	asked  []string
}

func (c *contentsOf) Get(context.Context, string, string) (revision.Revision, error) {
	return revision.Revision{}, errBoom
}

func (c *contentsOf) Read(_ context.Context, _, name string) (packages.Content, error) {
	c.asked = append(c.asked, name)
	return packages.Content{Files: map[string]string{"Kptfile": c.files[name]}}, nil
}

func (c *contentsOf) Commit(_ context.Context, r *revision.Revision) (string, error) {
	c.asked = append(c.asked, r.Name)
	return c.commit, nil
}

// TestIdentify checks what is known of an upstream whose version gives no commit, and when Porch is asked for it.
func TestIdentify(t *testing.T) {
	t.Parallel()
	const c1, c2 = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	digest := func(text string) string { return kptfile.Digest(map[string]string{"Kptfile": text}) }
	type known struct{ Commit, Replaced, Content string }
	first := &v1alpha1.ResolvedUpstream{Name: "blueprints.web.v1", Revision: 1, Version: "v1.1", Content: digest("one"), Commit: c1}
	for name, c := range map[string]struct {
		status  *v1alpha1.ResolvedUpstream
		name    string // of the upstream
		version string
		inGit   bool
		text    string // of its file
		commit  string // that Porch tells when it is asked
		want    known
		asked   []string
	}{
		"its version is its commit": {status: first, name: "blueprints.web.v1", version: c1, inGit: true,
			want: known{Commit: c1}},
		"it is looked at for the first time": {name: "blueprints.web.v1", version: "v1.1", text: "one",
			want: known{Content: digest("one")}, asked: []string{"blueprints.web.v1", "blueprints.web.v1"}},
		"Porch tells its commit when it is asked": {name: "blueprints.web.v1", version: "v1.1", text: "one", commit: c2,
			want: known{Commit: c2, Content: digest("one")}, asked: []string{"blueprints.web.v1", "blueprints.web.v1"}},
		"it is as it was": {status: first, name: "blueprints.web.v1", version: "v1.1", text: "not read",
			want: known{Commit: c1, Content: digest("one")}},
		"its version has changed, its content not": {status: first, name: "blueprints.web.v1", version: "v1.2", text: "one",
			want: known{Commit: c1, Content: digest("one")}, asked: []string{"blueprints.web.v1", "blueprints.web.v1"}},
		"another is in its place": {status: first, name: "blueprints.web.v1", version: "v1.2", text: "two",
			want:  known{Replaced: c1, Content: digest("two")},
			asked: []string{"blueprints.web.v1", "blueprints.web.v1"}},
		"another is in its place, by another name": {status: first, name: "blueprints.web.again", version: "again.1", text: "two",
			want:  known{Replaced: c1, Content: digest("two")},
			asked: []string{"blueprints.web.again", "blueprints.web.again"}},
		"another is in its place, with a commit": {status: first, name: "blueprints.web.v1", version: "v1.2", text: "two",
			commit: c2, want: known{Commit: c2, Replaced: c1, Content: digest("two")},
			asked: []string{"blueprints.web.v1", "blueprints.web.v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := &contentsOf{files: map[string]string{c.name: c.text}, commit: c.commit}
			r := &Reconciler{Ports: Ports{Packages: from}, upstream: ttlcache.New[upstreamContent](1, time.Minute)}
			o := observed()
			bases := []revision.Revision{{
				Namespace: "fleet", Name: c.name, Package: revision.Package{Repo: "blueprints", Name: "web"}, Number: 1,
				Lifecycle: revision.Published, Version: c.version, AtCommit: c.inGit,
			}}
			if c.inGit {
				bases[0].Commit = c.version
			}
			revision.Locate(bases, map[string]revision.Repository{"blueprints": {Address: "https://git/blueprints"}})
			o.Bases, o.Upstream, o.pv.Status.Upstream = bases, &bases[0], c.status
			o.Revisions = slices.Clone(o.Revisions)
			o.Revisions[1].Lock = &revision.Lock{Repo: "https://git/blueprints", Directory: "web", Ref: "web/v1", Commit: c1}
			decide.Recognize(&o.Input, o.pv.Status.Upstream)
			if err := r.identify(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, known{o.Upstream.Commit, o.Upstream.Replaced, o.content}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, from.asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}
