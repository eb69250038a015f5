// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// TestEditedDraftLeft has the manifest of a published package go while a person has committed to its draft, before a sync
// has seen that or after: the branch stays as it is, and that is said once.
func TestEditedDraftLeft(t *testing.T) {
	t.Parallel()
	for name, isSeen := range map[string]bool{"before it was seen": false, "after it was seen": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web+"  deletionPolicy: delete\n")
			w.secondVersion()
			w.sync()
			w.Push(strings.TrimPrefix(draft2, "heads/"), "Edit", map[string]string{"edge/web/mine.yaml": "a: b\n"})
			if isSeen {
				w.sync()
			}
			edited := w.Remote.Refs()["refs/"+draft2]
			w.manifest("web.yaml", "# none\n")
			w.Equal("said", []string{"default/edge.web.packagevariant-2: its branch drafts/edge/web/packagevariant-2 stays, at " +
				edited + ", because people changed it: it belongs to no variant any more, so delete it when nobody needs it"},
				w.sync().Notes)
			w.Equal("what a person wrote", edited, w.Remote.Refs()["refs/"+draft2])
			w.idle()
		})
	}
}

// TestKilledBesideEdits kills a sync after it has announced what it makes of a draft beside a hotfix, or has that be
// refused: the next one does it. What a person wrote stays, nothing is taken back, and a draft that nobody has edited is made again.
func TestKilledBesideEdits(t *testing.T) {
	t.Parallel()
	const killed = `[ $1 = refs/heads/package-variants ] && [ ! -e announced ] && touch announced`
	const refused = `case $1 in refs/heads/drafts/*) exit 1;; esac`
	edit := map[string]string{"edge/web/mine.yaml": "a: b\n"}
	for name, c := range map[string]struct {
		hook    string
		edit    map[string]string
		commits string // of the draft that main has not
	}{
		"edited and killed":    {killed, edit, "3"},
		"edited and refused":   {refused, edit, "3"},
		"unedited and killed":  {killed, nil, "1"},
		"unedited and refused": {refused, nil, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web)
			w.secondVersion()
			w.sync()
			draft := strings.TrimPrefix(draft2, "heads/")
			if c.edit != nil {
				w.Push(draft, "Edit", c.edit)
			}
			w.Push("main", "Hotfix", map[string]string{"edge/web/hot.yaml": "c: d\n"})
			before := w.Remote.Refs()["refs/"+draft2]
			w.Remote.Hook("update", c.hook)
			_, err := Sync(w.Context(), w.options())
			w.Equal("killed", c.hook == killed, err != nil)
			w.Equal("not pushed", before, w.Remote.Refs()["refs/"+draft2])
			w.Remote.Hook("update", "exit 0")
			w.Equal("finished", []string{"web: UpToDate v2 edge.web.packagevariant-2"}, lines(w.sync()))
			w.Equal("commits", c.commits, strings.TrimSpace(w.Remote.Git("rev-list", "--count", "main.."+draft)))
			w.Equal("the hotfix", "c: d\n", w.Remote.Git("show", draft+":edge/web/hot.yaml"))
			for file, text := range c.edit {
				w.Equal(file, text, w.Remote.Git("show", draft+":"+file))
			}
			w.idle()
		})
	}
}

// TestKilledBetweenTags kills a sync after its first push of tags, where a hotfix and an upgrade of the same package are
// to be published: both get their numbers.
func TestKilledBetweenTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.sync()
	w.Push("main", "Hotfix", map[string]string{"edge/web/hot.yaml": "c: d\n"})
	w.secondVersion()
	w.Remote.Hook("post-receive", `grep -q refs/tags/edge/web && touch killed; exit 0`)
	w.Remote.Hook("update", `[ ! -e killed ]`)
	if _, err := Sync(w.Context(), w.options()); err == nil {
		t.Fatal("it was not killed")
	}
	w.Remote.Hook("update", "exit 0")
	w.Equal("finished", []string{"web: UpToDate v3"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1", "tags/edge/web/v2", "tags/edge/web/v3"}, w.Refs())
	w.idle()
}
