// SPDX-License-Identifier: Apache-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Update is a change of a ref: from where it was seen to where it is to be, "" being nowhere.
type Update struct {
	Ref      string
	Old, New Hash
}

// Status is what came of an update.
type Status int

// The statuses.
const (
	// Pushed says that the ref is where it is to be.
	Pushed Status = iota
	// Moved says that the ref was not where it was seen, and was left there.
	Moved
	// Refused says that the server refused it.
	Refused
	// Spoiled says that nothing was said against the update, and that it was not done because of others.
	Spoiled
)

// Result is what came of an update, with the server's words where it said some.
type Result struct {
	Update
	Status Status
	Words  string
}

// ErrNotAtomic says that a server does all updates of a push or some of them, but never all or none.
var ErrNotAtomic = errors.New("the server has no atomic pushes")

// Push updates refs, each only if it is still where it was seen. What came of each is in the results, in the order of
// the updates. A ref that the server refuses leaves the others alone, and if it refuses a push as a whole, parts of it
// are pushed. With an error, for example of a server that cannot be reached, there are results only of the first ones.
//
// An atomic push updates all or none, and fails with ErrNotAtomic where the server cannot. An update in it that changes
// nothing is a condition for the others. If it does not fit on the line of a command, all updates are Spoiled: fewer of
// them may fit.
func (r *Repository) Push(ctx context.Context, updates []Update, atomic bool) ([]Result, error) {
	if err := r.Write(ctx); err != nil {
		return nil, err
	}
	r.fresh = false
	results := make([]Result, len(updates))
	todo, all, err := toPush(updates, results, atomic)
	if err == nil && len(todo) > 0 {
		if atomic {
			err = r.pushAtomic(ctx, todo)
		} else {
			err = r.pushParts(ctx, todo)
		}
	}
	if err == nil {
		return results, nil
	}
	known := slices.IndexFunc(all, func(p *pushed) bool { return !p.known })
	return results[:max(known, 0)], err
}

// toPush makes the results of updates. It returns those that are to be pushed, and all.
func toPush(updates []Update, results []Result, atomic bool) (todo, all []*pushed, err error) {
	seen := map[string]bool{}
	for i, u := range updates {
		results[i].Update = u
		p := &pushed{Result: &results[i]}
		all = append(all, p)
		switch {
		case seen[u.Ref]:
			err = fmt.Errorf("%s is to be pushed twice", u.Ref)
		case u.Old == u.New && (!atomic || u.New == ""):
			p.settle(Pushed, "")
		case !IsRefName(u.Ref):
			p.settle(Refused, "git does not allow this name of a ref (git help check-ref-format)")
		default:
			todo = append(todo, p)
		}
		seen[u.Ref] = true
	}
	return todo, all, err
}

// pushAtomic pushes all or none.
func (r *Repository) pushAtomic(ctx context.Context, refs []*pushed) error {
	transport, err := r.transportOf(ctx)
	if err != nil {
		return err
	}
	if len(parts(refs, transport, r.room())) == 1 {
		return r.push(ctx, refs, "--atomic")
	}
	for _, p := range refs {
		p.settle(Spoiled, "the refs of the push do not fit on the line of a command")
	}
	return nil
}

// pushParts pushes refs in parts that fit on a line: first those that are made or moved, since git compares each ref
// that is removed with all others of its push.
func (r *Repository) pushParts(ctx context.Context, refs []*pushed) error {
	transport, err := r.transportOf(ctx)
	if err != nil {
		return err
	}
	isRemoved := func(p *pushed) bool { return p.New == "" }
	made := slices.DeleteFunc(slices.Clone(refs), isRemoved)
	removed := slices.DeleteFunc(slices.Clone(refs), func(p *pushed) bool { return !isRemoved(p) })
	s := &splitter{r: r}
	err = s.pushAll(ctx, parts(slices.Concat(made, removed), transport, r.room())...)
	return cmp.Or(err, s.failed())
}

// The namespaces of a scratch from which refs are pushed: what they are to be, and what they were seen as.
const (
	newRefs = "refs/new/"
	oldRefs = "refs/old/"
)

// push runs one push. The refs that are made or moved are in the scratch, and are one pattern, with which git is fast
// at any number. What was seen of refs is there as what git fetched from the remote, so that it is the lease of each
// (git help push, --force-with-lease): a ref that was not seen must not be there. It is not what the clone has: another
// process may have fetched into that meanwhile. The remote is known to this command only, since its address may have a
// password in it.
func (r *Repository) push(ctx context.Context, refs []*pushed, options ...string) error {
	at, made, removed := map[string]Hash{}, []string(nil), []string(nil)
	for _, p := range refs {
		name := strings.TrimPrefix(p.Ref, "refs/")
		if p.New == "" {
			removed = append(removed, ":"+p.Ref)
		} else {
			at[newRefs+name], made = p.New, []string{newRefs + "*:refs/*"}
		}
		if p.Old != "" {
			at[oldRefs+name] = p.Old
		}
	}
	in, done, err := r.scratch(at)
	if err != nil {
		return err
	}
	defer done()
	remote := r.as(&in)
	args := slices.Concat([]string{"push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no",
		"--force-with-lease", "--no-force-if-includes"}, options, []string{"--", remote}, made, removed)
	out, err := r.output(ctx, in, args...)
	said, failed := errors.AsType[*Error](err)
	switch {
	case err != nil && !failed:
		return err
	case !failed:
		said = &Error{}
	case strings.Contains(said.Words, "does not support --atomic"):
		return fmt.Errorf("the git repository %s: %w", r.Address(), ErrNotAtomic)
	}
	switch told := readPush(refs, string(out), said.Words); {
	case told:
		return nil
	case err == nil:
		return fmt.Errorf("cannot push to the git repository %s: git push does not say what came of each ref", r.Address())
	}
	return fmt.Errorf("cannot push to %w", err)
}

// as makes the repository a remote of a git that works on a scratch, and returns the name of the remote. It is one that
// no configuration of the user has. What git writes down of a push is not waited for: it is gone after that.
func (r *Repository) as(in *Process) (remote string) {
	remote = filepath.Base(in.Repository)
	in.Settings = []string{"core.fsync=none", "remote." + remote + ".url=" + r.address,
		"remote." + remote + ".fetch=+refs/*:" + oldRefs + "*"}
	return remote
}
