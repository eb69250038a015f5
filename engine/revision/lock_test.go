// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"testing"
	"time"
)

// rev returns a revision of a package in the repository blueprints.
func rev(pkg string, number int, commit string) Revision {
	r := Revision{Package: Package{Repo: "blueprints", Name: pkg}, Number: number, Commit: commit}
	switch number {
	case 0:
		r.Lifecycle = Draft
	default:
		r.Lifecycle = Published
	}
	return r
}

// lock returns a lock that was taken in the repository blueprints.
func lock(directory, ref, commit string) Lock {
	return Lock{Repo: "https://git.example.com/blueprints.git", Directory: directory, Ref: ref, Commit: commit}
}

func TestLockNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lock Lock
		rev  Revision
		want bool
	}{
		"commit":                             {lock("web", "web/v3", "c3"), rev("web", 3, "c3"), true},
		"commit of a draft":                  {lock("web", "drafts/web/ws", "c3"), rev("web", 0, "c3"), true},
		"commit of the main branch":          {lock("web", "main", "c3"), rev("web", -1, "c3"), true},
		"commit, tag of another revision":    {lock("web", "web/v2", "c3"), rev("web", 3, "c3"), true},
		"tag on another commit":              {lock("web", "web/v3", "c3"), rev("web", 3, "mirrored"), false},
		"the main branch went on":            {lock("web", "main", "c3"), rev("web", -1, "c4"), false},
		"nested package":                     {lock("a/web", "a/web/v3", "c3"), rev("a/web", 3, "c3"), true},
		"directory with that of its repo":    {lock("blueprints/a/web", "v3", "c3"), rev("a/web", 3, "c3"), true},
		"slashes around":                     {lock("/web/", "web/v3", "c3"), rev("web", 3, "c3"), true},
		"another package":                    {lock("web", "web/v3", "c3"), rev("api", 3, "c3"), false},
		"a package whose name ends the same": {lock("myweb", "myweb/v3", "c3"), rev("web", 3, "c3"), false},
		"package out of a directory":         {lock("web", "web/v3", "c3"), rev("a/web", 3, "c3"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.lock.Names(&c.rev); got != c.want {
				t.Errorf("%+v names %s %d at %s: got %v, want %v", c.lock, c.rev.Package, c.rev.Number, c.rev.Commit, got, c.want)
			}
		})
	}
}

// at returns the position of a revision among others, or -1.
func at(revisions []Revision, found *Revision) int {
	for i := range revisions {
		if found == &revisions[i] {
			return i
		}
	}
	return -1
}

// TestLockOn checks that a lock has the directory from the root of the git repository, and names its revision.
func TestLockOn(t *testing.T) {
	t.Parallel()
	branch := rev("a/web", -1, "c")
	branch.Workspace = "trunk"
	for name, c := range map[string]struct {
		rev       Revision
		directory string
		want      Lock
	}{
		"a revision":                        {rev("web", 3, "c3"), "", lock("web", "web/v3", "c3")},
		"a revision, directory is the root": {rev("web", 3, "c3"), "/", lock("web", "web/v3", "c3")},
		"a revision in a directory": {rev("web", 3, "c3"), "blueprints/prod",
			lock("blueprints/prod/web", "blueprints/prod/web/v3", "c3")},
		"a directory with slashes": {rev("web", 3, "c3"), "/blueprints/", lock("blueprints/web", "blueprints/web/v3", "c3")},
		"a nested package":         {rev("a/web", 12, "c"), "", lock("a/web", "a/web/v12", "c")},
		"the branch":               {branch, "blueprints", lock("blueprints/a/web", "trunk", "c")},
		"what is to be deleted":    {deletionProposed(rev("web", 3, "c3")), "", lock("web", "web/v3", "c3")},
	} {
		got := *LockOn(&c.rev, c.want.Repo, c.directory)
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if !got.Names(&c.rev) {
			t.Errorf("%s: it does not name the revision", name)
		}
		if got.OnBranch() != c.rev.Main() {
			t.Errorf("%s: it is on a branch: %v", name, got.OnBranch())
		}
	}
}

