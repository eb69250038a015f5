// SPDX-License-Identifier: Apache-2.0

package home

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/ledger"
)

// hostile makes the trees of a package that git itself would not make.
type hostile struct {
	*gittest.Remote
	kptfile, file string
}

func (w *world) hostile() *hostile {
	r := w.remotes["blueprints"]
	return &hostile{r, r.Object("blob", webFiles["Kptfile"]), r.Object("blob", "a: b\n")}
}

// with returns a package with an entry that has a mode and a hash.
func (p *hostile) with(mode, name, hash string) string {
	return p.Tree(gittest.Entry{Mode: git.File, Name: "Kptfile", Hash: p.kptfile}, gittest.Entry{Mode: mode, Name: name, Hash: hash})
}

// named returns a package with a file of a name.
func (p *hostile) named(name string) string { return p.with(git.File, name, p.file) }

// made returns a package with a file of a name, of which git itself makes the tree.
func (p *hostile) made(name string) string {
	return strings.TrimSpace(p.GitWith(fmt.Sprintf("100644 blob %s\tKptfile\n100644 blob %s\t%s\n", p.kptfile, p.file, name),
		"mktree"))
}

// text returns a package with a file of a text.
func (p *hostile) text(name, text string) string {
	return p.with(git.File, name, p.Object("blob", text))
}

// link returns a package with a symbolic link at dir/link, and one at dir/up to where the package begins.
func (p *hostile) link(to string) string {
	return p.with(git.Directory, "dir", p.Tree(gittest.Entry{Mode: git.Link, Name: "link", Hash: p.Object("blob", to)},
		gittest.Entry{Mode: git.Link, Name: "up", Hash: p.Object("blob", "..")}))
}

// many returns a directory with the same entry under many names.
func (p *hostile) many(n int, mode, hash string) string {
	entries := make([]gittest.Entry, n)
	for i := range entries {
		entries[i] = gittest.Entry{Mode: mode, Name: fmt.Sprintf("%06d", i), Hash: hash}
	}
	return p.Tree(entries...)
}

// bomb returns a directory that has the same directory below it ten times, ten levels deep.
func (p *hostile) bomb(innermost string) string {
	for range 10 {
		innermost = p.many(10, git.Directory, innermost)
	}
	return innermost
}

// publish gives a commit with a package a tag.
func (p *hostile) publish(name string, version int, tree string) {
	commit := p.CommitTree(p.Tree(gittest.Entry{Mode: git.Directory, Name: name, Hash: tree}))
	p.Git("update-ref", fmt.Sprintf("refs/tags/%s/v%d", name, version), commit)
}

