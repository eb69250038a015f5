// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/tasks"
	"github.com/package-variants/package-variants/local/git"
	"k8s.io/utils/lru"
)

// clone is a git repository as a round sees it: as it was fetched, and what is to be pushed over that.
type clone struct {
	cache, remote string
	git           *git.Repository
	// err is why it cannot be read.
	err error
	// refs are as they were fetched, or pushed since. changes are over them.
	refs    map[string]git.Ref
	changes map[string]*change
	// publications are those to be pushed, in order. line has the commits at which branches were in this round.
	publications []publication
	line         map[onBranch]bool
	// unpushed is what refs are to be, and are not yet.
	unpushed map[git.Hash]bool
	// packages are the refs of each package, by its directory; dotted are the directories, by what names have for
	// them.
	packages map[string]map[string]bool
	dotted   map[string]map[string]bool
	facts    map[string]*facts
	contents *lru.Cache
	// repositories are over this one.
	repositories []*repository
}

// change is a ref that is to be pushed.
type change struct {
	git.Ref
	// of is the revision that it is about.
	of    key
	needs []need
}

// need is what has to be pushed to a git repository before.
type need struct {
	in   *clone
	hash git.Hash
}

// onBranch is a commit at which a branch was.
type onBranch struct {
	branch string
	commit git.Hash
}

// publication is a draft that becomes a published revision.
type publication struct {
	of                 key
	branch, tag, draft string
	// base is the commit of the branch before it, made the draft if that was not pushed before.
	base git.Hash
	made *change
}

// maxContents is how many packages stay in memory: upstreams, from which many are made.
const maxContents = 32

func newClone(cache, remote string) *clone {
	return &clone{cache: cache, remote: remote, facts: map[string]*facts{}, contents: lru.New(maxContents)}
}

// fetch reads where the refs are.
func (c *clone) fetch(ctx context.Context, contact func(address string) error) {
	c.changes, c.publications, c.line = map[string]*change{}, nil, map[onBranch]bool{}
	c.unpushed = map[git.Hash]bool{}
	c.packages, c.dotted = map[string]map[string]bool{}, map[string]map[string]bool{}
	c.refs, c.err = nil, nil
	if c.err = contact(c.remote); c.err != nil {
		return
	}
	if c.git == nil {
		if c.git, c.err = git.Open(ctx, c.cache, c.remote); c.err != nil {
			c.git = nil
			return
		}
	}
	if c.refs, c.err = c.git.Fetch(ctx); c.err != nil {
		return
	}
	for name, ref := range c.refs {
		if ref.Commit == "" { // a tag of a file is no revision
			delete(c.refs, name)
			continue
		}
		c.index(name)
		if strings.HasPrefix(name, branches) && !strings.HasPrefix(name, drafts) {
			c.line[onBranch{name, ref.Commit}] = true
		}
	}
}

// index makes a ref one that is looked at when its package is.
func (c *clone) index(name string) {
	p, ok := placeOf(name)
	if !ok {
		return
	}
	if c.packages[p.path] == nil {
		c.packages[p.path] = map[string]bool{}
		dotted := strings.ReplaceAll(p.path, "/", ".")
		if c.dotted[dotted] == nil {
			c.dotted[dotted] = map[string]bool{}
		}
		c.dotted[dotted][p.path] = true
	}
	c.packages[p.path][name] = true
}

// ref returns where a ref is in this round; the zero Ref if it is not there.
func (c *clone) ref(name string) git.Ref {
	if change := c.changes[name]; change != nil {
		return change.Ref
	}
	return c.refs[name]
}

// set has a ref pushed. An empty Ref ends it.
func (c *clone) set(name string, ref git.Ref, of key, needs ...need) {
	c.index(name)
	if p, ok := placeOf(name); ok {
		c.touch(p.path)
	} else if where, ok := strings.CutPrefix(name, removals); ok {
		c.touch(where)
	}
	c.changes[name], c.unpushed[ref.Hash] = &change{Ref: ref, of: of, needs: needs}, true
	if c.refs[name].Hash == ref.Hash {
		delete(c.changes, name)
	}
}

// at returns the tree of a directory in a commit; "" if there is none.
func (c *clone) at(commit git.Hash, place string) (git.Hash, error) {
	if commit == "" {
		return "", nil
	}
	return c.git.At(commit, place)
}

// packageAt returns the tree of a package in a commit; "" if there is none. A directory without a Kptfile is none.
func (c *clone) packageAt(commit git.Hash, place string) (git.Hash, error) {
	file, err := c.at(commit, place+"/"+kptfile)
	if err != nil || file == "" {
		return "", err
	}
	return c.at(commit, place)
}

// facts are what a ref says of its revision. They never change for a commit.
type facts struct {
	tree, commit git.Hash
	workspace    string
	task         revision.Task
	lock         *revision.Lock
	at           time.Time
	made
}

// factsOf returns what is known of a revision by the ref that it has.
func (c *clone) factsOf(p place, ref git.Ref) (*facts, error) {
	id := string(ref.Hash) + " " + p.ref()
	if known := c.facts[id]; known != nil {
		return known, nil
	}
	f := &facts{commit: ref.Commit, workspace: p.workspace}
	commit, err := c.git.Commit(ref.Commit)
	if err != nil {
		return nil, err
	}
	f.at, f.made = commit.At, madeBy(commit.Message)
	if f.tree, err = c.at(ref.Commit, p.path); err != nil {
		return nil, err
	}
	if p.number > 0 {
		if f.workspace, err = c.workspaceOf(p, ref, commit); err != nil {
			return nil, err
		}
	}
	if f.task, err = c.taskOf(ref.Commit, p.path, f.workspace, p.number > 0); err != nil {
		return nil, err
	}
	if f.lock, err = c.lockOf(f.tree); err != nil {
		return nil, err
	}
	c.facts[id] = f
	return f, nil
}

