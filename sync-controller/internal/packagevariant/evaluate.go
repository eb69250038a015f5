// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// withPackageContext returns the files of a package with a package context, which Porch adds to a clone in a deployment
// Repository that has none.
func withPackageContext(files map[string]string) map[string]string {
	const file = "package-context.yaml"
	for p, text := range files {
		if path.Base(p) != "Kptfile" && ofRoot(files, p) && packagecontext.Relevant(p, text) {
			return files
		}
	}
	files = maps.Clone(files)
	files[file] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n" +
		"  annotations:\n    config.kubernetes.io/local-config: \"true\"\ndata:\n  name: example\n"
	return files
}

// ofRoot reports whether a file is of the root package, not of a subpackage.
func ofRoot(files map[string]string, p string) bool {
	for directory := path.Dir(p); directory != "."; directory = path.Dir(directory) {
		if _, isPackage := files[directory+"/Kptfile"]; isPackage {
			return false
		}
	}
	return true
}

// merge merges the upstream asked for into the files of a target, and notes the conflicts. It returns nil if nothing is
// to be merged, or nothing can be. Files that are no resources are merged, too, which are not among the items of a
// function: that is why it runs in this process, whatever runs the other functions.
func (r *Reconciler) merge(ctx context.Context, in *inspection, target *revision.Revision,
	local map[string]string) (map[string]string, error) {
	base := decide.Merging(&in.Input, target)
	if base == nil {
		return nil, nil
	}
	merged, outcome, err := r.mergeChanges(ctx, in, base, in.Upstream, in.lock(target), local)
	if err == nil {
		err = checkSize(target.Name, merged)
	}
	if err != nil {
		return nil, err
	}
	outcome.Conflicts = append(slices.Clone(in.Merges[target.Name].Conflicts), outcome.Conflicts...)
	in.Merges[target.Name] = outcome
	return merged, nil
}

// mergeChanges merges the changes between two revisions of an upstream into files, as the spec wants it, and puts the
// lock into their Kptfile. No files come of a merge that failed, or that conflicts stop.
func (r *Reconciler) mergeChanges(ctx context.Context, in *inspection, from, to *revision.Revision, lock *revision.Lock,
	local map[string]string) (map[string]string, decide.Merge, error) {
	original, err := r.original(ctx, from, to)
	if err != nil {
		return nil, decide.Merge{}, err
	}
	updated, err := r.shared(ctx, to)
	if err != nil {
		return nil, decide.Merge{}, err
	}
	if err := cmp.Or(checkSize(to.Name, updated.Files), checkSize(from.Name, original)); err != nil {
		return nil, decide.Merge{}, err
	}
	var merged map[string]string
	var conflicts []merging.Conflict
	r.share.Do(in.pv.Namespace, func() {
		merged, conflicts, err = merging.Merge(original, updated.Files, local, merging.Options{
			OnConflict: merging.OnConflict(decide.OnConflict(&in.Input)),
			Upstream: &merging.Upstream{Type: "git", Git: &merging.Git{Repo: lock.Repo, Directory: lock.Directory,
				Ref: lock.Ref}},
			UpstreamLock: &merging.UpstreamLock{Type: "git", Git: &merging.GitLock{
				Repo: lock.Repo, Directory: lock.Directory, Ref: lock.Ref, Commit: lock.Commit,
			}},
		})
	})
	outcome := decide.Merge{}
	stopped := errors.Is(err, merging.ErrConflicts)
	for _, c := range conflicts {
		conflict := v1alpha1.Conflict{File: c.File, Resource: c.Resource, Field: c.Field, Original: c.Original,
			Local: c.Local, Updated: c.Updated, Taken: c.Taken}
		if stopped {
			conflict.Taken = ""
		}
		outcome.Conflicts = append(outcome.Conflicts, conflict)
	}
	if err != nil && !stopped {
		outcome.Err = fmt.Errorf("merge-upstream: %w", err)
	}
	return merged, outcome, nil
}

// original returns the files from which two revisions of an upstream are compared: those of the first. Where there is
// but one, because it has replaced what the package was made from, that is gone, and they are none but a Kptfile.
func (r *Reconciler) original(ctx context.Context, from, to *revision.Revision) (map[string]string, error) {
	if from.Name == to.Name {
		return map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: gone\n"}, nil
	}
	content, err := r.shared(ctx, from)
	return content.Files, err
}

// lock returns the lock of a target once it is on the upstream asked for. The address of the git repository stays as
// Porch wrote it, where it is the same.
func (o *observation) lock(target *revision.Revision) *revision.Lock {
	repository := o.Repositories[o.Spec.Upstream.Repo]
	lock := revision.LockOn(o.Upstream, repository.Address, repository.Directory)
	if target.Lock.Of(repository.Address) {
		lock.Repo = target.Lock.Repo
	}
	return lock
}

// runFunctions runs the functions over the files that a content is to have, and returns what they make of them. It
// watches from now on the objects that they inject, too.
func (r *Reconciler) runFunctions(ctx context.Context, o *observation, e evaluated) (evaluated, error) {
	request := mutate.Request{
		Name: o.pv.Name, Namespace: o.pv.Namespace, Spec: o.Spec,
		Objects: func(ctx context.Context, candidates []injection.Candidate) ([]map[string]any, []injection.Unreadable,
			error) {
			for _, c := range candidates {
				kind := objects.Kind{APIVersion: c.APIVersion, Kind: c.Kind, Namespace: o.pv.Namespace}
				e.references = append(e.references, objects.Reference{Kind: kind, Name: c.Name})
			}
			if err := r.watches.Add(ctx, o.key(), e.references); err != nil {
				return nil, nil, err
			}
			e.versions = r.versions(e.references)
			return r.injected(ctx, e.references, candidates)
		},
	}
	var err error
	r.share.Do(o.pv.Namespace, func() { e.outcome, err = mutate.Apply(ctx, r.runtime, e.files, request) })
	return e, err
}

// injected returns those of the references' objects that exist, and those that cannot be read.
func (r *Reconciler) injected(ctx context.Context, references []objects.Reference,
	candidates []injection.Candidate) (found []map[string]any, unreadable []injection.Unreadable, err error) {
	for i, reference := range references {
		object, err := r.objects.Read(ctx, reference)
		if err != nil && !objects.Lasting(err) {
			return nil, nil, err
		}
		if err != nil {
			unreadable = append(unreadable, injection.Unreadable{
				APIVersion: candidates[i].APIVersion, Kind: candidates[i].Kind, Name: candidates[i].Name, Message: err.Error(),
			})
		} else if object != nil {
			found = append(found, object)
		}
	}
	return found, unreadable, nil
}
