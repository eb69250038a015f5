// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Ask implements packages.Home. An upgrade is a copy of the package with the lock of the other upstream: what merges
// is a function, and it saves.
func (h *Home) Ask(ctx context.Context, d packages.Draft) (_ revision.Revision, err error) {
	defer classify(&err)
	source, from, err := h.sources(ctx, &d)
	if err != nil {
		return revision.Revision{}, err
	}
	texts, like, err := h.copied(&d, source, from)
	if err != nil {
		return revision.Revision{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var held string
	if d.Task.Type == revision.Upgrade {
		if like, held, err = h.merged(from, like, texts); err != nil {
			return revision.Revision{}, err
		}
	}
	r, name, err := h.vacant(ctx, &d)
	if err != nil {
		return revision.Revision{}, err
	}
	tree, err := r.put(texts, like)
	if err != nil {
		return revision.Revision{}, unusable(name, err)
	}
	m := member{r, d.Package.Name}
	k := id{m.key(), d.Workspace}
	p := place{path: r.place(d.Package.Name), workspace: d.Workspace}
	base, err := h.base(ctx, r, p.path, k)
	if err != nil {
		return revision.Revision{}, err
	}
	a := annotation{Package: p.path, Workspace: d.Workspace, Task: taskOf(d.Task)}
	message, err := messageOf(subjectOf(p.path, d.Task)+telling(held),
		h.by(d.Namespace, d.Owner.Name, tree), a)
	if err != nil {
		return revision.Revision{}, err
	}
	commit, err := r.commit(ctx, base, p.path, tree, message, base)
	if err != nil {
		return revision.Revision{}, err
	}
	r.set(p.ref(), git.Ref{Hash: commit, Commit: commit}, k, needsOf(r, base, source, from)...)
	r.touch(p.path)
	if err := h.begin(m, &d, base, tree, held); err != nil {
		return revision.Revision{}, err
	}
	f, err := h.at(ctx, m, d.Workspace)
	if err != nil {
		return revision.Revision{}, err
	}
	return f.Revision, r.git.WriteIfLarge(ctx)
}

// begin notes a draft that is about to be pushed.
func (h *Home) begin(m member, d *packages.Draft, base, tree git.Hash, left string) error {
	before, err := m.in.packageAt(base, m.where())
	if err != nil {
		return err
	}
	e := h.entry(m)
	if owners := d.Owners(); len(owners) > 0 {
		lock, err := m.in.lockOf(tree)
		if err != nil {
			return err
		}
		e.Owners = owners
		e.Drafts[d.Workspace] = ledger.Draft{Base: before, Written: tree, Seen: tree, Lock: lockID(lock),
			Announced: true, LeftToPeople: left}
	}
	e.Labels = labelled(e.Labels, d.Workspace, d.Labels)
	e.Annotations = labelled(e.Annotations, d.Workspace, d.Annotations)
	h.put(m, &e)
	return nil
}

// labelled returns the labels of revisions with more of them for one.
func labelled(of map[string]map[string]string, workspace string, more map[string]string) map[string]map[string]string {
	if len(more) == 0 {
		return of
	}
	out := maps.Clone(of)
	if out == nil {
		out = map[string]map[string]string{}
	}
	out[workspace] = with(out[workspace], more)
	return out
}

// by is who makes commits.
func (h *Home) by(namespace, variant string, tree git.Hash) made {
	if variant == "" {
		return made{fleet: h.fleet}
	}
	return made{fleet: h.fleet, variant: namespace + "/" + variant, tree: string(tree)}
}

// vacant returns the Repository of a new draft and the draft's name, which nothing has yet.
func (h *Home) vacant(ctx context.Context, d *packages.Draft) (*repository, string, error) {
	r, err := h.repository(d.Namespace, d.Package.Repo)
	if err == nil {
		err = r.shared()
	}
	if err != nil {
		return nil, "", err
	}
	name := d.Package.NameOf(d.Workspace)
	all, err := h.revisions(ctx, r, d.Package.Name)
	if err == nil {
		err = r.inTheWay(r.place(d.Package.Name))
	}
	if err == nil && d.Task.Type == revision.Clone {
		err = r.exists(r.place(d.Package.Name))
	}
	if err == nil {
		p := place{path: r.place(d.Package.Name), workspace: d.Workspace}
		err = r.refuse(p.ref())
	}
	if err != nil {
		return nil, "", err
	}
	taken := slices.ContainsFunc(all, func(f found) bool { return f.Name == name })
	if p := (place{path: r.place(d.Package.Name), workspace: d.Workspace}); taken || r.ref(p.ref()).Hash != "" {
		return nil, "", failed(packages.ErrStale, "there is a package revision %s", name)
	}
	return r, name, nil
}

// inTheWay refuses a package where the branch has a directory that is none: the package would replace it.
func (r *repository) inTheWay(where string) error {
	if inTheWay, err := r.noPackage(where); !inTheWay {
		return err
	}
	return r.onIt(where, "has no Kptfile, so it is no package: move it away; or add a Kptfile, give it its upstream by "+
		"variants adopt, and set spec.adoptionPolicy to adoptExisting")
}

// exists refuses to clone over a package that the branch has: the clone would take back what people changed in it.
func (r *repository) exists(where string) error {
	tree, err := r.packageAt(r.ref(r.branch()).Commit, where)
	if err != nil || tree == "" {
		return err
	}
	return r.onIt(where, "is not this variant's: set spec.adoptionPolicy to adoptExisting to take it over as it is, or "+
		"name another package in spec.downstream")
}

// onIt returns the error of a package of which the branch has the directory, and what that means.
func (r *repository) onIt(where, means string) error {
	err := fmt.Errorf("%s is on the branch %s, and %s", where, strings.TrimPrefix(r.branch(), branches), means)
	return &packages.Error{Kind: packages.ErrRefused, Err: err,
		Condition: v1alpha1.Stalled(v1alpha1.ReasonDownstreamExists, err.Error())}
}

// sources returns the revision that the lock of a draft is on, nil for an edit, and the one that it is a copy of.
func (h *Home) sources(ctx context.Context, d *packages.Draft) (source, from *found, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, _, err := h.vacant(ctx, d); err != nil {
		return nil, nil, err
	}
	if source, err = h.find(ctx, d.Namespace, d.Task.Source); err != nil {
		return nil, nil, err
	}
	from = source
	if d.Task.Type == revision.Upgrade {
		if from, err = h.find(ctx, d.Namespace, d.Task.Local); err != nil {
			return nil, nil, err
		}
	}
	if d.Task.Type != revision.Clone && !from.Published() {
		return nil, nil, failed(packages.ErrRefused, "%s is not published", from.Name)
	}
	return source, from, nil
}

// copied returns the files of a draft, and what they are made from.
func (h *Home) copied(d *packages.Draft, source, from *found) (map[string]string, *files, error) {
	h.mu.Lock()
	like, err := from.files()
	h.mu.Unlock()
	if err == nil && !like.isPackage() {
		err = noKptfile(from)
	}
	if err != nil || d.Task.Type == revision.Edit {
		return like.textsOf(), like, err
	}
	lock := revision.LockOn(&source.Revision, source.in.Address, source.in.Directory)
	if source.Open() {
		lock.Ref = strings.TrimPrefix(source.ref(), branches)
	}
	var texts map[string]string
	if d.Task.Type == revision.Clone {
		deployment := h.repositories[key{d.Namespace, d.Package.Repo}].Deployment
		texts, err = h.memo.Copy(like.texts, d.Package.Name, deployment)
	} else {
		texts = maps.Clone(like.texts)
	}
	if err == nil {
		texts[kptfile], err = kpt.Lock(texts[kptfile], lock)
	}
	if err != nil {
		err = packages.Unusable(from.Name, v1alpha1.ReasonPackageRefused, err)
	}
	return texts, like, err
}

// textsOf returns the texts of files that may be none.
func (f *files) textsOf() map[string]string {
	if f == nil {
		return nil
	}
	return f.texts
}

// base returns the commit that a draft starts from: the branch's as it is there, so that the draft does not depend on
// what else is published in this round, unless that is its own package. A Repository without its branch gets an empty
// first commit, if it is to have one: in a git repository with other branches, its name may be wrong.
func (h *Home) base(ctx context.Context, r *repository, place string, k id) (git.Hash, error) {
	if now := r.ref(r.branch()); now.Commit != "" {
		branch, _, err := r.branchOf(ctx, place)
		if branch.Commit == "" {
			branch = now
		}
		return branch.Commit, err
	}
	another := func(name string) bool { return strings.HasPrefix(name, branches) && name != StateBranch }
	if !r.CreateBranch && slices.ContainsFunc(slices.Collect(maps.Keys(r.refs)), another) {
		return "", failed(packages.ErrUnavailable, "Repository %s: %s has no branch %s: correct spec.git.branch, or set "+
			"spec.git.createBranch to true", r.Name, r.git.Address(), strings.TrimPrefix(r.branch(), branches))
	}
	empty, err := r.git.PutTree(nil)
	if err != nil {
		return "", err
	}
	commit, err := r.git.PutCommit(ctx, &git.Commit{Tree: empty, Message: "Begin a branch for packages\n"})
	if err != nil {
		return "", err
	}
	r.set(r.branch(), git.Ref{Hash: commit, Commit: commit}, k)
	r.line[branchAt{r.branch(), commit}] = true
	return commit, nil
}

// commit returns a commit with a package's tree over the content of another commit.
func (c *clone) commit(ctx context.Context, over git.Hash, place string, tree git.Hash, message string,
	parents ...git.Hash) (git.Hash, error) {
	base, err := c.git.Commit(over)
	if err != nil {
		return "", err
	}
	root, err := c.git.With(base.Tree, place, tree)
	if err != nil {
		return "", err
	}
	return c.git.PutCommit(ctx, &git.Commit{Tree: root, Parents: parents, Message: message})
}

// Save implements packages.Home. What is saved to a draft that was made in this round is one commit with it.
func (h *Home) Save(ctx context.Context, read packages.Content, texts map[string]string) (_ packages.Content,
	err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.find(ctx, read.Namespace, read.Name)
	if err != nil {
		return packages.Content{}, err
	}
	if f.Lifecycle != revision.Draft || f.Version != read.Version {
		return packages.Content{}, failed(packages.ErrStale, "%s is not what was read", f.Name)
	}
	if err := check(texts); err != nil {
		return packages.Content{}, unusable(f.Name, err)
	}
	like, err := f.files()
	if err != nil {
		return packages.Content{}, err
	}
	texts = maps.Clone(texts)
	like, held, err := h.merged(f, like, texts)
	if err != nil {
		return packages.Content{}, err
	}
	tree, err := f.in.put(texts, like)
	if err != nil {
		return packages.Content{}, unusable(f.Name, err)
	}
	if held != "" {
		e := h.entry(f.member())
		draft := e.Drafts[f.workspace]
		draft.LeftToPeople = held
		e.Drafts[f.workspace] = draft
		h.put(f.member(), &e)
	}
	if tree != f.tree || len(read.Conflicts) > 0 { // what an upgrade keeps everywhere is told as well
		if err := h.saved(ctx, f, tree, naming(read.Conflicts)); err != nil {
			return packages.Content{}, err
		}
	}
	if f, err = h.at(ctx, f.member(), f.Workspace); err != nil {
		return packages.Content{}, err
	}
	now := packages.Unread(&f.Revision)
	now.Files = texts
	return now, f.in.git.WriteIfLarge(ctx)
}

// saved moves a draft to another tree. The message of the commit ends with what is to be told.
func (h *Home) saved(ctx context.Context, f *found, tree git.Hash, told string) error {
	c, head := f.in.clone, git.Hash(f.Commit)
	variant := ""
	if owners := revision.Variants(f.Owners); len(owners) > 0 {
		variant = owners[0]
	}
	by := h.by(f.Namespace, variant, tree)
	a := annotation{Package: f.path, Workspace: f.Workspace}
	subject, parents := "Save "+f.path, []git.Hash{head}
	change, renewed := c.changes[f.ref()], h.renewed[f.id()]
	if change != nil && (c.refs[f.ref()].Hash == "" || renewed != nil) { // nobody has seen it
		old, err := c.git.Commit(head)
		if err != nil {
			return err
		}
		task := renewed.task(f)
		subject, parents, a.Task = subjectOf(f.path, task), old.Parents, taskOf(task)
	}
	e := h.entry(f.member())
	message, err := messageOf(subject+telling(e.Drafts[f.workspace].LeftToPeople)+told, by, a)
	if err != nil {
		return err
	}
	commit, err := c.commit(ctx, head, f.path, tree, message, parents...)
	if err != nil {
		return err
	}
	var needs []need
	if change != nil {
		needs = change.needs
	}
	c.set(f.ref(), git.Ref{Hash: commit, Commit: commit}, f.id(), needs...)
	return h.noteSaved(f, &e, tree, parents)
}

// noteSaved notes what a draft was saved as, in a commit with these parents.
func (h *Home) noteSaved(f *found, e *ledger.Entry, tree git.Hash, parents []git.Hash) error {
	draft, drafted := e.Drafts[f.workspace]
	if !drafted {
		return nil
	}
	lock, err := f.in.lockOf(tree)
	if err != nil {
		return err
	}
	renewed := h.renewed[f.id()]
	if renewed != nil || !isEdited(&draft, f.tree) { // otherwise it has something of a person all the same
		draft.Written = tree
	}
	draft.Seen, draft.Lock = tree, lockID(lock)
	if renewed != nil {
		renewed.saved = true
		if draft.Base, err = f.in.packageAt(parents[0], f.path); err != nil {
			return err
		}
		if draft.Base == renewed.draft.Base && tree == renewed.draft.Seen { // it comes out the same
			h.restore(f.member(), f.id(), renewed)
			draft = renewed.draft
		}
	}
	e.Drafts[f.workspace] = draft
	h.put(f.member(), e)
	return nil
}

// check returns why files cannot be those of a package: what is refused when it is read is not written either, except
// for text that is not in UTF-8, of which the next reader tells.
func check(texts map[string]string) error {
	var file struct{ Kind string }
	if err := yaml.Unmarshal([]byte(texts[kptfile]), &file); err != nil || file.Kind != kptfile {
		return refused("a package has a Kptfile at its root, with kind: Kptfile")
	}
	sizes := make(map[string]int64, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for part := range strings.SplitSeq(name, "/") {
			if err := checkEntry(name, part); err != nil {
				return err
			}
		}
		if err := checkPointer(name, texts[name]); err != nil {
			return err
		}
		sizes[name] = int64(len(texts[name]))
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			if _, isFile := texts[above]; isFile {
				return refused("%s is a file and a directory: rename one of them", above)
			}
		}
	}
	return checkSizes(sizes)
}

// Own implements packages.Home.
func (h *Home) Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference,
	md packages.Metadata) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.current(ctx, r)
	if err == nil && len(owners) > 0 {
		err = f.in.shared()
	}
	if err != nil {
		return err
	}
	m := f.member()
	e := h.entry(m)
	e.Labels = labelled(e.Labels, f.Workspace, md.Labels)
	e.Annotations = labelled(e.Annotations, f.Workspace, md.Annotations)
	e.Owners = changedOwners(e.Owners, r.Owners, owners)
	switch _, drafted := e.Drafts[f.workspace]; {
	case !isOwned(e.Owners):
		e = ledger.Entry{Labels: e.Labels, Annotations: e.Annotations, Place: e.Place}
	case f.number > 0:
		latest, err := f.in.publishedAt(f.path)
		if err != nil {
			return err
		}
		e.Published = latest
	case f.number == 0 && !drafted:
		base, err := f.in.baseOf(ctx, f)
		if err != nil {
			return err
		}
		e.Drafts[f.workspace] = ledger.Draft{Commit: git.Hash(f.Commit), Base: base, Seen: f.tree, Lock: lockID(f.Lock)}
	}
	h.put(m, &e)
	return nil
}

// changedOwners returns owners of a package of which one revision had other owners than it is to have: what others
// have done to the package meanwhile stays.
func changedOwners(now, had, wanted []metav1.OwnerReference) []metav1.OwnerReference {
	out := slices.Clone(wanted)
	for _, owner := range now {
		is := func(o metav1.OwnerReference) bool { return o.Kind == owner.Kind && o.Name == owner.Name }
		if !slices.ContainsFunc(had, is) && !slices.ContainsFunc(wanted, is) {
			out = append(out, owner)
		}
	}
	return out
}

// with returns labels with more of them.
func with(labels, more map[string]string) map[string]string {
	out := maps.Clone(labels)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, more)
	return out
}

// current returns a revision if it is still what was read.
func (h *Home) current(ctx context.Context, r *revision.Revision) (*found, error) {
	f, err := h.find(ctx, r.Namespace, r.Name)
	if err == nil && f.Version != r.Version {
		err = failed(packages.ErrStale, "%s is not what was read", f.Name)
	}
	return f, err
}
