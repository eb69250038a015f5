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

// faults are what a server does at one push, by a hook: it refuses all refs, or one of them, or it applies all and the
// connection breaks before it says so. N is the push, or the ref, that the fault is about; it stays once it happened if
// the fault lasts.
var faults = []struct{ name, hook, script string }{
	{"all refused", "pre-receive", `exit 1`},
	{"one ref refused", "update", `exit 1`},
	{"lost after it was applied", "post-receive", `kill -9 $PPID`},
}

// fault has the server have a fault at the n-th run of a hook. The function that it returns reports whether that has
// happened.
func (w *world) fault(hook, script string, n int) (happened func() bool) {
	w.Helper()
	dir := w.TempDir()
	count := filepath.Join(dir, "count")
	w.Remote.Hook(hook, fmt.Sprintf(`echo >> %[1]s; [ "$(wc -l < %[1]s)" = %[2]d ] || exit 0; touch %[1]s.happened; %[3]s`, count, n,
		script))
	return func() bool {
		_, err := os.Stat(count + ".happened")
		return err == nil
	}
}

// aLife is the life of a package, by what people do before each sync.
var aLife = []struct {
	name string
	do   func(*world)
}{
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

// TestFaults has a server have each fault at each push of a story, once: in the end, all is as if it had not been.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web)
			for _, step := range aLife {
				before := t.TempDir()
				w.copy(before, w.Remote.Dir)
				step.do(w)
				want := w.live()
				after := t.TempDir()
				w.copy(after, w.Remote.Dir)
				for n := 1; ; n++ {
					w.copy(w.Remote.Dir, before)
					step.do(w)
					happened := w.fault(f.hook, f.script, n)
					_, _ = Sync(w.Context(), w.options()) // that it fails is said
					w.Remote.Hook(f.hook, "exit 0")
					if !happened() {
						break
					}
					if diff := cmp.Diff(want, w.live()); diff != "" {
						t.Errorf("%s, push %d (-want +got):\n%s", step.name, n, diff)
					}
				}
				w.copy(w.Remote.Dir, after)
			}
		})
	}
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
