// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/tasks"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// createRevision makes a draft, with the content that Porch gives it.
func (w *World) createRevision(ctx context.Context, pr *porchapi.PackageRevision) error {
	pr.Name = revision.Package{Repo: pr.Spec.RepositoryName, Name: pr.Spec.PackageName}.NameOf(pr.Spec.WorkspaceName)
	key := client.ObjectKeyFromObject(pr)
	files, err := w.draft(ctx, pr)
	if err == nil {
		files, err = w.render(ctx, files)
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store(revisions.GroupKind()).get(key) != nil {
		return apierrors.NewAlreadyExists(porchapi.Resource("packagerevisions"), pr.Name)
	}
	w.note("create", revisions, "", pr.Name)
	pr.UID = types.UID("planned-" + pr.Name)
	pr.CreationTimestamp = metav1.Time{Time: w.now}
	w.made[key] = files
	w.commit(pr, files)
	return w.put(pr.DeepCopy())
}

// commit gives a revision files, and a commit of its own. The lock must be held.
func (w *World) commit(pr *porchapi.PackageRevision, files map[string]string) {
	w.stamp(pr)
	pr.Status.UpstreamLock = nil
	if lock := tasks.LockOf(files); lock != nil {
		pr.Status.UpstreamLock = &porchapi.UpstreamLock{Type: "git", Git: &porchapi.GitLock{
			Repo: lock.Repo, Directory: lock.Directory, Ref: lock.Ref, Commit: lock.Commit}}
	}
	w.drafts[client.ObjectKeyFromObject(pr)] = contentOf(pr, files)
}

// contentOf returns the content of a revision as Porch serves it.
func contentOf(pr *porchapi.PackageRevision, files map[string]string) *porchapi.PackageRevisionResources {
	return &porchapi.PackageRevisionResources{
		ObjectMeta: metav1.ObjectMeta{Namespace: pr.Namespace, Name: pr.Name, UID: pr.UID,
			ResourceVersion: pr.ResourceVersion},
		Spec: porchapi.PackageRevisionResourcesSpec{PackageName: pr.Spec.PackageName, Resources: files,
			WorkspaceName: pr.Spec.WorkspaceName, RepositoryName: pr.Spec.RepositoryName},
	}
}

// draft returns the files of a new draft, by its task.
func (w *World) draft(ctx context.Context, pr *porchapi.PackageRevision) (map[string]string, error) {
	files := func(name string) (map[string]string, error) {
		var content porchapi.PackageRevisionResources
		err := w.getContent(ctx, types.NamespacedName{Namespace: pr.Namespace, Name: name}, &content)
		return content.Spec.Resources, err
	}
	var repository configapi.Repository
	if err := w.Get(ctx, types.NamespacedName{Namespace: pr.Namespace, Name: pr.Spec.RepositoryName},
		&repository); err != nil {
		return nil, err
	}
	switch task := pr.Spec.Tasks[0]; {
	case task.Clone != nil:
		name := task.Clone.Upstream.UpstreamRef.Name
		upstream, err := files(name)
		if err != nil {
			return nil, err
		}
		lock, err := w.lockOn(ctx, pr.Namespace, name)
		if err != nil {
			return nil, err
		}
		return w.memo.Clone(upstream, pr.Spec.PackageName, lock, repository.Spec.Deployment)
	case task.Upgrade != nil:
		return w.upgraded(ctx, pr.Namespace, task.Upgrade, files)
	case task.Edit != nil:
		var source porchapi.PackageRevision
		err := w.Get(ctx, types.NamespacedName{Namespace: pr.Namespace, Name: task.Edit.Source.Name}, &source)
		if err == nil && !porchapi.LifecycleIsPublished(source.Spec.Lifecycle) {
			err = apierrors.NewInternalError(errors.New("source revision must be published"))
		}
		if err != nil {
			return nil, err
		}
		return files(source.Name)
	}
	return nil, fmt.Errorf("there is no task of package revision %s that is known", pr.Name)
}

// upgraded returns the files of an upgrade by Porch, which the merge of merge-upstream predicts if the upstream wins.
func (w *World) upgraded(ctx context.Context, namespace string, task *porchapi.PackageUpgradeTaskSpec,
	files func(string) (map[string]string, error)) (map[string]string, error) {
	var of [3]map[string]string
	for i, name := range []string{task.OldUpstream.Name, task.NewUpstream.Name, task.LocalPackageRevisionRef.Name} {
		var err error
		if of[i], err = files(name); err != nil {
			return nil, err
		}
	}
	lock, err := w.lockOn(ctx, namespace, task.NewUpstream.Name)
	if err != nil {
		return nil, err
	}
	merged, _, err := merging.Merge(of[0], of[1], of[2], merging.Options{})
	if err != nil {
		return nil, err
	}
	return w.memo.Upgrade(merged, lock)
}

// lockOn returns the lock of a package that is taken on a revision.
func (w *World) lockOn(ctx context.Context, namespace, name string) (*revision.Lock, error) {
	var pr porchapi.PackageRevision
	if err := w.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, &pr); err != nil {
		return nil, err
	}
	var repository configapi.Repository
	if err := w.Get(ctx, types.NamespacedName{Namespace: namespace, Name: pr.Spec.RepositoryName},
		&repository); err != nil {
		return nil, err
	}
	git := repository.Spec.Git
	if git == nil {
		return nil, fmt.Errorf("the Repository %s is not of a git repository", repository.Name)
	}
	r := porch.Revision(&pr)
	if r.Commit == "" && w.hidden {
		r.Commit = fmt.Sprintf("%040x", r.Version[max(len(r.Version)-20, 0):])
	}
	return revision.LockOn(&r, git.Repo, git.Directory), nil
}