// TestRefused reads packages with what a package may not have: the error names the path and says what to do.
func TestRefused(t *testing.T) {
	t.Parallel()
	const out = ", or take it out of the package"
	const smaller = ": make it smaller, or split it"
	const link, leads = "dir/link is a symbolic link to ", ": make it lead to a file of the package" + out
	kept := func(name string) string {
		return fmt.Sprintf("%q has a name that git keeps for itself: rename it", name) + out
	}
	const lfs = "logo.png is a pointer of Git LFS, and the file is elsewhere: commit the file itself" + out
	w := begun(t, nil)
	p, version := w.hostile(), map[string]int{}
	wide := p.many(300_000, git.File, p.file)
	cases := map[string]struct {
		tree func(p *hostile) string
		want string
	}{
		"a dot": {func(p *hostile) string { return p.named(".") }, `"." has the name of a directory above it: rename it` + out},
		"two dots": {func(p *hostile) string {
			return p.with(git.Directory, "..", p.with(git.Directory, "edge", p.many(1, git.File, p.file)))
		}, `".." has the name of a directory above it: rename it` + out},
		"a slash":          {func(p *hostile) string { return p.named("../../edge/x") }, `"../../edge/x" has a slash, a backslash or a NUL in its name: rename it` + out},
		"an absolute path": {func(p *hostile) string { return p.named("/etc/passwd") }, `"/etc/passwd" has a slash, a backslash or a NUL in its name: rename it` + out},
		"a drive":          {func(p *hostile) string { return p.named("C:x") }, `"C:x" is the path of a file, which is an absolute path: files of a package have paths that begin at its directory`},
		"a backslash":      {func(p *hostile) string { return p.made(`a\..\b`) }, `"a\\..\\b" has a slash, a backslash or a NUL in its name: rename it` + out},
		"a device":         {func(p *hostile) string { return p.made("Nul.yaml") }, `"Nul.yaml" has the name of a device of Windows, which no file can have there: rename it` + out},
		"a device above":   {func(p *hostile) string { return p.with(git.Directory, "aux", p.many(1, git.File, p.file)) }, `"aux" has the name of a device of Windows, which no file can have there: rename it` + out},
		".git":             {func(p *hostile) string { return p.with(git.Directory, ".git", p.many(1, git.File, p.file)) }, kept(".git")},
		".git below":       {func(p *hostile) string { return p.with(git.Directory, "a", p.with(git.File, ".GIT", p.file)) }, kept("a/.GIT")},
		".git, a link":     {func(p *hostile) string { return p.with(git.Link, ".git", p.file) }, kept(".git")},
		".git on Windows":  {func(p *hostile) string { return p.named("GIT~1") }, kept("GIT~1")},
		".git with a dot":  {func(p *hostile) string { return p.named(".git. ") }, kept(".git. ")},
		".git on a Mac":    {func(p *hostile) string { return p.named(".g\u200cit") }, `".g\u200cit" has a name that git keeps for itself: rename it` + out},
		"a control of a terminal": {func(p *hostile) string { return p.named("a\u009bb") },
			`"a\u009bb" is the path of a file, which has control characters in it: rename the file`},
		"a line feed":         {func(p *hostile) string { return p.named("a\nb") }, `"a\nb" is the path of a file, which has control characters in it: rename the file`},
		"a name of bytes":     {func(p *hostile) string { return p.named("\xff") }, `"\xff" is the path of a file, and not in UTF-8: rename the file`},
		"a long name":         {func(p *hostile) string { return p.named(strings.Repeat("x", 5000)) }, `"` + strings.Repeat("x", 100) + `"... is the path of a file, has 5000 bytes, and may have 4096: rename it`},
		"a name twice":        {func(p *hostile) string { return p.named("Kptfile") }, "Kptfile is there twice: take one of them out of the package"},
		"a file and a tree":   {func(p *hostile) string { return p.with(git.Directory, "Kptfile", p.many(1, git.File, p.file)) }, "Kptfile is there twice: take one of them out of the package"},
		"an odd mode":         {func(p *hostile) string { return p.with("140000", "socket", p.file) }, "socket has the mode 140000, which is not that of a file: commit it again" + out},
		"a submodule":         {func(p *hostile) string { return p.with(git.Module, "sub", strings.Repeat("1", 40)) }, "sub is a submodule, and its files are in another git repository: commit the files themselves" + out},
		"a link out":          {func(p *hostile) string { return p.link("../../other/x") }, link + `"../../other/x", which leads out of the package` + leads},
		"a link out, slowly":  {func(p *hostile) string { return p.link("a/./../..//../x") }, link + `"a/./../..//../x", which leads out of the package` + leads},
		"a link by a link":    {func(p *hostile) string { return p.link("up/../x") }, link + `"up/../x", which leads out of the package` + leads},
		"a link with a drive": {func(p *hostile) string { return p.link(`c:\x`) }, link + `"c:\\x", which is an absolute path` + leads},
		"an absolute link":    {func(p *hostile) string { return p.link("/etc/passwd") }, link + `"/etc/passwd", which is an absolute path` + leads},
		"an empty link":       {func(p *hostile) string { return p.link("") }, link + `"", which is no path` + leads},
		"a long link":         {func(p *hostile) string { return p.link(strings.Repeat("x", 5000)) }, link + "a path of 5000 bytes, and it may have 4096" + leads},
		"links inside":        {func(p *hostile) string { return p.link("../dir/up/Kptfile") }, ""},
		"old modes":           {func(p *hostile) string { return p.with("040000", "a", p.with("100775", "run.sh", p.file)) }, ""},
		"a picture":           {func(p *hostile) string { return p.text("logo.png", "\x89PNG") }, "logo.png is not text in UTF-8: convert it" + out},
		"LFS": {func(p *hostile) string {
			return p.text("logo.png", "version https://git-lfs.github.com/spec/v1\noid sha256:7\nsize 1\n")
		}, lfs},
		"an older LFS": {func(p *hostile) string { return p.text("logo.png", "version https://hawser.github.com/spec/v1\n") }, lfs},
		"of LFS": {func(p *hostile) string {
			return p.text("README.md", "About version https://git-lfs.github.com/spec/v1\n")
		}, ""},
		"a large file": {func(p *hostile) string { return p.text("big.txt", strings.Repeat("x", bounds.PackageBytes+1)) }, "big.txt has 6291457 bytes, and may have 6291456" + smaller},
		"a large Kptfile": {func(p *hostile) string {
			return p.with(git.Directory, "sub", p.many(1, git.Directory, p.Tree(gittest.Entry{Mode: git.File, Name: "Kptfile", Hash: p.Object("blob", strings.Repeat("#", 600_000))})))
		},
			"sub/000000/Kptfile has 600000 bytes, and may have 524288" + smaller},
		"one file many times": {func(p *hostile) string {
			return p.with(git.Directory, "a", p.many(8, git.File, p.Object("blob", strings.Repeat("x", 1<<20))))
		}, "the package has 8388738 bytes, and may have 6291456" + smaller},
		"many files": {func(p *hostile) string { return p.with(git.Directory, "a", p.many(2_000, git.File, p.file)) }, "the package has more than 2000 files" + smaller},
		"many directories": {func(p *hostile) string {
			return p.with(git.Directory, "a", p.many(2_000, git.Directory, p.many(0, "", "")))
		}, "the package has more than 2000 directories" + smaller},
		"a bomb of files":   {func(p *hostile) string { return p.with(git.Directory, "a", p.bomb(p.many(10, git.File, p.file))) }, "the package has more than 2000 files" + smaller},
		"a bomb of nothing": {func(p *hostile) string { return p.with(git.Directory, "a", p.bomb(p.many(0, "", ""))) }, "the package has more than 2000 directories" + smaller},
		"a large directory": {func(p *hostile) string { return p.with(git.Directory, "a", wide) },
			"the directory a: the object TREE is a tree of 10200000 bytes, and may have 8388608: spread the entries of the directory over several"},
	}
	for name, c := range cases {
		version[name] = len(version) + 1
		p.publish("evil", version[name], c.tree(p))
	}
	w.round(w.home)
	for name, c := range cases {
		got := w.refusal(fmt.Sprintf("blueprints.evil.v%d", version[name]))
		t.Run(name, func(t *testing.T) { wantEqual(t, strings.ReplaceAll(c.want, "TREE", wide), got) })
	}
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
}

