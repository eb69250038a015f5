// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
	"k8s.io/utils/lru"
)

// clone is a git repository as a round sees it: as it was fetched, and what is to be pushed over that.
type clone struct {
	cache, remote string
	identity      git.Identity
	git           *git.Repository
	// err is why it cannot be read.
	err error
	// refs are as they were fetched, or pushed since. changes are over them.
	refs    map[string]git.Ref
	changes map[string]*change
	// publications are those to be pushed, in order. line has the commits at which branches were in this round.
	publications []publication
	line         map[branchAt]bool
	// unpushed is what refs are to be, and are not yet.
	unpushed map[git.Hash]bool
	// refused are those that the server refused in this round.
	refused map[git.Hash]*Refusal
	// below has a ref below each directory of refs; nil if nobody asked for one.
	below map[string]string
	// print identifies where the refs were as they were fetched, wrote has those that were pushed since.
	print string
	wrote map[string]git.Hash
	// before is what was published before each tag of this round.
	before map[string]*ledger.Published
	// near are the tags that publish nothing and have nearly the name of one that would, by what they seem to be about.
	near map[string][]nearTag
	// packages are the refs of each package, and removals the branches by which people remove one, by its path.
	packages map[string]map[string]bool
	removals map[string]string
	// branches are the packages on branches; touched are the paths at which the index has not what is known, once all of
	// listed were entered.
	branches map[string]*branchPackages
	touched  map[string]bool
	listed   map[*branchPackages]bool
	entered  bool
	facts    map[string]*facts
	// locks are those of the packages with these trees.
	locks   map[git.Hash]*revision.Lock
	sayings *lru.Cache
	// contents are those of all git repositories.
	contents *contents
	// repositories are over this one; roots has them by their directories.
	repositories []*repository
	roots        map[string][]*repository
}

// change is a ref that is to be pushed.
type change struct {
	git.Ref
	// of is the revision that it is about.
	of    id
	needs []need
}

// need is what has to be pushed to a git repository before.
type need struct {
	in   *clone
	hash git.Hash
}

// branchAt is a commit at which a branch was.
type branchAt struct {
	branch string
	commit git.Hash
}

func newClone(o *Options, remote string, kept *contents) *clone {
	return &clone{cache: o.Cache, identity: o.Identity, remote: remote, facts: map[string]*facts{},
		locks:    map[git.Hash]*revision.Lock{},
		contents: kept, sayings: lru.New(maxSayings), branches: map[string]*branchPackages{},
		roots: map[string][]*repository{}}
}

// fetch reads where the refs are.
func (c *clone) fetch(ctx context.Context, contact func(address string) error) {
	c.changes, c.publications, c.line = map[string]*change{}, nil, map[branchAt]bool{}
	c.unpushed, c.refused, c.before = map[git.Hash]bool{}, map[git.Hash]*Refusal{}, map[string]*ledger.Published{}
	c.packages, c.removals = map[string]map[string]bool{}, map[string]string{}
	c.refs, c.err, c.below, c.near = nil, nil, nil, nil
	if c.err = contact(c.remote); c.err != nil {
		return
	}
	if c.git == nil {
		if c.git, c.err = git.Open(ctx, c.cache, c.remote); c.err != nil {
			c.git = nil
			return
		}
		c.git.CommitAs(c.identity)
	}
	if c.refs, c.err = c.git.Fetch(ctx); c.err != nil {
		return
	}
	for name, ref := range c.refs {
		if ref.Commit == "" { // a tag of a file is no revision, and has its name
			continue
		}
		c.index(name)
		if strings.HasPrefix(name, branches) && !strings.HasPrefix(name, drafts) {
			c.line[branchAt{name, ref.Commit}] = true
		}
	}
}

// index makes a ref one that is looked at when its package is.
func (c *clone) index(name string) {
	if where, ok := strings.CutPrefix(name, removals); ok {
		c.removals[where] = name
	} else if p, ok := placeOf(name); ok {
		if c.packages[p.path] == nil {
			c.packages[p.path] = map[string]bool{}
		}
		c.packages[p.path][name] = true
	}
}

// ref returns where a ref is in this round; the zero Ref if it is not there.
func (c *clone) ref(name string) git.Ref {
	if change := c.changes[name]; change != nil {
		return change.Ref
	}
	return c.refs[name]
}

