// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// write does a write to a revision.
func (p *Packages) write(w Write, do func() error) error {
	return p.around.through(w, func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		return do()
	})
}

// stamp gives a revision that is written a version.
func (p *packagesState) stamp(r *revision.Revision) {
	r.Version, r.Commit, r.InParts = fmt.Sprintf("%s%d", planned, p.log.Version()), "", !p.Git
	if p.Git {
		r.Version = fmt.Sprintf("%040x", p.log.Version())
		r.Commit = r.Version
	}
}

// render returns files as they are saved.
func (p *packagesState) render(ctx context.Context, files map[string]string) (map[string]string, error) {
	if p.Render == nil {
		return files, nil
	}
	return p.Render(ctx, files)
}

// Ask implements packages.Home.
func (p *Packages) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	r := revision.Revision{Namespace: d.Namespace, Name: d.Package.NameOf(d.Workspace), Package: d.Package,
		Workspace: d.Workspace, Lifecycle: revision.Draft, Labels: d.Labels, Annotations: d.Annotations,
		Owners: d.Owners(), Task: d.Task}
	w := Write{Verb: "create", Resource: Revisions, Name: r.Name}
	err := p.write(w, func() error {
		files, err := p.draft(ctx, &d)
		if err == nil {
			files, err = p.render(ctx, files)
		}
		if err != nil {
			return err
		}
		if p.revisions.all[keyOf(&r)] != nil {
			return failed(packages.ErrStale, "there is a package revision %s", r.Name)
		}
		p.log.Note(w)
		p.stamp(&r)
		r.Created, r.Lock = p.log.second().Time, kpt.LockOf(files)
		p.originals[keyOf(&r)] = files
		p.revisions.put(keyOf(&r), &entry{r, files})
		return nil
	})
	if err != nil {
		return revision.Revision{}, said(err, "cannot %s %s", d.Task.Type, d.Package)
	}
	return r, nil
}

// draft returns the files of a new draft, by its task. The lock must be held.
func (p *packagesState) draft(ctx context.Context, d *packages.Draft) (map[string]string, error) {
	repository, err := p.repository(ctx, d.Namespace, d.Package.Repo)
	if err != nil {
		return nil, err
	}
	files := func(name string) (map[string]string, error) {
		content, err := p.content(ctx, key{Namespace: d.Namespace, Name: name})
		return content.Files, err
	}
	switch d.Task.Type {
	case revision.Clone:
		upstream, err := files(d.Task.Source)
		if err != nil {
			return nil, err
		}
		lock, err := p.lockOn(ctx, d.Namespace, d.Task.Source)
		if err != nil {
			return nil, err
		}
		return p.Memo.Clone(upstream, d.Package.Name, lock, repository.Deployment)
	case revision.Upgrade:
		return p.upgraded(ctx, d.Namespace, &d.Task, files)
	case revision.Edit:
		e, err := p.get(key{Namespace: d.Namespace, Name: d.Task.Source})
		if err != nil {
			return nil, err
		}
		if !e.Published() {
			return nil, failed(packages.ErrRefused, "source revision must be published")
		}
		return files(d.Task.Source)
	}
	return nil, failed(packages.ErrRefused, "there is no task %q", d.Task.Type)
}

// repository returns a Repository.
func (p *packagesState) repository(ctx context.Context, namespace, name string) (*revision.Repository, error) {
	r, err := p.repositories(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, failed(packages.ErrAbsent, "there is no Repository %s", name)
	}
	return &r.Repository, nil
}

// upgraded returns the files of an upgrade by Porch, which the merge of merge-upstream predicts if the upstream wins.
func (p *packagesState) upgraded(ctx context.Context, namespace string, task *revision.Task,
	files func(string) (map[string]string, error)) (map[string]string, error) {
	var of [3]map[string]string
	for i, name := range []string{task.Base, task.Source, task.Local} {
		var err error
		if of[i], err = files(name); err != nil {
			return nil, err
		}
	}
	lock, err := p.lockOn(ctx, namespace, task.Source)
	if err != nil {
		return nil, err
	}
	merged, _, err := merging.Merge(of[0], of[1], of[2], merging.Options{OnConflict: merging.TakeUpstream})
	if err != nil {
		return nil, err
	}
	return p.Memo.Upgrade(merged, lock)
}

