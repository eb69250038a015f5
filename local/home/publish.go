// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// toPublish notes that the main branch has something else of a package than was published last.
func (s *settling) toPublish(m member, e *ledger.Entry, main git.Hash) error {
	where := m.where()
	number := m.in.latest(where)
	if e.Published == nil && len(s.merged[m]) == 0 && !s.arrived[m] || main == "" {
		return nil
	}
	if number > 0 {
		latest, err := m.in.publishedAt(where)
		if err != nil {
			return err
		}
		if latest.Tree == main { // its tag is there, whoever made it
			e.Published = latest
			return nil
		}
	}
	s.tree[m] = main
	s.leave(m)
	return nil
}

// publishedAt returns what was published last at a path, where something was.
func (c *clone) publishedAt(where string) (*ledger.Published, error) {
	p := place{path: where, number: c.latest(where)}
	known, err := c.factsOf(p, c.ref(p.ref()))
	if err != nil {
		return nil, err
	}
	return &ledger.Published{Number: p.number, Commit: known.commit, Tree: known.tree, Workspace: known.workspace}, nil
}

// leave has a package published.
func (s *settling) leave(m member) {
	at := branchAt{m.in.branch(), m.in.refs[m.in.branch()].Commit}
	key := branchAt{m.in.remote + " " + at.branch, at.commit}
	if s.left[key] == nil {
		s.left[key] = map[string]member{}
	}
	s.left[key][m.where()] = m
}

// publish gives what is to be published the next tags, each at the commit that brought it.
func (s *settling) publish(ctx context.Context) error {
	for _, left := range s.left {
		var in *repository
		for _, m := range left {
			in = m.in
		}
		err := in.history(in.refs[in.branch()].Commit, func(at git.Hash, changes changed) (bool, error) {
			for _, where := range slices.Sorted(maps.Keys(left)) {
				if here, err := changes(where); err != nil {
					return false, err
				} else if !here {
					continue
				}
				if err := s.tag(ctx, left[where], at); err != nil {
					return false, err
				}
				delete(left, where)
			}
			return len(left) > 0, nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			in.err = err
		}
	}
	return nil
}

// tag publishes what a commit of the branch has of a package.
func (s *settling) tag(ctx context.Context, m member, at git.Hash) error {
	e := s.entry(m)
	p, was, unmoved := s.nextOf(m, e.Published)
	all, err := s.placed(ctx, m)
	if err != nil {
		return err
	}
	used, last := usedBy(all)
	if unmoved {
		last = nil // it takes nothing back
	}
	workspace, err := s.workspaceOf(m, p, at, &was, used)
	if err != nil {
		return err
	}
	message, err := messageOf(fmt.Sprintf("%s v%d", p.path, p.number), made{fleet: s.fleet},
		annotation{Package: p.path, Workspace: workspace})
	if err != nil {
		return err
	}
	hash, err := m.in.git.PutTag(ctx, strings.TrimPrefix(p.ref(), tags), at, message)
	if err != nil {
		return err
	}
	k := id{m.key(), workspace}
	m.in.set(p.ref(), git.Ref{Hash: hash, Commit: at}, k)
	m.in.before[p.ref()] = e.Published
	tree, err := m.in.at(at, p.path)
	if err != nil {
		return err
	}
	e.Published = &ledger.Published{Number: p.number, Commit: at, Tree: tree, Workspace: workspace}
	s.put(m, &e)
	f, err := s.at(ctx, m, workspace)
	if err != nil {
		return err
	}
	s.names[m] = workspace
	again := p.number == was.Number
	s.did(Arrived, k, Event{Number: p.number, Back: goesBack(f, last, all), Again: again, Unmoved: unmoved && !again})
	if takesBack(f, last, all) {
		e.Rejected = &ledger.Rejected{Asked: e.Asked, Workspace: f.Workspace, TakenBack: true}
		s.put(m, &e)
	}
	return nil
}

// nextOf returns where a package is published next, after what was published last; nil for nothing. If the tag of that
// is lost, lost is that, and else nothing. Unmoved reports whether the branch still has it.
func (s *settling) nextOf(m member, last *ledger.Published) (next place, lost ledger.Published, unmoved bool) {
	if last == nil {
		return m.in.next(m.where(), 1), lost, false
	}
	unmoved = last.Tree == s.tree[m]
	from := last.Number + 1
	if last.Number > m.in.latest(m.where()) {
		if lost = *last; unmoved {
			from = last.Number
		}
	}
	return m.in.next(m.where(), from), lost, unmoved
}

// usedBy returns the workspaces of revisions, and what was published last; nil for nothing.
func usedBy(all []found) (used map[string]bool, last *found) {
	used = map[string]bool{}
	for i := range all {
		used[all[i].Workspace] = true
		if all[i].number > 0 && (last == nil || all[i].number > last.number) {
			last = &all[i]
		}
	}
	return used, last
}

// workspaceOf returns the workspace of what is published of a package: the one that it had, if its tag is lost.
func (s *settling) workspaceOf(m member, p place, at git.Hash, was *ledger.Published, used map[string]bool) (string,
	error) {
	if was.Workspace != "" && was.Tree == s.tree[m] && !used[was.Workspace] {
		return was.Workspace, nil
	}
	return m.in.workspaceAt(p, at, s.merged[m], used, was.Number > 0)
}

// goesBack reports whether the branch has again what it had before the previous revision, which may be nil: the content
// or the lock of an earlier one.
func goesBack(f, previous *found, all []found) bool {
	return restores(f, previous, all) || downgrades(f, previous, all)
}

// takesBack reports whether a revision takes back what the fleet had made, and not a person: a draft, or an upgrade.
func takesBack(f, previous *found, all []found) bool {
	return restores(f, previous, all) && previous.Workspace != versionOf(previous.place) || downgrades(f, previous, all)
}

// restores reports whether a revision has the content of one before the previous one.
func restores(f, previous *found, all []found) bool {
	return hasEarlier(previous, all, func(o *found) bool { return o.tree == f.tree })
}

// downgrades reports whether a revision has the lock of one before the previous one, which has another.
func downgrades(f, previous *found, all []found) bool {
	return previous != nil && previous.Lock != nil && f.Lock != nil && lockID(previous.Lock) != lockID(f.Lock) &&
		hasEarlier(previous, all, func(o *found) bool { return lockID(o.Lock) == lockID(f.Lock) })
}

// hasEarlier reports whether one that was published before a revision, which may be nil, is such.
func hasEarlier(than *found, all []found, such func(*found) bool) bool {
	return than != nil && slices.ContainsFunc(all, func(o found) bool {
		return o.number > 0 && o.number < than.number && such(&o)
	})
}

// workspaceAt returns the workspace of what is published at a place: that of its draft, or else its version. People may
// have changed what the draft was if the tag of that is lost.
func (r *repository) workspaceAt(p place, at git.Hash, merged []string, used map[string]bool, isLost bool) (string,
	error) {
	commit, err := r.git.Commit(at)
	if err != nil {
		return "", err
	}
	workspace := workspaceFor(p.path, commit.Message, merged, used)
	if workspace == "" { // the draft ended before, and what was published of it was refused, or is lost
		if workspace, err = r.workspaceIn(at, p.path, isLost); err != nil && !cutOff(err) {
			return "", err
		}
	}
	if workspace == "" || used[workspace] {
		workspace = versionOf(p)
	}
	return workspace, nil
}
