// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// TestTagOfSomethingElse has a person move the tag of what is published, or give the next one to something old: what is
// on the main branch is published, and the next draft takes nothing of it back.
func TestTagOfSomethingElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ manifest, tag, published string }{
		"moved":   {web, "edge/web/v2", "v3"},
		"made":    {web, "edge/web/v3", "v4"},
		"adopted": {web + "  adoptionPolicy: adoptExisting\n", "edge/web/v3", "v4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, tt.manifest)
			w.hotfix("north")
			w.sync()
			w.Remote.Git("tag", "-f", tt.tag, "edge/web/v1^{}")
			w.Equal("published", []string{"edge/web: " + tt.published + " published (a tag has something else than the main branch)"},
				happened(w.sync()))
			w.idle()
			w.secondVersion()
			w.Equal("second version", []string{"web: UpToDate " + tt.published + " edge.web.packagevariant-2"}, lines(w.sync()))
			_, values, _ := strings.Cut(w.Remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/settings.yaml"), "data:\n")
			w.Equal("the draft", "  size: large\n  a: a\n  b: b\n  c: c\n  zone: north\n", values)
			w.idle()
		})
	}
}

// TestRepaired has a person break the Kptfile on the main branch, and take that back when there is another version of the
// blueprint: that rejects nothing.
func TestRepaired(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.Push("main", "Break it", map[string]string{"edge/web/Kptfile": "\n"})
	w.secondVersion()
	w.Equal("broken", "web: PackageRefused v2", lines(w.sync())[0])
	w.idle()
	w.People.Update()
	w.People.Git("checkout", "-q", "edge/web/v1", "--", "edge/web/Kptfile")
	w.People.Push("Repair it", nil, "HEAD:refs/heads/main")
	w.Equal("repaired", []string{"web: UpToDate v3 edge.web.packagevariant-2"}, lines(w.sync()))
	w.idle()
}

// TestWithoutKptfile has a person remove the Kptfile alone, and change a file beside it: they are told of the Kptfile.
func TestWithoutKptfile(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.hotfix("north")
	w.People.Git("rm", "-q", "edge/web/Kptfile")
	w.People.Push("Remove it", nil, "HEAD:refs/heads/main")
	report := w.sync()
	w.Equal("removed", []string{"web: LeftToPeople v1"}, lines(report))
	w.Equal("what to do", "edge/web/Kptfile is not on the branch main of ADDRESS any more, and is not made again: to have it back, "+
		"git checkout edge/web/v1 -- edge/web/Kptfile, and commit that; if it is to stay away, take the variant out of the manifests",
		w.said(report.Variants[0].Message))
	w.People.Git("checkout", "-q", "edge/web/v1", "--", "edge/web/Kptfile")
	w.People.Push("Restore it", nil, "HEAD:refs/heads/main")
	w.Equal("restored", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.keeps("restored", "north")
	w.idle()
}
