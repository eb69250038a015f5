// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// registers has the Repository edge with another line in its manifest.
func (w *world) registers(git string) {
	w.Helper()
	w.Push("main", "Register", map[string]string{"fleet/repositories.yaml": strings.ReplaceAll(
		strings.Replace(repositories, "branch: main, directory: edge", git, 1), "ADDRESS", w.Remote.Address())})
}

// TestAnotherDirectory gives a Repository another directory, in which its package is not: nothing is rejected, and nothing
// made twice, until the package or its draft moves, too, or the manifest is corrected.
func TestAnotherDirectory(t *testing.T) {
	t.Parallel()
	const moved = "the directory of the Repository edge was /edge, and is /sites/ now, where ADDRESS does not have the package " +
		"web: correct it in the manifest, or "
	for name, tt := range map[string]struct {
		begin     func(t *testing.T) *world
		say, have string
		follow    func(w *world)
		want      string
	}{
		"of a first draft": {func(t *testing.T) *world { w := newWorld(t, web); w.sync(); return w },
			"delete drafts/edge/web/packagevariant-1 to have it made there", "web: RepositoryReplaced  edge.web.packagevariant-1",
			func(w *world) { w.Remote.Git("update-ref", "-d", "refs/"+draft1) }, "web: UpToDate  edge.web.packagevariant-2"},
		"of a published package with a draft": {func(t *testing.T) *world { w := published(t, web); w.secondVersion(); w.sync(); return w },
			"move the package on the branch main, too: git mv edge/web sites/web", "web: RepositoryReplaced v1 edge.web.packagevariant-2",
			func(w *world) {
				w.People.Update()
				w.People.Checkout("main")
				w.People.Git("mv", "edge", "sites")
				w.People.Push("Move", nil, "HEAD:refs/heads/main")
			}, "web: UpToDate v1 edge.web.packagevariant-3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := tt.begin(t)
			before := lines(w.sync())
			w.registers("branch: main, directory: sites")
			report := w.sync()
			w.Equal("moved", tt.have, lines(report)[0])
			w.Equal("why", moved+tt.say, w.said(report.Variants[0].Message))
			w.Equal("happened", []string(nil), happened(report))
			w.idle()
			w.registers("branch: main, directory: edge")
			w.Equal("corrected", before, lines(w.sync()))
			w.idle()
			w.registers("branch: main, directory: sites")
			w.sync()
			tt.follow(w)
			left := strings.TrimSpace(w.Remote.Refs()["refs/"+draft2])
			report = w.sync()
			w.Equal("followed", []string{tt.want}, lines(report))
			var notes []string
			if left != "" {
				notes = []string{"default/edge.web.packagevariant-2: its branch drafts/edge/web/packagevariant-2 stays, at " + left +
					", because the package is in another directory now: it belongs to no variant any more, so delete it when nobody needs it"}
			}
			w.Equal("notes", notes, report.Notes)
			w.idle()
		})
	}
}

// TestAnotherBranch gives a Repository a branch that is not there: the variant says which there are.
func TestAnotherBranch(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	before := lines(w.sync())
	w.registers("branch: mian, directory: edge")
	report := w.sync()
	w.Equal("branch", "web: RepositoryReplaced v1", lines(report)[0])
	w.Equal("why", "ADDRESS has no branch mian, on which edge/web was published, but main: correct the branch in the manifest "+
		"of the Repository edge, or restore it", w.said(report.Variants[0].Message))
	w.idle()
	w.registers("branch: main, directory: edge")
	w.Equal("corrected", before, lines(w.sync()))
	w.idle()
}
