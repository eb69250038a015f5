// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fault is what a server does at one push or fetch, or at several.
type fault struct{ name, hook, script string }

// faults are those of pushes, by a hook: the server refuses all refs, or one of them, or it applies all and the
// connection breaks before it says so; and those of fetches: it refuses, or it shows a part of what it has, as
// one of several servers does that is behind the others.
var faults = []fault{
	{"all refused", "pre-receive", `exit 1`},
	{"one ref refused", "update", `exit 1`},
	{"lost after it was applied", "post-receive", `kill -9 $PPID`},
	{"not fetched", fetch, `exit 1`},
	{"without the main branch", fetch, `exec git -c transfer.hideRefs=refs/heads/main upload-pack "$1"`},
	{"without tags", fetch, `exec git -c transfer.hideRefs=refs/tags upload-pack "$1"`},
}

// fetch is the hook of a fault that is about fetches.
const fetch = "upload-pack"

// hook has the server run a script at each push or fetch.
func (w *world) hook(name, script string) {
	w.Helper()
	if name == fetch {
		w.Remote.Serve(script + `; exec git-upload-pack "$1"`)
	} else {
		w.Remote.Hook(name, script)
	}
}

// suffer has the server have a fault from the n-th run of its hook on, or at that only. The function that it returns
// ends that, and reports whether it has happened.
func (w *world) suffer(f fault, n int, once bool) (end func() (happened bool)) {
	w.Helper()
	count, test := filepath.Join(w.TempDir(), "count"), "-ge"
	if once {
		test = "="
	}
	w.hook(f.hook, fmt.Sprintf(`echo >> %[1]s; if [ "$(wc -l < %[1]s)" %[2]s %[3]d ]; then touch %[1]s.happened; %[4]s; fi`,
		count, test, n, f.script))
	return func() bool {
		w.hook(f.hook, "true")
		_, err := os.Stat(count + ".happened")
		return err == nil
	}
}

// step is what people do before a sync.
type step struct {
	name string
	do   func(*world)
}

// aLife is the life of a package, by what people do before each sync.
var aLife = []step{
	{"clone", func(*world) {}},
	{"publication", func(w *world) { w.mergeAll() }},
	{"upgrade", (*world).secondVersion},
	{"squash", func(w *world) {
		w.Push("main", "Squash", map[string]string{"edge/web/more.yaml": "kind: More\napiVersion: v1\nmetadata: {name: more}\n"})
		w.mergeAll()
	}},
	{"rename", func(w *world) {
		w.Push("main", "Rename", map[string]string{"fleet/web.yaml": strings.Replace(web, "{name: web}", "{name: other}", 1) +
			"  adoptionPolicy: adoptExisting\n  deletionPolicy: delete\n"})
	}},
	{"removal", func(w *world) { w.Push("main", "Remove", map[string]string{"fleet/web.yaml": "# none\n"}) }},
	{"merged", func(w *world) { w.mergeAll() }},
	{"adoption", func(w *world) {
		w.People.Update()
		w.People.Git("checkout", "-q", "edge/web/v2", "--", "edge/web")
		for _, tag := range w.Remote.Names() {
			if strings.HasPrefix(tag, "refs/tags/edge/") {
				w.Remote.Git("update-ref", "-d", tag)
			}
		}
		w.Push("main", "Take a copy over", map[string]string{"fleet/web.yaml": web + "  adoptionPolicy: adoptExisting\n"})
	}},
}

// mergeAll has a person merge all branches of drafts and removals.
func (w *world) mergeAll() {
	w.Helper()
	for _, ref := range w.Remote.Names() {
		name := strings.TrimPrefix(ref, "refs/heads/")
		if strings.HasPrefix(name, "drafts/") || strings.HasPrefix(name, "removals/") {
			w.Merge(name)
		}
	}
}

// live syncs until nothing is left to do, and returns where the packages are: branches and tags, with what they have of
// them.
func (w *world) live() (state []string) {
	w.Helper()
	for try := range 5 {
		before := w.Remote.Refs()
		if _, err := Sync(w.Context(), w.options()); err != nil {
			continue // it is said, and the next one goes on
		}
		if after := w.Remote.Refs(); try > 0 && cmp.Equal(before, after) {
			break
		}
	}
	return w.packages()
}

// packages returns the branches and tags, with the names and the contents of what they have of packages. A Kptfile has
// commits in it, which are never the same.
func (w *world) packages() (state []string) {
	w.Helper()
	for _, ref := range w.Remote.Names() {
		name := strings.TrimPrefix(ref, "refs/")
		if name == "heads/package-variants" || strings.Contains(name, "blueprints") {
			continue
		}
		state = append(state, name)
		for line := range strings.Lines(w.Remote.Git("ls-tree", "-r", ref, "edge/web")) {
			if !strings.HasSuffix(line, "/Kptfile\n") {
				state = append(state, "  "+strings.TrimSpace(line))
			}
		}
	}
	return state
}

// TestFaults has a server have faults in the life of a package: in the end, all is as if they had not been.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			newWorld(t, web).plays(f, aLife)
		})
	}
}

// plays plays a story while a server has a fault once, at each push of it, and at each fetch from the first round on,
// and a fault of pushes for two syncs, once something was announced: in the end, all has to be as if it had not been.
func (w *world) plays(f fault, story []step) {
	refs, before := filepath.Join(w.Remote.Dir, "refs"), filepath.Join(w.TempDir(), "refs")
	for _, step := range story {
		step.do(w)
		w.copy(before, refs)
		w.live()
		want, o := w.trees(), w.options()
		happens := func(n, syncs int) bool {
			w.copy(refs, before)
			end := w.suffer(f, n, syncs == 1)
			for range syncs {
				_, _ = Sync(w.Context(), o) // that it fails is said
			}
			if !end() {
				return false
			}
			if diff := w.ends(o, want); diff != "" {
				w.Errorf("%s, at %d, in %d syncs (-want +got):\n%s", step.name, n, syncs, diff)
			}
			return true
		}
		first := 1
		if f.hook == fetch {
			first = 3 // those before it are for the memory, and for the default branch
		} else {
			happens(2, 2)
		}
		for happens(first, 1) {
			first++
		}
	}
}

// ends syncs until all is as it is to be, as it is at once most often, and returns what is not.
func (w *world) ends(o Options, want string) (diff string) {
	w.Helper()
	for range 3 {
		_, _ = Sync(w.Context(), o) // that it fails is said
		if diff = cmp.Diff(want, w.trees()); diff == "" {
			break
		}
	}
	return diff
}

// trees returns what branches and tags have, but for those with the state.
func (w *world) trees() string {
	w.Helper()
	return w.Remote.Git("for-each-ref", "--format=%(refname) %(tree)%(*tree)", "refs/tags", "refs/heads/main",
		"refs/heads/drafts", "refs/heads/removals", "refs/heads/reviews")
}

// copy replaces what is in a directory by what is in another one.
func (w *world) copy(to, from string) {
	w.Helper()
	if err := os.RemoveAll(to); err != nil {
		w.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		w.Fatal(err)
	}
}