func TestLockFind(t *testing.T) {
	t.Parallel()
	l := lock("web", "web/v3", "c3")
	for name, c := range map[string]struct {
		revisions []Revision
		want      int
	}{
		"none":                         {nil, -1},
		"no match":                     {[]Revision{rev("web", 2, "c2"), rev("api", 3, "c3")}, -1},
		"by commit":                    {[]Revision{rev("web", 2, "c2"), rev("web", 3, "c3"), rev("web", 4, "c4")}, 1},
		"not by number":                {[]Revision{rev("web", 3, "mirrored")}, -1},
		"numbered before main":         {[]Revision{rev("web", 3, "c3"), rev("web", -1, "c3")}, 0},
		"numbered before main, turned": {[]Revision{rev("web", -1, "c3"), rev("web", 3, "c3")}, 1},
		"main if there is no other":    {[]Revision{rev("web", -1, "c3"), rev("web", 2, "c2")}, 0},
		"no draft":                     {[]Revision{rev("web", 0, "c3")}, -1},
		"what is to be deleted":        {[]Revision{deletionProposed(rev("web", 3, "c3"))}, 0},
	} {
		if got := at(c.revisions, l.Find(c.revisions)); got != c.want {
			t.Errorf("%s: got the revision at %d, want %d", name, got, c.want)
		}
	}
}

func TestLockFindOnBranch(t *testing.T) {
	t.Parallel()
	published := func(number int, second int64) Revision {
		r := rev("web", number, "c")
		r.PublishedAt = time.Unix(second, 0)
		return r
	}
	inOrder := []Revision{published(1, 10), published(2, 20), published(10, 30), published(3, 25)}
	for name, c := range map[string]struct {
		lock      Lock
		revisions []Revision
		second    int64
		want      int
	}{
		"none":                       {lock("web", "main", "c"), nil, 99, -1},
		"before the first":           {lock("web", "main", "c"), inOrder, 9, -1},
		"at the very time":           {lock("web", "main", "c"), inOrder, 10, 0},
		"between":                    {lock("web", "main", "c"), inOrder, 24, 1},
		"the newest by its number":   {lock("web", "main", "c"), inOrder, 99, 2},
		"on a tag":                   {lock("web", "web/v1", "c"), inOrder, 99, -1},
		"on a tag in a directory":    {lock("web", "prod/web/v1", "c"), inOrder, 99, -1},
		"on a branch with a slash":   {lock("web", "release/web", "c"), inOrder, 99, 2},
		"on a draft":                 {lock("web", "drafts/web/v1", "c"), inOrder, 99, -1},
		"on a proposed one":          {lock("web", "proposed/web/v1", "c"), inOrder, 99, -1},
		"of another package":         {lock("api", "main", "c"), inOrder, 99, -1},
		"in the repo's directory":    {lock("blueprints/web", "main", "c"), inOrder, 24, 1},
		"not the main branch itself": {lock("web", "main", "c"), []Revision{published(-1, 10)}, 99, -1},
		"no draft":                   {lock("web", "main", "c"), []Revision{published(0, 10)}, 99, -1},
		"what is to be deleted":      {lock("web", "main", "c"), []Revision{deletionProposed(published(1, 10))}, 99, 0},
	} {
		if got := at(c.revisions, c.lock.FindOnBranch(c.revisions, time.Unix(c.second, 0))); got != c.want {
			t.Errorf("%s: got the revision at %d, want %d", name, got, c.want)
		}
	}
}

func TestLockOf(t *testing.T) {
	t.Parallel()
	l := lock("web", "web/v3", "c3")
	for address, want := range map[string]bool{
		"https://git.example.com/blueprints.git":  true,
		"https://git.example.com/blueprints":      true,
		"https://git.example.com/blueprints/":     true,
		"https://git.example.com/blueprints.git/": true,
		"https://git.example.com/edge.git":        false,
		"https://git.example.com/Blueprints.git":  false,
		"":                                        false,
	} {
		if got := l.Of(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

func deletionProposed(r Revision) Revision {
	r.Lifecycle = DeletionProposed
	return r
}