// lockOn returns the lock of a package that is taken on a revision. The lock of the packages must be held.
func (p *packagesState) lockOn(ctx context.Context, namespace, name string) (*revision.Lock, error) {
	e, err := p.get(key{Namespace: namespace, Name: name})
	if err != nil {
		return nil, err
	}
	repository, err := p.repository(ctx, namespace, e.Package.Repo)
	if err != nil {
		return nil, err
	}
	if repository.Address == "" {
		return nil, fmt.Errorf("the Repository %s is not of a git repository", e.Package.Repo)
	}
	r := e.Revision
	if r.Commit == "" && p.HideCommits {
		r.Commit = fmt.Sprintf("%040x", r.Version[max(len(r.Version)-20, 0):])
	}
	lock := revision.LockOn(&r, repository.Address, repository.Directory)
	lock.Directory = r.Package.Name // as Porch writes it
	return lock, nil
}

// Save implements packages.Home.
func (p *Packages) Save(ctx context.Context, read packages.Content,
	files map[string]string) (saved packages.Content, err error) {
	w := Write{Verb: "update", Resource: Contents, Name: read.Name}
	k := key{Namespace: read.Namespace, Name: read.Name}
	err = p.write(w, func() error {
		if err := p.checkSaved(files); err != nil {
			return err
		}
		files, err := p.saved(ctx, k, files)
		if err != nil {
			return err
		}
		e, err := p.get(k)
		switch {
		case err != nil:
			return err
		case e.Lifecycle != revision.Draft:
			return failed(packages.ErrStale, "it is %s", e.Lifecycle)
		case e.Version != read.Version:
			return failed(packages.ErrStale, "it has changed")
		}
		p.log.Note(w)
		r := e.Revision
		p.stamp(&r)
		r.Lock = kpt.LockOf(files)
		p.revisions.put(k, &entry{r, files})
		saved, err = p.content(ctx, k)
		return err
	})
	if err != nil {
		return packages.Content{}, said(err, "cannot save %s", read.Name)
	}
	saved.Files = maps.Clone(saved.Files)
	return saved, nil
}

// saved returns files as they are once they are saved in a draft. The lock must be held.
func (p *packagesState) saved(ctx context.Context, k key, files map[string]string) (map[string]string, error) {
	before, err := p.content(ctx, k)
	if err != nil && !errors.Is(err, packages.ErrNoFiles) {
		return nil, err
	}
	sent := maps.Clone(files)
	for name, text := range sent { // as JSON
		sent[name] = strings.ToValidUTF8(text, "\uFFFD")
	}
	healed, err := p.Memo.Save(before.Files, sent)
	if err != nil {
		return nil, &failure{error: err, kind: packages.ErrRefused, means: packages.FileRefused}
	}
	return p.render(ctx, healed)
}

// maxSaved is how many bytes Porch accepts in a save, unless its flag says otherwise.
const maxSaved = 6 << 20

// checkSaved returns the error with which Porch refuses files whatever they contain. Only the cache in custom resources
// misses a Kptfile.
func (p *packagesState) checkSaved(files map[string]string) error {
	size := 0
	for name, text := range files {
		size += len(text)
		if strings.Contains(name, " ") {
			return &failure{fmt.Errorf("illegal name '%s'", name), packages.ErrRefused, packages.FileRefused}
		}
		if strings.HasPrefix(path.Clean(name), "..") {
			return packages.RenderError("cannot add a directory above '/'")
		}
	}
	switch {
	case p.Git && files["Kptfile"] == "":
		return &failure{errors.New("package must contain Kptfile at root"), packages.ErrRefused, packages.FileRefused}
	case size > maxSaved:
		return &failure{fmt.Errorf("limit is %d", maxSaved), packages.ErrRefused, packages.TooLarge}
	}
	return nil
}

// Move implements packages.Home.
func (p *Packages) Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (revision.Revision, error) {
	subresource := "approval"
	if to == revision.Proposed || to == revision.DeletionProposed || r.Lifecycle == revision.DeletionProposed {
		subresource = ""
	}
	return p.patch(ctx, r, subresource, func(now *revision.Revision) {
		if now.Lifecycle = to; to == revision.DeletionProposed {
			now.Owners = r.Owners
		}
	})
}