// refusal returns why a revision is not read; "" if it is.
func (w *world) refusal(name string) string {
	w.Helper()
	_, err := w.home.Read(w.Context(), namespace, name)
	if err == nil {
		return ""
	}
	if condition, ok := packages.ConditionOf(err); !ok || condition.Message != krm.Visible(name+" is not worked on: "+err.Error()) {
		w.Errorf("the condition of %v is %v", err, condition)
	}
	return err.Error()
}

// TestUnreadRevisions has refs and Kptfiles that are not read beside good ones: what is known of them is listed, reading
// one says why, and everything else goes on.
func TestUnreadRevisions(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	p := w.hostile()
	p.publish("evil", 1, p.Tree(gittest.Entry{Mode: git.File, Name: "Kptfile", Hash: p.Object("blob", strings.Repeat("#", 600_000))}))
	p.publish("evil", 2, p.Tree(gittest.Entry{Mode: git.Directory, Name: "Kptfile", Hash: p.many(1, git.File, p.file)}))
	header := "tree " + strings.TrimSpace(p.Git("rev-parse", "main:")) + "\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\n"
	long := p.Object("commit", header+strings.Repeat("x", bounds.GitBytes))
	for _, ref := range []string{"refs/tags/evil/v3", "refs/heads/drafts/evil/odd", "refs/heads/removals/web"} {
		p.Git("update-ref", ref, long)
	}
	w.round(w.home)
	if _, err := w.home.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, 0, len(w.home.Removals()))
	wantEqual(t, []string{"blueprints.evil.odd Draft", "blueprints.evil.v1 Published", "blueprints.evil.v2 Published",
		"blueprints.evil.v3 Published", "blueprints.web.main Published", "blueprints.web.v1 DeletionProposed"}, w.found(packages.All, ""))
	const isLong = "is a commit of 8388704 bytes, and may have 8388608: shorten its message"
	for name, want := range map[string]string{
		"evil.v1":  "Kptfile has 600000 bytes, and may have 524288: make it smaller, or split it",
		"evil.v2":  "the tag evil/v2 is at a commit whose directory evil has no Kptfile, so it is no package: publish a commit that has one by the tag evil/v4, or put the tag back if it was moved",
		"evil.v3":  "refs/tags/evil/v3: the object " + long + " " + isLong,
		"evil.odd": "refs/heads/drafts/evil/odd: the object " + long + " " + isLong,
		"web.v1":   "",
	} {
		wantEqual(t, want, w.refusal("blueprints."+name))
	}
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
}

