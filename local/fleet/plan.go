// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"unique"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/home"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Plan says what Sync will do once the manifests, as they are in the directory, are on the default branch. It pushes
// and records nothing. Files asks for the distinct changes of files.
func Plan(ctx context.Context, o Options, files bool) (_ *plans.Plan, err error) {
	f, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s := &syncer{Options: o, Fleet: f}
	keeps, err := s.standMerged(ctx)
	if err == nil {
		err = s.start(ctx, keeps)
	}
	if err != nil {
		return nil, err
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	var all plans.Keys
	for _, set := range s.store.AllSets() {
		if key := objects.KeyOf(&set); s.manifests.ProblemOf(setGroupKind, key.Namespace, key.Name) == nil {
			all.Sets = append(all.Sets, key)
		}
	}
	for _, pv := range s.store.AllVariants() {
		all.Variants = append(all.Variants, objects.KeyOf(&pv))
		if _, err := s.heldInPlan(ctx, objects.KeyOf(&pv)); err != nil { // it was so before the plan
			return nil, err
		}
	}
	world := plans.World{Log: s.store.log, Objects: s.store,
		Packages: &planned{s.packages(), s.home, s.store.log, map[types.NamespacedName]map[string]string{}},
		Source:   func(func(context.Context, objects.Kind) error) objects.Source { return s.source }}
	plan, err := plans.Make(ctx, world, all, plans.Options{Version: s.version(), Anew: true, Runtime: mutate.Builtin{},
		Files: files, Rendered: true, Held: s.heldInPlan, Waits: isNotContacted})
	if err != nil {
		return nil, err
	}
	s.advise(ctx)
	plan.Failures, plan.NotContacted = s.report.Failures, s.contacts.refused
	plan.Notes = append(plan.Notes, s.report.Notes...)
	for _, id := range sortedNames(s.errs) {
		plan.Notes = append(plan.Notes, id+": "+s.errs[id].Error())
	}
	plan.Notes = append(plan.Notes, s.NotContacted()...)
	for _, p := range s.happened.packages() {
		if p.Text != "" {
			plan.Notes = append(plan.Notes, in(p.Namespace, p.Package)+": "+p.Text)
		}
	}
	plan.About = plans.About{Over: "the fleet " + s.subject(), Time: s.store.log.Now()}
	return plan, nil
}

// standMerged says why nothing is removed once what is in the directory is merged: what was synced last is not in its
// history. What a shallow clone does not show is not told.
func (s *syncer) standMerged(ctx context.Context) (keeps string, err error) {
	history, err := s.history(ctx)
	if err != nil || history == nil || s.where.commit == s.was.Commit {
		return "", err
	}
	if late := s.where.late(ctx, history, s.was.Commit); late != "" {
		s.report.note("a sync of this commit does nothing: %s", late)
		return late, nil
	}
	return s.where.beside(ctx, history, s.was.Commit), nil
}

// heldInPlan is held, but a variant also stays as it is if its upstream or its package is in a git repository that is
// not contacted.
func (s *syncer) heldInPlan(ctx context.Context, key types.NamespacedName) (bool, error) {
	pv, err := s.store.Variant(ctx, key.Namespace, key.Name)
	if err != nil || pv == nil {
		return false, err
	}
	for _, repo := range reposOf(pv) {
		if why := s.home.Unread(key.Namespace, repo); isNotContacted(why) {
			return true, s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) {
				v1alpha1.Reconciling(v1alpha1.ReasonRepositoryNotReady, "Repository "+repo+": "+why.Error()).
					Set(&pv.Status.Conditions, pv.Generation)
			})
		}
	}
	if held, err := s.held(ctx, key); held || err != nil {
		return held, err
	}
	return false, s.renew(ctx, pv)
}

// planned are packages in which a plan is made: they note each write, and keep the files that revisions had before.
type planned struct {
	pipelines
	*home.Home
	log    *memory.Log
	before map[types.NamespacedName]map[string]string
}

// note notes a write of a revision that was made.
func (p *planned) note(name, verb, resource, subresource string, err error) {
	if err == nil {
		p.log.Note(memory.Write{Verb: verb, Resource: resource, Subresource: subresource, Name: name})
	}
}

// Ask implements packages.Home.
func (p *planned) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	made, err := p.pipelines.Ask(ctx, d)
	if err == nil {
		p.note(made.Name, "create", memory.Revisions, "", nil)
		err = p.keep(ctx, made.Namespace, made.Name)
	}
	return made, err
}

// Read implements packages.Home.
func (p *planned) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	return p.pipelines.Read(ctx, namespace, name)
}

// Save implements packages.Home.
func (p *planned) Save(ctx context.Context, read packages.Content, files map[string]string) (packages.Content, error) {
	if err := p.keep(ctx, read.Namespace, read.Name); err != nil {
		return packages.Content{}, err
	}
	saved, err := p.pipelines.Save(ctx, read, files)
	p.note(read.Name, "update", memory.Contents, "", err)
	return saved, err
}

// Move implements packages.Home.
func (p *planned) Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (revision.Revision, error) {
	moved, err := p.Home.Move(ctx, r, to)
	p.note(r.Name, "patch", memory.Revisions, "approval", err)
	return moved, err
}

// Own implements packages.Home.
func (p *planned) Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference,
	m packages.Metadata) error {
	err := p.Home.Own(ctx, r, owners, m)
	p.note(r.Name, "patch", memory.Revisions, "", err)
	return err
}

// Delete implements packages.Home.
func (p *planned) Delete(ctx context.Context, r *revision.Revision) error {
	err := p.Home.Delete(ctx, r)
	p.note(r.Name, "delete", memory.Revisions, "", err)
	return err
}

// Original implements plans.Packages.
func (p *planned) Original(ctx context.Context, namespace, name string) (map[string]string, error) {
	if files, kept := p.before[types.NamespacedName{Namespace: namespace, Name: name}]; kept {
		return files, nil
	}
	content, err := p.Read(ctx, namespace, name)
	return content.Files, err
}

// keep keeps the files of a revision, unless it has them already.
func (p *planned) keep(ctx context.Context, namespace, name string) error {
	files, err := p.Original(ctx, namespace, name)
	if err != nil {
		return err
	}
	kept := make(map[string]string, len(files))
	for path, text := range files { // most packages have the same texts, which are kept once
		kept[unique.Make(path).Value()] = unique.Make(text).Value()
	}
	p.before[types.NamespacedName{Namespace: namespace, Name: name}] = kept
	return nil
}
