// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// said returns a text without the address of the world's git repository.
func (w *world) said(text string) string {
	return strings.ReplaceAll(text, w.Remote.Address(), "ADDRESS")
}

// TestUpstreamMissing asks for a revision of a blueprint that has no tag: the variant says which commands publish it, and
// follows when they have run.
func TestUpstreamMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.Replace(web, "revision: latest", "revision: 2", 1))
	w.Push("main", "Grow", map[string]string{"blueprints/web/settings.yaml": settings("large")})
	report := w.sync()
	w.Equal("state", []string{"web: UpstreamNotFound"}, lines(report)[:1])
	w.Equal("why", "there is no PackageRevision of blueprints/web with revision 2: ADDRESS has on its branch main the "+
		"package blueprints/web, and no tag blueprints/web/v2 (the newest is v1, and the branch has changed since); correct "+
		"spec.upstream, or publish it: git tag blueprints/web/v2 origin/main; git push origin blueprints/web/v2 (if you have "+
		"that tag, the push is enough)", w.said(report.Variants[0].Message))
	w.idle()
	w.People.Git("tag", "blueprints/web/v2", "origin/main")
	w.People.Git("push", "-q", "origin", "blueprints/web/v2")
	w.Equal("published", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
}

// TestMisnamedTag has people publish a blueprint under a name that is nearly that of a tag: while variants follow the
// last one that has the right name, each sync says so.
func TestMisnamedTag(t *testing.T) {
	t.Parallel()
	note := "the newest revision of blueprints/web is v1, because the tag web-v2 of ADDRESS has another name than those " +
		"that publish it: git tag blueprints/web/v2 web-v2; git push origin blueprints/web/v2"
	for name, tt := range map[string]struct {
		manifests string
		want      []string
	}{
		"of a variant":         {web, []string{note}},
		"of a set":             {webSet, []string{note}},
		"nobody asks for more": {strings.Replace(web, "revision: latest", "revision: 1", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.manifests)
			w.Push("main", "Grow", map[string]string{"blueprints/web/settings.yaml": settings("large")},
				"HEAD:refs/tags/web-v2", "HEAD:refs/tags/web-v1")
			var notes []string
			for _, note := range w.sync().Notes {
				notes = append(notes, w.said(note))
			}
			w.Equal("notes", tt.want, notes)
			w.People.Git("fetch", "-q", "--tags")
			w.People.Git("push", "-q", "origin", "refs/tags/web-v2:refs/tags/blueprints/web/v2")
			w.Equal("notes afterwards", 0, len(w.sync().Notes))
		})
	}
}

// TestForgottenTag has people push a change of a blueprint, and forget its tag: while variants follow its newest
// revision, each sync says so, the plan before it, and the status.
func TestForgottenTag(t *testing.T) {
	t.Parallel()
	const note = "blueprints/web has changed on main since v1; the fleet follows it once it is tagged: " +
		"git tag blueprints/web/v2 origin/main; git push origin blueprints/web/v2"
	change := func(refs ...string) func(*world) {
		return func(w *world) {
			w.Push("main", "Grow", map[string]string{"blueprints/web/settings.yaml": settings("large")}, refs...)
		}
	}
	asking := func(revision string) string {
		return strings.Replace(web, "revision: latest", "revision: "+revision, 1)
	}
	for name, tt := range map[string]struct {
		manifests string
		do        func(*world)
		want      []string
	}{
		"of a variant":               {web, change(), []string{note}},
		"of a set and of a variant":  {webSet + another("other"), change(), []string{note}},
		"a number is asked for":      {asking("1"), change(), nil},
		"the branch is asked for":    {asking("main"), change(), nil},
		"the directory is not there": {web, func(w *world) { w.People.Git("rm", "-rq", "blueprints/web"); w.Push("main", "Remove", nil) }, nil},
		"the sync tags it": {web + strings.Replace(another("copy"), "blueprints, package: web", "edge, package: web", 1), func(w *world) {
			w.Merge(strings.TrimPrefix(draft1, "heads/"))
			w.sync()
			w.Push("main", "Hotfix", map[string]string{"edge/web/more.yaml": "a: b\n"})
		}, nil},
		"the next tag is something else": {web, func(w *world) {
			change()(w)
			w.Remote.Git("update-ref", "refs/tags/blueprints/web/v2", strings.TrimSpace(w.Remote.Git("rev-parse", "main:fleet/web.yaml")))
		}, []string{strings.ReplaceAll(note, "web/v2", "web/v3")}},
		"it is as an earlier one was": {web, func(w *world) {
			change("HEAD:refs/tags/blueprints/web/v2")(w)
			w.Push("main", "Go back", map[string]string{"blueprints/web/settings.yaml": settings("small")})
		}, []string{strings.NewReplacer("v1", "v2", "v2", "v3").Replace(note)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.manifests)
			w.Equal("notes before", 0, len(w.sync().Notes))
			tt.do(w)
			w.Equal("notes of the status", tt.want, w.status().Notes)
			var planned []string
			for _, note := range w.plan(w.options()).Notes {
				if !strings.HasPrefix(note, "edge/web: ") { // what people did
					planned = append(planned, note)
				}
			}
			w.Equal("notes of a plan", tt.want, planned)
			report := w.sync()
			w.Equal("notes", tt.want, report.Notes)
			w.Equal("failures", 0, len(report.Failures))
			w.idle()
		})
	}
}