// TestNoDirectory has revisions in which something else than a directory is at the place of the package: each says what
// that is, and everything else of the git repository goes on.
func TestNoDirectory(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	p := w.hostile()
	tree := func(entries ...gittest.Entry) string { return p.Tree(entries...) }
	link := func(name, to string) gittest.Entry {
		return gittest.Entry{Mode: git.Link, Name: name, Hash: p.Object("blob", to)}
	}
	const isLink = " is a symbolic link, so the package is "
	const instead = ": name that one, or commit its files in place of the link"
	for name, tt := range map[string]struct{ tree, want string }{
		"link":       {tree(link("link", "shared/web")), "link" + isLink + "shared/web" + instead},
		"up/link":    {tree(gittest.Entry{Mode: git.Directory, Name: "up", Hash: tree(link("link", "../shared/web"))}), "up/link" + isLink + "shared/web" + instead},
		"above/web":  {tree(link("above", "shared")), "above" + isLink + "shared/web" + instead},
		"out":        {tree(link("out", "/etc")), "out" + isLink + "/etc" + instead},
		"module":     {tree(gittest.Entry{Mode: git.Module, Name: "module", Hash: strings.Repeat("1", 40)}), "module is a submodule, and its files are in another git repository: commit the files themselves"},
		"module/web": {tree(gittest.Entry{Mode: git.Module, Name: "module", Hash: strings.Repeat("1", 40)}), "module is a submodule, and its files are in another git repository: commit the files themselves"},
		"file":       {tree(gittest.Entry{Mode: git.File, Name: "file", Hash: p.file}), "file is a file, and no directory: commit a package there"},
	} {
		p.Git("update-ref", "refs/tags/"+name+"/v2", p.CommitTree(tt.tree))
		w.round(w.home)
		wantEqual(t, tt.want, w.refusal("blueprints."+strings.ReplaceAll(name, "/", ".")+".v2"))
	}
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
}

// TestUnreadRepository has branches that are not read: of their git repository nothing is found, and each call for it
// says why; the other ones go on.
func TestUnreadRepository(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		root func(p *hostile) string
		ref  string
		want string
	}{
		"a large root": {func(p *hostile) string { return p.many(300_000, git.File, p.file) }, "refs/heads/removals/north/web", ""},
		"a bomb": {func(p *hostile) string {
			return p.Tree(gittest.Entry{Mode: git.Directory, Name: "north", Hash: p.bomb(p.named("x"))})
		}, "refs/heads/drafts/north/web/one", "the branch main: the object COMMIT has more than 2000000 files and directories: remove " +
			"those that are not needed, or move the packages to a git repository of their own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, map[string]string{"north": "sites"})
			before := w.remotes["sites"].Clone()
			before.Push("Begin", map[string]string{"README.md": "sites\n"}, "HEAD:refs/heads/main")
			p := &hostile{Remote: w.remotes["sites"]}
			p.kptfile, p.file = p.Object("blob", webFiles["Kptfile"]), p.Object("blob", "a: b\n")
			commit := p.CommitTree(c.root(p))
			p.Git("update-ref", "refs/heads/main", commit)
			p.Git("update-ref", c.ref, commit)
			w.round(w.home)
			settled, err := w.home.Settle(t.Context())
			wantEqual(t, nil, err)
			wantEqual(t, &Settled{Replaced: map[ledger.Key]string{}}, settled)
			wantEqual(t, []string{"blueprints.web.main Published", "blueprints.web.v1 Published"}, w.found(packages.All, ""))
			_, err = w.home.Find(t.Context(), namespace, packages.ByPackage, "north/web")
			want := "<nil>" // nothing in the root is read
			if c.want != "" {
				want = "Repository north: " + strings.ReplaceAll(c.want, "COMMIT", commit)
			}
			wantEqual(t, want, fmt.Sprint(err))
			w.draft(w.home, edge("web"), "blueprints.web.v1")
			wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
		})
	}
}

