// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
)

// versionSeparator stands between the commit and the hash in a resource version that Trim made.
const versionSeparator = "+"

// Revision returns what is known of a PackageRevision. The maps and slices are shared.
func Revision(pr *porchapi.PackageRevision) revision.Revision {
	commit, _, _ := strings.Cut(pr.ResourceVersion, versionSeparator)
	r := revision.Revision{
		Namespace: pr.Namespace, Name: pr.Name,
		Package:   revision.Package{Repo: pr.Spec.RepositoryName, Name: pr.Spec.PackageName},
		Workspace: pr.Spec.WorkspaceName,
		Number:    pr.Spec.Revision,
		Lifecycle: cmp.Or(revision.Lifecycle(pr.Spec.Lifecycle), revision.Draft),
		Commit:    commit,
		Created:   pr.CreationTimestamp.Time, PublishedAt: pr.Status.PublishedAt.Time,
		Labels: pr.Labels, Annotations: pr.Annotations,
		Owners: pr.OwnerReferences,
	}
	if lock := pr.Status.UpstreamLock; lock != nil && lock.Git != nil && lock.Git.Commit != "" {
		r.Lock = &revision.Lock{Repo: lock.Git.Repo, Directory: lock.Git.Directory, Ref: lock.Git.Ref,
			Commit: lock.Git.Commit}
	}
	if len(pr.Spec.Tasks) > 0 {
		r.Task = taskOf(&pr.Spec.Tasks[0])
	}
	return r
}

// taskOf returns a task; of one that a variant does not use, the type alone.
func taskOf(t *porchapi.Task) revision.Task {
	out := revision.Task{Type: revision.TaskType(t.Type)}
	switch {
	case t.Clone != nil && t.Clone.Upstream.UpstreamRef != nil:
		out.Source = t.Clone.Upstream.UpstreamRef.Name
	case t.Upgrade != nil:
		out.Base, out.Source, out.Local = t.Upgrade.OldUpstream.Name, t.Upgrade.NewUpstream.Name,
			t.Upgrade.LocalPackageRevisionRef.Name
	case t.Edit != nil && t.Edit.Source != nil:
		out.Source = t.Edit.Source.Name
	}
	return out
}

// task returns a task in Porch's form.
func task(t revision.Task) porchapi.Task {
	ref := func(name string) porchapi.PackageRevisionRef { return porchapi.PackageRevisionRef{Name: name} }
	source := ref(t.Source)
	out := porchapi.Task{Type: porchapi.TaskType(t.Type)}
	switch t.Type {
	case revision.Clone:
		out.Clone = &porchapi.PackageCloneTaskSpec{Upstream: porchapi.UpstreamPackage{UpstreamRef: &source}}
	case revision.Upgrade:
		out.Upgrade = &porchapi.PackageUpgradeTaskSpec{
			OldUpstream: ref(t.Base), NewUpstream: source, LocalPackageRevisionRef: ref(t.Local),
			Strategy: porchapi.ResourceMerge,
		}
	case revision.Edit:
		out.Edit = &porchapi.PackageEditTaskSpec{Source: &source}
	}
	return out
}

// Trim is the transform of the cache of PackageRevisions: it keeps the fields that Revision reads, and completes the
// resource version. Porch's is the commit of the content and stays the same when labels, owners or the lifecycle of a
// published revision change; informers do not tell of an object that keeps its version.
func Trim(object any) (any, error) {
	pr, ok := object.(*porchapi.PackageRevision)
	if !ok {
		return object, nil
	}
	pr.ManagedFields, pr.Spec.ReadinessGates = nil, nil
	if len(pr.Spec.Tasks) > 0 {
		pr.Spec.Tasks = []porchapi.Task{task(taskOf(&pr.Spec.Tasks[0]))}
	}
	pr.Status = porchapi.PackageRevisionStatus{UpstreamLock: pr.Status.UpstreamLock, PublishedAt: pr.Status.PublishedAt}
	h := fnv.New64a()
	for _, m := range []map[string]string{pr.Labels, pr.Annotations} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			_, _ = fmt.Fprintf(h, "%q=%q\n", key, m[key]) // a hash never fails
		}
		_, _ = fmt.Fprintln(h)
	}
	for _, owner := range pr.OwnerReferences {
		_, _ = fmt.Fprintf(h, "%q %q %q %q\n", owner.APIVersion, owner.Kind, owner.Name, owner.UID)
	}
	_, _ = fmt.Fprintf(h, "%s %d %v", pr.Spec.Lifecycle, pr.Spec.Revision, pr.DeletionTimestamp)
	pr.ResourceVersion = fmt.Sprintf("%s%s%x", pr.ResourceVersion, versionSeparator, h.Sum64())
	return pr, nil
}
