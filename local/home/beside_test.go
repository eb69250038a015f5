// SPDX-License-Identifier: Apache-2.0

package home

import (
	"os"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// add has people add programs and symbolic links, which are given with where they lead to, and commit all that changed.
func add(people *gittest.Clone, programs []string, links map[string]string) {
	people.Git("add", "-A")
	for _, name := range programs {
		people.Git("update-index", "--chmod=+x", name)
	}
	for name, to := range links {
		_ = os.Remove(people.Dir + "/" + name)
		if err := os.Symlink(to, people.Dir+"/"+name); err != nil {
			panic(err)
		}
		people.Git("add", name)
	}
	people.Git("commit", "-q", "-m", "More")
}

// modes returns the modes of the entries of a directory in a commit.
func (w *world) modes(remote, at string) (modes []string) {
	for line := range strings.Lines(w.remotes[remote].Git("ls-tree", at)) {
		fields := strings.Fields(line)
		modes = append(modes, fields[0]+" "+fields[3])
	}
	return modes
}

// TestModes keeps what files are beside their texts: programs, and links.
func TestModes(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	people := w.people("blueprints")
	people.Commit("Write", map[string]string{"web/run.sh": "#!/bin/sh\n"})
	add(people, []string{"web/run.sh"}, map[string]string{"web/link": "settings.yaml"})
	people.Git("push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/web/v2")
	w.round(w.home)
	w.draft(w.home, edge("web"), "blueprints.web.v2")
	w.push(w.home)
	wantEqual(t, []string{"100644 Kptfile", "120000 link", "100644 package-context.yaml", "100755 run.sh",
		"100644 settings.yaml"}, w.modes("edge", "drafts/web/packagevariant-1:web"))
}

// TestModesOfUpgrade has an upstream change what files are beside their texts: where nobody changed that, it arrives; a
// link that both sides changed stays as it is here, and the draft is left to a person.
func TestModesOfUpgrade(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]bool{"of a published package": false, "of an open draft": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modesOfUpgrade(t, open)
		})
	}
}

func modesOfUpgrade(t *testing.T, open bool) {
	t.Helper()
	w := begun(t, nil)
	people := w.people("blueprints")
	people.Commit("Write", map[string]string{"web/run.sh": "#!/bin/sh\n", "web/ours.sh": "#!/bin/sh\n", "web/to-link": "a"})
	add(people, nil, map[string]string{"web/goes": "a", "web/to-file": "a", "web/both": "a", "web/moves": "a", "web/mine": "a"})
	people.Git("push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/web/v2")
	w.round(w.home)
	name := w.draft(w.home, edge("web"), "blueprints.web.v2")
	w.push(w.home)
	sites := w.people("edge")
	sites.Checkout("drafts/web/packagevariant-1")
	add(sites, []string{"web/ours.sh"}, map[string]string{"web/both": "b", "web/mine": "b"})
	sites.Git("push", "-q", "origin", "HEAD:refs/heads/drafts/web/packagevariant-1")
	w.round(w.home)
	if !open {
		w.approve(w.home, name)
		w.push(w.home)
	}
	people = w.people("blueprints")
	people.Git("rm", "-q", "web/goes", "web/to-file", "web/both", "web/to-link")
	after := map[string]string{"web/new.sh": "#!/bin/sh\n", "web/both": "theirs", "web/to-file": "theirs"}
	people.Commit("Write", after)
	add(people, []string{"web/new.sh", "web/run.sh"}, map[string]string{"web/new": "a", "web/moves": "c", "web/to-link": "c"})
	people.Git("push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/web/v3")

	w.round(w.home)
	if !open {
		r, err := w.home.Ask(w.Context(), packages.Draft{Namespace: namespace, Package: edge("web"), Workspace: "packagevariant-2",
			Owner: revision.Owner{Name: "web", UID: "1"}, Task: revision.Task{Type: revision.Upgrade, Source: "blueprints.web.v3",
				Base: "blueprints.web.v2", Local: name}})
		if err != nil {
			t.Fatal(err)
		}
		name = r.Name
	}
	w.mergeAsEngine(name, after)
	branch := "drafts/web/" + strings.TrimPrefix(name, "edge.web.")
	wantEqual(t, []string{"100644 Kptfile", "120000 both", "120000 mine", "120000 moves", "120000 new", "100755 new.sh",
		"100755 ours.sh", "100644 package-context.yaml", "100755 run.sh", "100644 settings.yaml", "100644 to-file",
		"120000 to-link"}, w.modes("edge", branch+":web"))
	for link, to := range map[string]string{"both": "b", "mine": "b", "moves": "c"} {
		wantEqual(t, to, w.remotes["edge"].Git("show", branch+":web/"+link))
	}
	f, err := w.home.Get(w.Context(), namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	const why = "the package and its upstream both changed a symbolic link (both), and it has the package's: look at the " +
		"upstream's, and merge it"
	wantEqual(t, why, f.LeftToPeople)
	if log := w.remotes["edge"].Git("log", "-1", "--format=%B", branch); !strings.Contains(log, why) {
		t.Error(log)
	}
}

// mergeAsEngine saves a draft with the files that version 3 of the upstream has, and pushes it.
func (w *world) mergeAsEngine(name string, after map[string]string) {
	w.Helper()
	read, err := w.home.Read(w.Context(), namespace, name)
	if err != nil {
		w.Fatal(err)
	}
	for file, text := range after {
		read.Files[strings.TrimPrefix(file, "web/")] = text
	}
	delete(read.Files, "to-link")
	upstream, err := w.home.Get(w.Context(), namespace, "blueprints.web.v3")
	if err != nil {
		w.Fatal(err)
	}
	if read.Files[kptfile], err = kpt.Lock(read.Files[kptfile], upstream.Origin); err != nil {
		w.Fatal(err)
	}
	saved, err := w.home.Save(w.Context(), read, read.Files)
	if err != nil {
		w.Fatal(err)
	}
	now, err := w.home.Read(w.Context(), namespace, name)
	if err != nil {
		w.Fatal(err)
	}
	wantEqual(w, now.Files, saved.Files)
	w.push(w.home)
}