// TestHistoryOfBomb follows a branch to which a directory came that nobody can walk through: only what is asked for is
// looked at.
func TestHistoryOfBomb(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	p := w.hostile()
	web := strings.TrimSpace(p.Git("rev-parse", "main:web"))
	root := p.Tree(gittest.Entry{Mode: git.Directory, Name: "bomb", Hash: p.bomb(p.named("x"))}, gittest.Entry{Mode: git.Directory, Name: "web", Hash: web})
	commit := strings.TrimSpace(p.Git("commit-tree", "-m", "Bomb", "-p", "main", root))
	p.Git("update-ref", "refs/heads/main", commit)
	w.round(w.home)
	var got []bool
	err := w.home.repositories[key{namespace, "blueprints"}].history(git.Hash(commit), func(_ git.Hash, changes changed) (bool, error) {
		for _, dir := range []string{"web", "bomb", "bomb/000001/000009", "bomb/none", "none", "web/none"} {
			is, err := changes(dir)
			if err != nil {
				return false, err
			}
			got = append(got, is)
		}
		return false, nil
	})
	wantEqual(t, nil, err)
	wantEqual(t, []bool{false, true, true, false, false, false}, got)
}

// TestSaveRefused saves files that no package may have.
func TestSaveRefused(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	name := w.draft(w.home, edge("web"), "blueprints.web.v1")
	for _, c := range []struct{ file, text, want string }{
		{"a/.git/config", "x", `"a/.git/config" has a name that git keeps for itself: rename it, or take it out of the package`},
		{"../x", "x", `"../x" has the name of a directory above it: rename it, or take it out of the package`},
		{"/x", "x", `"/x" has no name: give it one, or take it out of the package`},
		{"x\ny", "x", `"x\ny" is the path of a file, which has control characters in it: rename the file`},
		{"settings.yaml/x", "x", "settings.yaml is a file and a directory: rename one of them"},
		{"logo.png", pointers[0] + "v1\n", "logo.png is a pointer of Git LFS, and the file is elsewhere: commit the file itself, or take it out of the package"},
		{"big", strings.Repeat("x", bounds.PackageBytes), "the package has 6292439 bytes, and may have 6291456: make it smaller, or split it"},
		{"Kptfile", "kind: None\n", "a package has a Kptfile at its root, with kind: Kptfile"},
	} {
		read, err := w.home.Read(t.Context(), namespace, name)
		if err != nil {
			t.Fatal(err)
		}
		read.Files[c.file] = c.text
		_, err = w.home.Save(t.Context(), read, read.Files)
		wantEqual(t, c.want, fmt.Sprint(err))
		condition, _ := packages.ConditionOf(err)
		wantEqual(t, krm.Visible(name+" is not worked on: "+c.want), condition.Message)
	}
}

// TestPutLinks writes no link that leads out of the package, whichever package it came from.
func TestPutLinks(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	_, err := w.home.repositories[key{namespace, "edge"}].put(webFiles, &files{links: map[string]string{"in": "a/..", "out": "in/../x"}})
	wantEqual(t, `out is a symbolic link to "in/../x", which leads out of the package: make it lead to a file of the package, or `+
		"take it out of the package", fmt.Sprint(err))
}

// TestContents keeps the packages that were read last, up to a number of bytes.
func TestContents(t *testing.T) {
	t.Parallel()
	kept := newContents()
	for i := range 20 {
		kept.add(git.Hash(fmt.Sprint(i)), &files{texts: map[string]string{"x": strings.Repeat("x", maxContents/10)}}, nil)
		if kept.get("0") == nil {
			t.Fatal("what is asked for is forgotten")
		}
	}
	kept.add("bad", nil, refused("it is bad"))
	var there []string
	for i := range 20 {
		if kept.get(git.Hash(fmt.Sprint(i))) != nil {
			there = append(there, fmt.Sprint(i))
		}
	}
	wantEqual(t, []string{"0", "12", "13", "14", "15", "16", "17", "18", "19"}, there)
	wantEqual(t, "it is bad", fmt.Sprint(kept.get("bad").err))
	kept.add("large", &files{links: map[string]string{"x": strings.Repeat("x", maxContents)}}, nil)
	wantEqual(t, 0, kept.size)
}
