// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// blueprintKptfile is the Kptfile of a blueprint of which kpt makes a package.
const blueprintKptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"

// TestKpt checks that a merge makes of each package what `kpt pkg update` makes of it, except for what testdata/kpt
// lists.
func TestKpt(t *testing.T) {
	t.Parallel()
	tool, err := kpt.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	tool.Env = append(tool.Env, "KPT_CACHE_DIR="+t.TempDir())
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			original := tree.Tree{"Kptfile": blueprintKptfile}
			maps.Copy(original, c.files)
			updated := maps.Clone(original)
			maps.Copy(updated, c.upstream)
			for file, text := range c.upstream {
				if text == "" {
					delete(updated, file)
				}
			}
			b := newBlueprint(t, tool)
			b.commit("v1", original)
			b.commit("v2", updated)
			local, byKpt := b.update(c)
			got, conflicts, err := merging.Merge(original, updated, local,
				merging.Options{OnConflict: merging.TakeUpstream, Upstream: upstreamOf(t, byKpt), UpstreamLock: lockOf(t, byKpt)})
			if err != nil {
				t.Fatal(err)
			}
			expectConflicts(t, name, c.conflicts, conflicts)
			diff, err := tree.Diff(canonical(t, byKpt), canonical(t, got))
			if err != nil {
				t.Fatal(err)
			}
			if diff != "" && c.because == "" {
				t.Errorf("differs from what kpt makes of it, without a reason:\n%s", diff)
			}
			tree.Golden(t, filepath.Join("testdata", "kpt", name+".diff"), diff)
		})
	}
}

// blueprint is a package in a git repository, and a package that kpt makes of it in another.
type blueprint struct {
	t                *testing.T
	tool             kpt.Tool
	upstream, edited string
}

func newBlueprint(t *testing.T, tool kpt.Tool) *blueprint {
	t.Helper()
	b := &blueprint{t: t, tool: tool, upstream: t.TempDir(), edited: t.TempDir()}
	for _, dir := range []string{b.upstream, b.edited} {
		b.run(dir, "git", "init", "--quiet")
	}
	return b
}

// run runs a program that must work.
func (b *blueprint) run(dir, program string, args ...string) {
	b.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@localhost", "GIT_COMMITTER_NAME=test",
		"GIT_COMMITTER_EMAIL=test@localhost")
	cmd.Env = append(cmd.Env, b.tool.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
}

// commit makes files the package of the blueprint under a tag.
func (b *blueprint) commit(tag string, files tree.Tree) {
	b.t.Helper()
	dir := filepath.Join(b.upstream, "web")
	if err := os.RemoveAll(dir); err != nil {
		b.t.Fatal(err)
	}
	if err := files.Write(dir); err != nil {
		b.t.Fatal(err)
	}
	b.run(b.upstream, "git", "add", "--all")
	b.run(b.upstream, "git", "commit", "--quiet", "--message="+tag)
	b.run(b.upstream, "git", "tag", tag)
}

// update returns the package that is made of the first revision and edited, before and after kpt updates it.
func (b *blueprint) update(c change) (local, updated tree.Tree) {
	b.t.Helper()
	b.run(b.edited, b.tool.Path, "pkg", "get", "file://"+b.upstream+"/.git/web@v1", "web")
	dir := filepath.Join(b.edited, "web")
	local = tree.Load(b.t, dir)
	for file, text := range c.edits(local) {
		local[file] = text
		if text == "" {
			delete(local, file)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		b.t.Fatal(err)
	}
	if err := local.Write(dir); err != nil {
		b.t.Fatal(err)
	}
	b.run(b.edited, "git", "add", "--all")
	b.run(b.edited, "git", "commit", "--quiet", "--message=edited")
	b.run(b.edited, b.tool.Path, "pkg", "update", "web@v2")
	return local, tree.Load(b.t, dir)
}