// TestRewrittenHistory has the history of a blueprint rewritten, so that each tag has another commit: with the same
// content, nothing has changed. Otherwise what the variant says is done. Then the package is upgraded with
// the hotfix of a person.
func TestRewrittenHistory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		newer   bool
		differs bool // what is tagged now
		reason  string
		number  string // of the package
	}{
		"and nothing newer is published":                      {false, false, "", "v2"},
		"and something newer is":                              {true, false, "", "v2"},
		"with another content and nothing newer is published": {false, true, "UpstreamReplaced", "v3"},
		"with another content and something newer is":         {true, true, "BaseNotFound", "v3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := hotfixed(t, web+"  approvalPolicy: Initial\n")
			was := strings.TrimSpace(w.Remote.Git("rev-parse", "blueprints/web/v1"))
			w.People.Update()
			if tt.differs {
				w.People.Commit("Without the secret", map[string]string{"blueprints/web/notes.txt": "no secret\n"})
			} else {
				w.People.Git("commit", "-q", "--allow-empty", "-m", "Without the secret")
			}
			w.People.Git("push", "-q", "-f", "origin", "HEAD:refs/tags/blueprints/web/v1")
			if tt.newer {
				w.secondVersion()
			}
			now := strings.TrimSpace(w.Remote.Git("rev-parse", "blueprints/web/v1"))
			if tt.differs {
				line := w.sync().Variants[0]
				w.Equal("state", tt.reason, line.Reason)
				if want := "set upstreamLock.git.commit to what git rev-parse blueprints/web/v1^0 says"; !strings.Contains(line.Message, want) {
					t.Errorf("%q does not say %q", line.Message, want)
				}
				w.idle()
				w.Push("main", "Name the commit", map[string]string{"edge/web/Kptfile": strings.Replace(
					w.Remote.Git("show", "main:edge/web/Kptfile"), was, now, 1)})
			}
			if !tt.newer {
				w.Equal("named", []string{"web: UpToDate " + tt.number}, lines(w.sync()))
				w.secondVersion()
			}
			w.Equal("upgraded", []string{"web: UpToDate " + tt.number + " edge.web.packagevariant-2"}, lines(w.sync()))
			text := w.Remote.Git("show", draft2+":edge/web/settings.yaml")
			w.Equal("both", []bool{true, true}, []bool{strings.Contains(text, "zone: north"), strings.Contains(text, "size: large")})
			w.idle()
		})
	}
}

// TestUnusableBlueprint publishes a version of a blueprint that is no package, or moves its tag to a commit that has none:
// the variant says so, and its package and its draft stay as they are.
func TestUnusableBlueprint(t *testing.T) {
	t.Parallel()
	const broken = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web\n"
	for name, tt := range map[string]struct {
		do   func(*world)
		want string
	}{
		"its Kptfile is no YAML": {func(w *world) {
			w.Push("main", "Version 2", map[string]string{"blueprints/web/Kptfile": broken}, "HEAD:refs/tags/blueprints/web/v2")
		}, "blueprints/web/Kptfile: yaml: line 2: did not find expected ',' or '}': correct it, and publish that as another version"},
		"its tag was moved": {func(w *world) {
			w.secondVersion()
			w.People.Git("rm", "-rq", "blueprints/web")
			w.People.Git("commit", "-q", "-m", "Elsewhere")
			w.People.Git("push", "-q", "-f", "origin", "HEAD:refs/tags/blueprints/web/v2")
		}, "the tag blueprints/web/v2 is at a commit whose directory blueprints/web has no Kptfile, so it is no package: publish a commit that has one by the tag " +
			"blueprints/web/v3, or put the tag back if it was moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, w := range []*world{newWorld(t, web), published(t, web)} {
				w.sync()
				tt.do(w)
				before := w.trees()
				line := w.sync().Variants[0]
				w.Equal("state", "PackageRefused", line.Reason)
				w.Equal("why", "blueprints.web.v2 is not worked on: "+tt.want, w.said(line.Message))
				w.Equal("drafts", before, w.trees())
				w.idle()
			}
		})
	}
}
