// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// TestTagsGone has a person merge the drafts of two packages, of which the tags are refused for a while, or lost later:
// both keep their names, and what is made of them replaces nothing.
func TestTagsGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ refused, lost func(w *world) }{
		"refused": {func(w *world) { w.Remote.Hook("update", `case $1 in refs/tags/edge/*) echo "not yet"; exit 1;; esac`) },
			func(w *world) { w.Remote.Hook("update", "exit 0") }},
		"lost": {func(*world) {}, func(w *world) {
			w.Remote.Git("tag", "-d", "edge/web/v1", "edge/other/v1")
			w.People.Git("tag", "-d", "edge/web/v1", "edge/other/v1")
		}},
		"lost below a hotfix": {func(*world) {}, func(w *world) {
			w.Push("main", "A hotfix", map[string]string{"edge/web/more.yaml": "kind: More\n", "edge/other/more.yaml": "kind: More\n"})
			w.Remote.Git("tag", "-d", "edge/web/v1", "edge/other/v1")
			w.People.Git("tag", "-d", "edge/web/v1", "edge/other/v1")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web+another("other"))
			w.sync()
			tt.refused(w)
			w.Merge(strings.TrimPrefix(draft1, "heads/"))
			w.Merge("drafts/edge/other/packagevariant-1")
			w.Push("main", "Something else", map[string]string{"README.md": "a fleet\n"})
			w.Equal("notes", []string(nil), w.sync().Notes)
			w.secondVersion()
			tt.lost(w)
			w.sync()
			for _, l := range w.sync().Variants {
				w.Equal("draft of "+l.Name, "edge."+l.Name+".packagevariant-2 waits for a person to publish it", l.Message)
			}
			w.idle()
		})
	}
}

// TestTagsRefused has the server refuse tags while there are a hotfix and two versions of the blueprint: no draft is
// pushed that is made of what has no tag, and once tags are taken, all is as if they had never been refused.
func TestTagsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ policy, want, at string }{
		"Manual":    {"Manual", "web: UpToDate v2 edge.web.packagevariant-2", strings.TrimPrefix(draft2, "heads/")},
		"Automatic": {"Automatic", "web: UpToDate v3", "main"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web)
			w.Remote.Hook("update", `case $1 in refs/tags/edge/*) echo "not yet"; exit 1;; esac`)
			w.Push("main", "A hotfix", map[string]string{"edge/web/more.yaml": "kind: More\n",
				"fleet/web.yaml": web + "  approvalPolicy: " + tt.policy + "\n"})
			w.secondVersion()
			w.Equal("refused", "PushRefused", w.sync().Variants[0].Reason)
			w.unchanged("a sync that is refused again", func() {
				w.Equal("again", []string{"edge/web: v2 is to be published (the main branch has changed)"}, happened(w.sync()))
			})
			w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
				"HEAD:refs/tags/blueprints/web/v3")
			report := w.sync()
			w.Equal("refused once more", "PushRefused", report.Variants[0].Reason)
			w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
			w.Remote.Hook("update", "exit 0")
			report = w.sync()
			w.Equal("accepted", []string{tt.want}, lines(report))
			w.Equal("conflicts", "", report.Variants[0].Conflicted)
			w.Equal("both changes", "kind: More\n  size: huge\n",
				w.Remote.Git("grep", "-hE", "size|More", tt.at, "--", "edge/web"))
			w.idle()
		})
	}
}

// TestTagTaken has tags of a file where the next ones are to be, for what a person or the sync merges, and for a hotfix:
// their numbers are taken.
func TestTagTaken(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"Manual", "Automatic"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web+"  approvalPolicy: "+policy+"\n")
			file := strings.TrimSpace(w.Remote.Git("rev-parse", "main:fleet/web.yaml"))
			w.Remote.Git("tag", "edge/web/v1", file)
			if w.sync(); policy == "Manual" {
				w.Merge(strings.TrimPrefix(draft1, "heads/"))
			}
			w.Equal("published", []string{"web: UpToDate v2"}, lines(w.sync()))
			w.Remote.Git("tag", "edge/web/v3", file)
			w.Push("main", "A hotfix", map[string]string{"edge/web/more.yaml": "kind: More\n"})
			w.Equal("hotfix", []string{"web: UpToDate v4"}, lines(w.sync()))
			w.idle()
		})
	}
}

// TestHotfixMeanwhile has a person push a hotfix of the package while the sync publishes its upgrade: the draft is
// made again beside the hotfix, and published.
func TestHotfixMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n"+another("other")+"  approvalPolicy: Automatic\n")
	w.sync()
	w.secondVersion()
	main := strings.TrimSpace(w.Remote.Git("rev-parse", "main"))
	w.Push("main", "A hotfix", map[string]string{"edge/web/more.yaml": "kind: More\n"})
	hotfix := strings.TrimSpace(w.Remote.Git("rev-parse", "main"))
	w.Remote.Git("update-ref", "refs/heads/main", main)
	options := w.options()
	w.Remote.Hook("update", `[ $1 != refs/heads/main ] || [ -e once ] || {
		touch once; unset GIT_QUARANTINE_PATH; git update-ref refs/heads/main `+hotfix+`; }`)
	report, err := Sync(w.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	w.Equal("published", []string{"other: UpToDate v2", "web: UpToDate v3"}, lines(report))
	w.Equal("notes", []string(nil), report.Notes)
	w.Equal("the hotfix", "kind: More\n", w.Remote.Git("show", "edge/web/v3:edge/web/more.yaml"))
	w.idle()
}

// TestRefusedWithBranch has the sync make the branch of a Repository for two packages, and the server refuse the tag of
// one, which waits, or the branch, without which there is neither.
func TestRefusedWithBranch(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string][]string{
		"refs/tags/edge/other/*": {"other: UpToDate  edge.other.packagevariant-1", "web: UpToDate v1"},
		"refs/heads/sites":       {"other: PushRefused", "web: PushRefused"},
	} {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web+"  approvalPolicy: Automatic\n"+another("other")+"  approvalPolicy: Automatic\n")
			w.Push("main", "Have it made", map[string]string{"fleet/repositories.yaml": strings.Replace(strings.ReplaceAll(
				repositories, "ADDRESS", w.Remote.Address()), "branch: main, directory: edge",
				"branch: sites, createBranch: true, directory: edge", 1)})
			w.Remote.Hook("update", "case $1 in "+ref+`) echo "not yet"; exit 1;; esac`)
			report := w.sync()
			w.Equal("refused", want, lines(report)[:2])
			if said := report.Variants[0].Message + strings.Join(report.Failures, ""); !strings.Contains(said, "not yet") {
				t.Error("it does not say what the server said:", said)
			}
			w.unchanged("a sync that is refused again", func() { w.sync() })
			w.Remote.Hook("update", "exit 0")
			w.Equal("accepted", []string{"other: UpToDate v1", "web: UpToDate v1"}, lines(w.sync()))
		})
	}
}
