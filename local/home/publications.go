// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/git"
)

// What a round publishes is one commit of a branch. In the round, each publication is a commit of its own, over the one
// before it, so that it is seen at once; the push makes one of them. What something else is made of stays as it is.

// publication is a draft that becomes a published revision.
type publication struct {
	of                 id
	branch, tag, draft string
	// base is the commit of the branch before it, commit the one with it, made the draft if that was not pushed before.
	base, commit git.Hash
	made         *change
	// title names what is published, line and by are for the commit.
	title string
	line  annotation
	by    made
}

// originals returns the commits that what is to be pushed is made of: drafts begin with them, and packages name them in
// their locks.
func (h *Home) originals() map[git.Hash]bool {
	all := map[git.Hash]bool{}
	for _, c := range h.clones {
		for _, p := range c.publications {
			if p.made != nil {
				c.addOriginals(p.draft, p.made, all)
			}
		}
		for ref, change := range c.changes {
			c.addOriginals(ref, change, all)
		}
	}
	return all
}

// addOriginals adds the commits that a change is made of. What cannot be read is told of elsewhere.
func (c *clone) addOriginals(ref string, of *change, to map[git.Hash]bool) {
	p, isOfPackage := placeOf(ref)
	if of.Hash == "" || p.number == 0 && c.line[branchAt{ref, of.Commit}] {
		return
	}
	for _, n := range of.needs {
		to[n.hash] = true
	}
	if isOfPackage {
		if known, err := c.factsOf(p, of.Ref); err == nil && known.lock != nil {
			to[git.Hash(known.lock.Commit)] = true
		}
	}
	if commit, err := c.git.Commit(of.Commit); err == nil && p.number == 0 {
		for _, parent := range commit.Parents {
			to[parent] = true
		}
	}
}

// maxLines is of how many packages one commit has the lines for Porch: whoever shows tags reads it for each of them.
const maxLines = 100

// join makes one commit of publications that follow each other on a branch, which has in its history the drafts that
// were pushed before, and gives each publication a tag with its own line.
func (c *clone) join(ctx context.Context, all []publication) (git.Hash, error) {
	on := git.Commit{Parents: []git.Hash{c.refs[all[0].branch].Commit}}
	titles, lines := make([]string, len(all)), make([]annotation, len(all))
	for i, p := range all {
		alone, err := c.git.Commit(p.commit)
		if err != nil {
			return "", err
		}
		titles[i], lines[i], on.Tree = p.title, p.line, alone.Tree
		if len(all) == 1 || c.refs[p.draft].Hash != "" {
			on.Parents = append(on.Parents, alone.Parents[1:]...)
		}
	}
	if len(lines) > maxLines {
		lines = nil
	}
	var err error
	if on.Message, err = messageOf("Publish "+words.Some(titles, ", "), all[0].by, lines...); err != nil {
		return "", err
	}
	commit, err := c.git.PutCommit(ctx, &on)
	if err != nil || len(all) == 1 {
		return commit, err
	}
	for _, p := range all {
		message, err := messageOf(p.title, p.by, p.line)
		if err != nil {
			return "", err
		}
		tag, err := c.git.PutTag(ctx, strings.TrimPrefix(p.tag, tags), commit, message)
		if err != nil {
			return "", err
		}
		c.changes[p.tag].Ref = git.Ref{Hash: tag, Commit: commit}
	}
	return commit, nil
}

// commits gives publications that follow each other the commits that are pushed, and returns to which each branch goes.
func (c *clone) commits(ctx context.Context, some []publication, asTheyAre bool) (map[string]git.Hash, error) {
	to, on := map[string]git.Hash{}, map[string][]publication{}
	for _, p := range some {
		c.changes[p.tag].Ref = git.Ref{Hash: p.commit, Commit: p.commit}
		to[p.branch], on[p.branch] = p.commit, append(on[p.branch], p)
	}
	for branch, all := range on {
		if asTheyAre || len(all) == 1 && all[0].base == c.refs[branch].Commit {
			continue
		}
		joined, err := c.join(ctx, all)
		if err != nil {
			return nil, err
		}
		if to[branch], c.line[branchAt{branch, joined}] = joined, true; len(all) == 1 {
			c.changes[all[0].tag].Ref = git.Ref{Hash: joined, Commit: joined}
		}
	}
	return to, nil
}