// Own implements packages.Home. Like the one of a cluster, it takes two writes for a draft whose Kptfile Porch changes.
func (p *Packages) Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference,
	m packages.Metadata) error {
	own := func(now *revision.Revision) {
		now.Owners = owners
		now.Labels, now.Annotations = with(now.Labels, m.Labels), with(now.Annotations, m.Annotations)
	}
	if r.Lifecycle != revision.Draft {
		_, err := p.patch(ctx, r, "", own)
		return err
	}
	before, err := p.whole(ctx, r)
	if err != nil {
		return err
	}
	changed, err := p.patch(ctx, r, "", own)
	if err != nil {
		return err
	}
	after, err := p.whole(ctx, &changed)
	if err != nil || maps.Equal(before.Files, after.Files) || after.Version != changed.Version {
		return err
	}
	_, err = p.Save(ctx, after, before.Files)
	return err
}

// with returns labels or annotations with more of them.
func with(all, more map[string]string) map[string]string {
	if len(more) == 0 {
		return all
	}
	both := maps.Clone(more)
	maps.Copy(both, all)
	maps.Copy(both, more)
	return both
}

// whole returns the content of a revision, whatever it is.
func (p *Packages) whole(ctx context.Context, r *revision.Revision) (packages.Content, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	content, err := p.content(ctx, keyOf(r))
	if err != nil {
		return content, said(err, "cannot read the content of %s", r.Name)
	}
	return content, nil
}

// Patch changes a revision, at any version, as people do.
func (p *Packages) Patch(ctx context.Context, namespace, name string, change func(*revision.Revision)) error {
	_, err := p.patch(ctx, &revision.Revision{Namespace: namespace, Name: name}, "", change)
	return err
}

// patch changes a revision as Porch does, at the version of r if that has one. A published revision keeps its version.
// One that is published gets a number, and the Kptfile of a draft is written again.
func (p *Packages) patch(ctx context.Context, r *revision.Revision, subresource string,
	change func(*revision.Revision)) (now revision.Revision, err error) {
	w := Write{Verb: "patch", Resource: Revisions, Subresource: subresource, Name: r.Name}
	err = p.write(w, func() error {
		files, err := p.touched(ctx, keyOf(r))
		if err != nil {
			return err
		}
		was, err := p.get(keyOf(r))
		if err != nil {
			return err
		}
		now = was.Revision
		change(&now)
		switch {
		case r.Version != "" && r.Version != was.Version:
			return failed(packages.ErrStale, "it has changed")
		case now.Published() != was.Published() && was.Lifecycle != revision.Proposed:
			return failed(packages.ErrRefused, "it is %s, and cannot become %s", was.Lifecycle, now.Lifecycle)
		}
		p.log.Note(w)
		if !was.Published() {
			p.stamp(&now)
		}
		if now.Published() && !was.Published() {
			now.Number, now.PublishedAt = p.nextNumber(&now), p.log.second().Time
		}
		p.revisions.put(keyOf(&now), &entry{now, files})
		return nil
	})
	if err != nil {
		return revision.Revision{}, said(err, "cannot change package revision %s", r.Name)
	}
	return now, nil
}

// touched returns the files that were written to a revision once its metadata or its lifecycle is changed. The lock
// must be held.
func (p *packagesState) touched(ctx context.Context, k key) (map[string]string, error) {
	e, err := p.get(k)
	if err != nil {
		return nil, err
	}
	if e.Lifecycle != revision.Draft {
		return e.files, nil
	}
	content, err := p.content(ctx, k)
	if err != nil && !errors.Is(err, packages.ErrNoFiles) {
		return nil, err
	}
	files, err := kpt.Touch(content.Files)
	if err != nil {
		return nil, err
	}
	return p.render(ctx, files)
}

// nextNumber returns the number of the next revision of a package that is published. The lock must be held.
func (p *packagesState) nextNumber(r *revision.Revision) int {
	number := 1
	for _, e := range p.revisions.find(r.Namespace, string(packages.ByPackage), r.Package.String()) {
		number = max(number, e.Number+1)
	}
	return number
}

// Delete implements packages.Home.
func (p *Packages) Delete(_ context.Context, r *revision.Revision) error {
	if r.Published() {
		return &packages.Error{Kind: packages.ErrRefused,
			Err: fmt.Errorf("the package revision %s is published: propose its deletion", r.Name)}
	}
	w := Write{Verb: "delete", Resource: Revisions, Name: r.Name}
	err := p.write(w, func() error {
		if p.revisions.all[keyOf(r)] == nil {
			return nil
		}
		p.log.Note(w)
		p.revisions.drop(keyOf(r))
		return nil
	})
	if err != nil {
		return said(err, "cannot delete package revision %s", r.Name)
	}
	return nil
}