// lockOf returns the lock in the Kptfile of a package.
func (c *clone) lockOf(tree git.Hash) (*revision.Lock, error) {
	if tree == "" {
		return nil, nil
	}
	entries, err := c.git.Tree(tree)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name == kptfile {
			text, err := c.git.Blob(e.Hash)
			return tasks.LockOf(map[string]string{kptfile: text}), err
		}
	}
	return nil, nil
}

// workspaceOf returns the workspace that a published revision had as a draft: it is in the message of its tag, or in
// the one of its commit.
func (c *clone) workspaceOf(p place, ref git.Ref, commit *git.Commit) (string, error) {
	messages := []string{commit.Message}
	if ref.Hash != ref.Commit {
		message, err := c.git.TagMessage(ref.Hash)
		if err != nil {
			return "", err
		}
		messages = []string{message, commit.Message}
	}
	for _, message := range messages {
		for _, a := range annotationsOf(message) {
			if a.Package == p.path && a.Workspace != "" {
				return a.Workspace, nil
			}
		}
	}
	return versionOf(p), nil
}

// versionOf returns the version in the tag of a published revision.
func versionOf(p place) string { return strings.TrimPrefix(p.ref(), tags+p.path+"/") }

// maxHistory is in how many commits the task of a revision is looked for.
const maxHistory = 100

// taskOf returns the task by which a revision was made, from the lines in its commits: in those of the draft rather
// than in those of the branch, where the one has been merged into the other.
func (c *clone) taskOf(commit git.Hash, place, workspace string, published bool) (revision.Task, error) {
	seen := map[git.Hash]bool{}
	for stack := []git.Hash{commit}; len(stack) > 0 && len(seen) < maxHistory; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		read, err := c.git.Commit(at)
		if errors.Is(err, git.ErrMissing) { // the history is cut off here
			continue
		}
		if err != nil {
			return revision.Task{}, err
		}
		other := false
		for _, a := range annotationsOf(read.Message) {
			switch {
			case a.Package != place:
			case a.Workspace != workspace:
				other = true
			case a.Task != nil && a.Task.known().Type != "":
				return a.Task.known(), nil
			}
		}
		parents := slices.Clone(read.Parents)
		if !published || at != commit {
			slices.Reverse(parents) // the first one is that of the draft
		}
		if !other {
			stack = append(stack, parents...)
		}
	}
	return revision.Task{}, nil
}

// files are those of a package with their modes, and what else is there.
type files struct {
	texts map[string]string
	modes map[string]string
	// links are where symbolic links lead to, and modules other repositories: both are kept where they are.
	links   map[string]string
	modules map[string]git.Entry
}

// files returns the files below a tree.
func (c *clone) files(tree git.Hash) (*files, error) {
	if kept, there := c.contents.Get(tree); there {
		if f, ok := kept.(*files); ok {
			return f, nil
		}
	}
	f := &files{texts: map[string]string{}, modes: map[string]string{}, links: map[string]string{},
		modules: map[string]git.Entry{}}
	if tree != "" {
		if err := c.collect(f, tree, ""); err != nil {
			return nil, err
		}
	}
	c.contents.Add(tree, f)
	return f, nil
}

func (c *clone) collect(f *files, tree git.Hash, below string) error {
	entries, err := c.git.Tree(tree)
	if err != nil {
		return err
	}
	var blobs []git.Hash
	for _, e := range entries {
		if e.Mode != git.Directory && e.Mode != git.Module {
			blobs = append(blobs, e.Hash)
		}
	}
	texts, err := c.git.Blobs(blobs)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := below + e.Name; e.Mode {
		case git.Directory:
			if err := c.collect(f, e.Hash, name+"/"); err != nil {
				return err
			}
		case git.Module:
			f.modules[name] = e
		case git.Link:
			f.links[name] = texts[e.Hash]
		default:
			f.texts[name], f.modes[name] = texts[e.Hash], e.Mode
		}
	}
	return nil
}

// put returns the tree with files, with the modes and what else there is of the package that they are made from.
func (c *clone) put(texts map[string]string, like *files) (git.Hash, error) {
	root := &directory{}
	for name, text := range texts {
		mode := git.File
		if m := like.modes[name]; m != "" {
			mode = m
		}
		root.add(name, git.Entry{Mode: mode, Hash: c.git.PutBlob(text)})
	}
	kept := maps.Clone(like.modules)
	for name, to := range like.links {
		kept[name] = git.Entry{Mode: git.Link, Hash: c.git.PutBlob(to)}
	}
	for name, e := range kept {
		if _, replaced := texts[name]; !replaced {
			root.add(name, e)
		}
	}
	return root.put(c.git)
}

// directory is a tree that is being made.
type directory struct {
	entries []git.Entry
	below   map[string]*directory
}

func (d *directory) add(name string, e git.Entry) {
	first, rest, deeper := strings.Cut(name, "/")
	if !deeper {
		e.Name = first
		d.entries = append(d.entries, e)
		return
	}
	if d.below == nil {
		d.below = map[string]*directory{}
	}
	if d.below[first] == nil {
		d.below[first] = &directory{}
	}
	d.below[first].add(rest, e)
}

func (d *directory) put(to *git.Repository) (git.Hash, error) {
	d.entries = slices.DeleteFunc(d.entries, func(e git.Entry) bool { return d.below[e.Name] != nil })
	for name, below := range d.below {
		hash, err := below.put(to)
		if err != nil {
			return "", err
		}
		d.entries = append(d.entries, git.Entry{Mode: git.Directory, Name: name, Hash: hash})
	}
	return to.PutTree(d.entries)
}