// save saves the content of a draft, if it is the one that was read.
func (w *World) save(ctx context.Context, prr *porchapi.PackageRevisionResources) error {
	key := client.ObjectKeyFromObject(prr)
	var before porchapi.PackageRevisionResources
	if err := w.getContent(ctx, key, &before); err != nil {
		return err
	}
	if err := w.checkSaved(prr.Spec.Resources); err != nil {
		return err
	}
	sent := maps.Clone(prr.Spec.Resources)
	for name, text := range sent { // as JSON
		sent[name] = strings.ToValidUTF8(text, "\uFFFD")
	}
	files, err := w.memo.Save(before.Spec.Resources, sent)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("failed to heal resources: %w", err))
	}
	files, err = w.render(ctx, files)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found := w.store(revisions.GroupKind()).get(key)
	old, ok := found.(*porchapi.PackageRevision)
	if !ok {
		return notFound(revisions, prr.Name)
	}
	if old.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
		return apierrors.NewInternalError(fmt.Errorf(
			"cannot update a package revision with lifecycle value %q; package must be Draft", old.Spec.Lifecycle))
	}
	if !sameCommit(before.ResourceVersion, prr.ResourceVersion) {
		return apierrors.NewConflict(porchapi.Resource("packagerevisionresources"), prr.Name,
			fmt.Errorf("it is at %s", before.ResourceVersion))
	}
	w.note("update", contents, "", prr.Name)
	pr := old.DeepCopy()
	w.commit(pr, files)
	*prr = *w.drafts[key]
	prr.Spec.Resources = maps.Clone(files)
	return w.put(pr)
}

// maxSaved is how many bytes Porch accepts in a save, unless its flag says otherwise.
const maxSaved = 6 << 20

// checkSaved returns the error with which Porch refuses files whatever they contain. Only the cache in custom resources
// misses a Kptfile.
func (w *World) checkSaved(files map[string]string) error {
	size := 0
	for name, text := range files {
		size += len(text)
		if strings.Contains(name, " ") {
			return apierrors.NewInternalError(fmt.Errorf("illegal name '%s'", name))
		}
		if strings.HasPrefix(path.Clean(name), "..") {
			return apierrors.NewInternalError(porch.NewRenderError("cannot add a directory above '/'"))
		}
	}
	switch {
	case w.commits && files["Kptfile"] == "":
		return apierrors.NewInternalError(errors.New("package must contain Kptfile at root: file does not exist"))
	case size > maxSaved:
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxSaved))
	}
	return nil
}

// checkMoved returns the error with which Porch refuses a change of a lifecycle; nil for an object of another kind.
func checkMoved(before, after client.Object) error {
	was, okWas := before.(*porchapi.PackageRevision)
	is, ok := after.(*porchapi.PackageRevision)
	if !ok || !okWas {
		return nil
	}
	from, to := was.Spec.Lifecycle, is.Spec.Lifecycle
	if porchapi.LifecycleIsPublished(to) != porchapi.LifecycleIsPublished(from) &&
		from != porchapi.PackageRevisionLifecycleProposed {
		return apierrors.NewInvalid(revisions.GroupKind(), is.Name, field.ErrorList{field.Invalid(
			field.NewPath("spec", "lifecycle"), from, fmt.Sprintf("it cannot become %s", to))})
	}
	return nil
}

// touched returns the files of a draft after a change of its metadata or its lifecycle; nil for any other revision.
func (w *World) touched(ctx context.Context, key types.NamespacedName) (map[string]string, error) {
	var pr porchapi.PackageRevision
	if err := w.Get(ctx, key, &pr); err != nil {
		return nil, err
	}
	if pr.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
		return nil, nil
	}
	var content porchapi.PackageRevisionResources
	if err := w.getContent(ctx, key, &content); err != nil {
		return nil, err
	}
	files, err := tasks.Touch(content.Spec.Resources)
	if err != nil {
		return nil, err
	}
	return w.render(ctx, files)
}

// revise changes a patched revision as Porch does: it gets a number when it is published, and a new commit, for a draft
// with the files in touched. The lock must be held.
func (w *World) revise(before, after *porchapi.PackageRevision, touched map[string]string) {
	key := client.ObjectKeyFromObject(after)
	published := porchapi.LifecycleIsPublished(after.Spec.Lifecycle)
	switch {
	case published && porchapi.LifecycleIsPublished(before.Spec.Lifecycle):
		after.ResourceVersion, _, _ = strings.Cut(before.ResourceVersion, "+") // its content stays what it was
		return
	case published:
		after.Spec.Revision = 1
		for _, o := range w.store(revisions.GroupKind()).all() {
			pr, ok := o.(*porchapi.PackageRevision)
			if ok && pr.Namespace == after.Namespace && pr.Spec.RepositoryName == after.Spec.RepositoryName &&
				pr.Spec.PackageName == after.Spec.PackageName {
				after.Spec.Revision = max(after.Spec.Revision, pr.Spec.Revision+1)
			}
		}
		after.Status.PublishedAt = metav1.Time{Time: w.now}
	}
	if touched != nil {
		w.drafts[key] = contentOf(after, touched)
	} else if content := w.drafts[key]; content != nil {
		w.drafts[key] = contentOf(after, content.Spec.Resources)
	}
}
