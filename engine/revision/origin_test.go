// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// located returns a revision without a commit, of a package in a Repository over a directory.
func located(pkg string, number int, directory string) Revision {
	r := rev(pkg, number, "")
	r.Workspace = "main"
	Locate([]Revision{r}, nil) // which knows no place
	all := []Revision{r}
	Locate(all, map[string]Repository{"blueprints": {Address: "https://git.example.com/blueprints/", Directory: directory}})
	return all[0]
}

// TestLockNamesOrigin checks that a lock names a revision by its origin if one of them has no commit, and that the keys
// of a lock find the revision.
func TestLockNamesOrigin(t *testing.T) {
	t.Parallel()
	onTree := func(l Lock, tree string) Lock { l.Tree = tree; return l }
	anew := withCommit(located("web", 3, ""), "c4")
	anew.Tree = "t"
	nowhere := rev("web", 3, "")
	for name, c := range map[string]struct {
		lock     Lock
		rev      Revision
		want     bool
		replaced bool
	}{
		"tag":                          {lock("web", "web/v3", "c3"), located("web", 3, ""), true, false},
		"tag, without a commit":        {lock("web", "web/v3", ""), located("web", 3, ""), true, false},
		"tag in a directory":           {lock("web", "sub/web/v3", "c3"), located("web", 3, "/sub"), true, false},
		"tag in a directory, from kpt": {lock("/sub/web", "sub/web/v3", "c3"), located("web", 3, "sub/"), true, false},
		"tag of another revision":      {lock("web", "web/v2", "c3"), located("web", 3, ""), false, false},
		"tag of another directory":     {lock("web", "web/v3", "c3"), located("web", 3, "sub"), false, false},
		"another package":              {lock("api", "web/v3", "c3"), located("web", 3, ""), false, false},
		"another address": {Lock{Repo: "https://git.example.com/more", Directory: "web", Ref: "web/v3", Commit: "c3"},
			located("web", 3, ""), false, false},
		"the branch":                 {lock("web", "main", "c3"), located("web", -1, ""), true, false},
		"no Repository is known":     {lock("web", "web/v3", "c3"), nowhere, false, false},
		"it has another commit":      {lock("web", "web/v3", "c3"), anew, false, true},
		"and the same content":       {onTree(lock("web", "web/v3", "c3"), "t"), anew, true, false},
		"and another content":        {onTree(lock("web", "web/v3", "c3"), "u"), anew, false, true},
		"another revision's content": {onTree(lock("web", "web/v2", "c3"), "t"), anew, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.lock.Names(&c.rev); got != c.want {
				t.Errorf("it names the revision: %t, want %t", got, c.want)
			}
			if got := c.lock.NamesReplaced(&c.rev); got != c.replaced {
				t.Errorf("it names the one before: %t, want %t", got, c.replaced)
			}
			found := slices.ContainsFunc(c.rev.LockKeys(), func(key string) bool { return slices.Contains(c.lock.Keys(), key) })
			if c.want && !found {
				t.Errorf("an index by %q does not find it by %q", c.lock.Keys(), c.rev.LockKeys())
			}
		})
	}
}

func withCommit(r Revision, commit string) Revision {
	r.Commit = commit
	return r
}

// TestLockPlace checks which number and which directory the ref of a lock stands for.
func TestLockPlace(t *testing.T) {
	t.Parallel()
	type want struct {
		Number int
		Place  string
		Text   string
	}
	for name, c := range map[string]struct {
		lock Lock
		want want
	}{
		"tag":                   {lock("web", "web/v12", "c"), want{12, "/web", "web/v12 at c"}},
		"tag in a directory":    {lock("a/web", "sub/a/web/v3", ""), want{3, "/sub/a/web", "sub/a/web/v3"}},
		"branch":                {lock("/a/web/", "main", "c"), want{0, "/a/web", "main at c"}},
		"branch like a number":  {lock("web", "v3", "c"), want{0, "/web", "v3 at c"}},
		"draft":                 {lock("web", "drafts/web/v3", "c"), want{0, "/web", "drafts/web/v3 at c"}},
		"tag that is no number": {lock("web", "web/vnext", "c"), want{0, "/web", "web/vnext at c"}},
		"tag of no revision":    {lock("web", "web/v0", "c"), want{0, "/web", "web/v0 at c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := want{c.lock.Number(), c.lock.Place(), c.lock.String()}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
