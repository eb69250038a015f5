// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// Delete implements packages.Home. What the branch of a draft has goes only if the sync is known to have written it. A
// draft with something of a person in it keeps its branch as it is on the server, and is nobody's then: Left says so.
func (h *Home) Delete(ctx context.Context, r *revision.Revision) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.deletable(ctx, r)
	if f == nil {
		return err
	}
	m := f.member()
	e := h.entry(m)
	draft, drafted := e.Drafts[f.workspace]
	there := f.in.refs[f.ref()].Commit
	switch {
	case !drafted && there != "": // it is nobody's
		h.leave(f)
		return nil
	case !drafted, !isEdited(&draft, f.tree), h.renewed[f.id()] != nil:
		h.end(f)
		return nil
	}
	delete(e.Drafts, f.workspace)
	if h.put(m, &e); e.Published == nil && len(e.Drafts) == 0 {
		delete(h.ledger, m.key())
	}
	if there != "" {
		delete(f.in.changes, f.ref())
	}
	h.leave(f)
	h.left = append(h.left, fmt.Sprintf("%s/%s: its branch %s stays, at %s, because people changed it: it belongs to no "+
		"variant any more, so delete it when nobody needs it", f.Namespace, f.Name, strings.TrimPrefix(f.ref(), branches),
		cmp.Or(string(there), f.Commit)))
	return nil
}

// leave has a draft that is nobody's be seen no more: for the variant that deleted it, it is gone.
func (h *Home) leave(f *found) {
	h.nobodys[f.id()] = true
	f.in.touch(f.path)
}

// Reject removes the branch of a draft, whatever is in it, for a person who has seen it.
func (h *Home) Reject(ctx context.Context, r *revision.Revision) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.deletable(ctx, r)
	if f != nil {
		h.end(f)
	}
	return err
}

// Left returns what is to be told about drafts that belong to no variant any more, once.
func (h *Home) Left() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := h.left
	h.left = nil
	return left
}

// deletable returns a draft; nil if there is none any more.
func (h *Home) deletable(ctx context.Context, r *revision.Revision) (*found, error) {
	if _, err := h.repository(r.Namespace, r.Package.Repo); err != nil {
		return nil, err
	}
	f, err := h.find(ctx, r.Namespace, r.Name)
	switch {
	case err != nil:
		return nil, ignoreAbsent(err)
	case f.Published():
		return nil, failed(packages.ErrRefused, "%s is published: propose its deletion", f.Name)
	}
	return f, nil
}

// end ends the branch of a draft.
func (h *Home) end(f *found) {
	f.in.set(f.ref(), git.Ref{}, f.id())
	delete(h.proposed, f.id())
	m := f.member()
	e := h.entry(m)
	draft, drafted := e.Drafts[f.workspace]
	if !drafted {
		return
	}
	draft.Ended = true
	if e.Drafts[f.workspace] = draft; f.in.refs[f.ref()].Hash == "" { // nobody has seen it
		delete(e.Drafts, f.workspace)
	}
	h.put(m, &e)
}