// publish pushes publications, many at once. If the server takes none of some, half of them are tried, until one
// alone is not taken: those after it are based on it.
func (c *clone) publish(ctx context.Context, originals map[git.Hash]bool) (all outcomes) {
	var err error
	rest, spoiled := c.publications, outcomes(nil)
	if i := slices.IndexFunc(rest, func(p publication) bool { return c.refusalOf(&p) != nil }); i >= 0 {
		spoiled = append(c.unpublished(rest[i], c.refusalOf(&rest[i])), c.notPushed(rest[i+1:])...)
		rest = rest[:i]
	}
	asTheyAre := 0
	for i, p := range rest {
		if originals[p.commit] {
			asTheyAre = i + 1
		}
	}
	for size := len(rest); len(rest) > 0; {
		some := rest[:min(size, len(rest))]
		if asTheyAre > 0 {
			some = rest[:min(size, asTheyAre)]
		}
		if err = c.publishAll(ctx, some, asTheyAre > 0); err == nil {
			for _, p := range some {
				delete(c.unpushed, p.base)
				all = append(all, c.published(p, nil)...)
			}
			rest, asTheyAre = rest[len(some):], max(0, asTheyAre-len(some))
			continue
		}
		if size = len(some) / 2; size == 0 || c.whole(err) {
			break
		}
	}
	for i, p := range rest {
		if i > 0 && !c.whole(err) {
			all = append(all, c.notPushed(rest[i:])...)
			break
		}
		all = append(all, c.published(p, err)...)
	}
	c.publications = nil
	return append(all, spoiled...)
}

// refusalOf returns why what a publication is made of is not there: its branch did not begin, or its draft is not made;
// nil if nothing of that was refused.
func (c *clone) refusalOf(p *publication) *Refusal {
	refusal := c.refused[p.base]
	if p.made != nil {
		for _, n := range p.made.needs {
			refusal = cmp.Or(refusal, c.refused[n.hash])
		}
	}
	return refusal
}

// notPushed settles publications that are based on one that was not pushed.
func (c *clone) notPushed(some []publication) (all outcomes) {
	for _, p := range some {
		all = append(all, c.unpublished(p, failed(packages.ErrStale, "another publication before it was not pushed"))...)
	}
	return all
}

// whole reports whether an error is about a repository or a branch rather than about one publication.
func (c *clone) whole(err error) bool {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		return errors.Is(err, packages.ErrUnavailable)
	}
	if strings.Contains(refusal.Words, "pre-receive hook declined") { // it refuses all refs for the sake of one
		return strings.Contains(refusal.Words, "protected branch")
	}
	return !strings.HasPrefix(refusal.Ref, tags) && !strings.HasPrefix(refusal.Ref, drafts)
}

// published settles the refs of a publication.
func (c *clone) published(p publication, err error) outcomes {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		merge := *refusal
		merge.Merge = true
		err = &merge
	}
	return c.unpublished(p, err)
}

// unpublished settles the refs of a publication: what is not published, for this reason, is still a draft. The end of a
// draft that was pushed before is pushed with the rest.
func (c *clone) unpublished(p publication, err error) outcomes {
	all := outcomes{c.settle(p.tag, p.of, err)}
	switch {
	case err != nil && p.made != nil:
		c.changes[p.draft] = p.made
	case err != nil || c.changes[p.draft] == nil:
		all = append(all, c.settle(p.draft, p.of, err))
	}
	return all
}

// publishAll pushes publications that follow each other: the branches to where the last one has them, and the tags, if
// the drafts are where they were seen. A server without atomic pushes gets them in that order.
func (c *clone) publishAll(ctx context.Context, some []publication, asTheyAre bool) error {
	to, err := c.commits(ctx, some, asTheyAre)
	if err != nil {
		return err
	}
	var moved, made, seen []git.Update
	for _, ref := range slices.Sorted(maps.Keys(to)) {
		moved = append(moved, git.Update{Ref: ref, Old: c.refs[ref].Hash, New: to[ref]})
	}
	for _, p := range some {
		made = append(made, c.update(p.tag))
		if at := c.refs[p.draft].Hash; at != "" {
			seen = append(seen, git.Update{Ref: p.draft, Old: at, New: at})
		}
	}
	if err = c.pushAll(ctx, slices.Concat(moved, made, seen), true); errors.Is(err, git.ErrNotAtomic) {
		if err = c.pushAll(ctx, moved, false); err == nil {
			err = c.pushAll(ctx, made, false)
		}
	}
	if err == nil {
		for ref, hash := range to {
			c.refs[ref] = git.Ref{Hash: hash, Commit: hash}
			delete(c.unpushed, hash)
		}
	}
	return err
}

// pushAll pushes updates that belong together, and returns the error of the first one that is about it.
func (c *clone) pushAll(ctx context.Context, updates []git.Update, atomic bool) error {
	if len(updates) == 0 {
		return nil
	}
	results, err := c.git.Push(ctx, updates, atomic)
	if errors.Is(err, git.ErrNotAtomic) {
		return err
	}
	if err != nil {
		return failed(packages.ErrUnavailable, "%w", err)
	}
	var spoiled error
	for i := range results {
		switch err := c.errorOf(&results[i]); {
		case err == nil:
		case results[i].Status != git.Spoiled:
			return err
		default:
			spoiled = err
		}
	}
	return spoiled
}