// set has a ref pushed. An empty Ref ends it.
func (c *clone) set(name string, ref git.Ref, of id, needs ...need) {
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

// inTheWay returns the ref of the git repository that keeps another one from being made, as git has no name that is the
// beginning of another one; "" if none does.
func (c *clone) inTheWay(name string) string {
	if c.below == nil {
		c.below = map[string]string{}
		for ref := range c.refs {
			for above := path.Dir(ref); above != "refs" && above != "."; above = path.Dir(above) {
				c.below[above] = ref
			}
		}
	}
	for above := path.Dir(name); above != "refs" && above != "."; above = path.Dir(above) {
		if c.refs[above].Hash != "" {
			return above
		}
	}
	return c.below[name]
}

// refuse returns the error of a ref that cannot be made, because another one is in its way; nil if it can.
func (c *clone) refuse(name string) error {
	other := c.inTheWay(name)
	if other == "" {
		return nil
	}
	err := fmt.Errorf("the git repository %s has %s, so it cannot have %s: rename or delete the former", c.git.Address(),
		other, name)
	return &packages.Error{Kind: packages.ErrRefused, Err: err,
		Condition: v1alpha1.Stalled(v1alpha1.ReasonPushRefused, err.Error())}
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
	// tagged reports whether its tag, or its commit, is one that a sync has made.
	tagged bool
	// unread is why its commit, or its tag, is not read; it has nothing then but what its ref says.
	unread error
}

// factsOf returns what is known of a revision by the ref that it has.
func (c *clone) factsOf(p place, ref git.Ref) (*facts, error) {
	id := string(ref.Hash) + " " + p.ref()
	if known := c.facts[id]; known != nil {
		return known, nil
	}
	f, err := c.learn(p, ref)
	if err != nil && ignoreUnread(err) == nil {
		f = &facts{commit: ref.Commit, workspace: p.workspace, unread: asUnusable(p.ref(), err)}
		if p.number > 0 {
			f.workspace = versionOf(p)
		}
	} else if err != nil {
		return nil, err
	}
	c.facts[id] = f
	return f, nil
}

// learn reads what a ref says of its revision.
func (c *clone) learn(p place, ref git.Ref) (*facts, error) {
	f := &facts{commit: ref.Commit, workspace: p.workspace}
	commit, err := c.said(ref.Commit)
	if err != nil {
		return nil, err
	}
	f.at, f.made = commit.At, commit.by
	if f.tree, err = c.at(ref.Commit, p.path); err != nil {
		return nil, err
	}
	if err := c.checkDirectory(ref.Commit, p.path, f.tree); err != nil {
		return nil, err
	}
	if p.number > 0 {
		line, tagged, err := c.lineOf(p, ref, commit)
		if err != nil {
			return nil, err
		}
		f.workspace, f.tagged, f.task = line.Workspace, tagged, line.Task.known()
	}
	if f.task.Type == "" {
		if f.task, err = c.taskOf(ref.Commit, p.path, f.workspace, p.number > 0); err != nil {
			return nil, err
		}
	}
	f.lock, err = c.lockOf(f.tree)
	return f, err
}

// lockOf returns the lock in the Kptfile of a package; nil also for a Kptfile that is not read, of which the files of
// the package tell.
func (c *clone) lockOf(tree git.Hash) (*revision.Lock, error) {
	if tree == "" {
		return nil, nil
	}
	if lock, known := c.locks[tree]; known {
		return lock, nil
	}
	lock, err := c.readLock(tree)
	if err == nil {
		c.locks[tree] = lock
	}
	return lock, err
}

// readLock reads the lock in the Kptfile of a package.
func (c *clone) readLock(tree git.Hash) (*revision.Lock, error) {
	entries, err := c.git.Tree(tree)
	i := slices.IndexFunc(entries, func(e git.Entry) bool { return e.Name == kptfile })
	if err != nil || i < 0 {
		return nil, ignoreUnread(err)
	}
	texts, err := c.git.BlobsWithin([]git.Hash{entries[i].Hash}, func(sizes map[git.Hash]int64) error {
		return checkSizes(map[string]int64{kptfile: sizes[entries[i].Hash]})
	})
	if err != nil {
		return nil, ignoreUnread(err)
	}
	return kpt.LockOf(map[string]string{kptfile: texts[entries[i].Hash]}), nil
}

// lineOf returns what is known of the draft that a published revision was, by the message of its tag or else the one of
// its commit, and reports whether a sync wrote that.
func (c *clone) lineOf(p place, ref git.Ref, commit *saying) (line annotation, tagged bool, err error) {
	all := []*saying{commit}
	if ref.Hash != ref.Commit {
		message, err := c.git.TagMessage(ref.Hash)
		if err != nil {
			return line, false, err
		}
		all = []*saying{sayingOf(message), commit}
	}
	for _, said := range all {
		for _, a := range said.of[p.path] {
			if a.Workspace != "" {
				return a, said.by.fleet != "", nil
			}
		}
	}
	return annotation{Workspace: versionOf(p)}, false, nil
}

// saying is a commit, or a tag, with what its message says: the lines for Porch by the paths of packages, and who made
// it.
type saying struct {
	*git.Commit
	of map[string][]annotation
	by made
}

// sayingOf returns what a message says.
func sayingOf(message string) *saying {
	said := &saying{of: map[string][]annotation{}, by: madeBy(message)}
	for _, a := range annotationsOf(message) {
		said.of[a.Package] = append(said.of[a.Package], a)
	}
	return said
}

// maxSayings is how many stay in memory: one commit may be what many packages are published by.
const maxSayings = 16

// said returns a commit.
func (c *clone) said(commit git.Hash) (*saying, error) {
	if kept, there := c.sayings.Get(commit); there {
		if said, ok := kept.(*saying); ok {
			return said, nil
		}
	}
	read, err := c.git.Commit(commit)
	if err != nil {
		return nil, err
	}
	said := sayingOf(read.Message)
	said.Commit = read
	c.sayings.Add(commit, said)
	return said, nil
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
		read, err := c.said(at)
		if cutOff(err) {
			continue
		}
		if err != nil {
			return revision.Task{}, err
		}
		other := false
		for _, a := range read.of[place] {
			switch {
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

// put returns the tree with files, with the modes and links of the package that they are made from.
func (c *clone) put(texts map[string]string, like *files) (git.Hash, error) {
	if err := like.checkLinks(); err != nil {
		return "", err
	}
	root := &directory{}
	for name, text := range texts {
		mode := git.File
		if m := like.modes[name]; m != "" {
			mode = m
		}
		root.add(name, git.Entry{Mode: mode, Hash: c.git.PutBlob(text)})
	}
	for name, to := range like.links {
		if _, replaced := texts[name]; !replaced {
			root.add(name, git.Entry{Mode: git.Link, Hash: c.git.PutBlob(to)})
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
