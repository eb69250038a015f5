// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// versionSeparator stands between Porch's resource version and the hash in one that Trim made.
const versionSeparator = "+"

// gitCommit matches a git commit, by either of git's hashes.
var gitCommit = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// commitIn returns a text if it is a git commit, and "" otherwise. It is the only place that reads a commit out of a
// resource version: Porch's cache in custom resources has it there; the cache in PostgreSQL has a name and a time.
func commitIn(text string) string {
	if !gitCommit.MatchString(text) {
		return ""
	}
	return text
}

// Revision returns what is known about a PackageRevision. The maps and slices are shared.
func Revision(pr *porchapi.PackageRevision) revision.Revision {
	version, _, _ := strings.Cut(pr.ResourceVersion, versionSeparator)
	r := revision.Revision{
		Namespace: pr.Namespace, Name: pr.Name,
		Package:   revision.Package{Repo: pr.Spec.RepositoryName, Name: pr.Spec.PackageName},
		Workspace: pr.Spec.WorkspaceName,
		Number:    pr.Spec.Revision,
		Lifecycle: cmp.Or(revision.Lifecycle(pr.Spec.Lifecycle), revision.Draft),
		Deleting:  !pr.DeletionTimestamp.IsZero(),
		Version:   version, Commit: commitIn(version), InParts: commitIn(version) == "",
		Created: pr.CreationTimestamp.Time, PublishedAt: pr.Status.PublishedAt.Time,
		Labels: pr.Labels, Annotations: pr.Annotations,
		Owners: pr.OwnerReferences,
	}
	if lock := pr.Status.UpstreamLock; lock != nil && lock.Git != nil && (lock.Git.Commit != "" || lock.Git.Ref != "") {
		r.Lock = &revision.Lock{Repo: lock.Git.Repo, Directory: lock.Git.Directory, Ref: lock.Git.Ref,
			Commit: lock.Git.Commit}
	}
	if len(pr.Spec.Tasks) > 0 {
		r.Task = taskOf(&pr.Spec.Tasks[0])
	}
	return r
}

// isReading reports whether the condition Ready of a Repository says that Porch is reading it. Newer Porch says so
// during each read, v1.5 only before the first one.
func isReading(ready *metav1.Condition) bool {
	return ready.Status != metav1.ConditionTrue && ready.Reason == "Reconciling"
}

// taskOf returns a task; only its type if variants do not use that type.
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
// resource version. Porch's stays the same when labels, owners or the lifecycle of a published revision change, and
// informers do not report a change of an object that keeps its version.
func Trim(object any) (any, error) {
	pr, ok := object.(*porchapi.PackageRevision)
	if !ok {
		return object, nil
	}
	version, _, _ := strings.Cut(pr.ResourceVersion, versionSeparator)
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
		controls := revision.Controls(owner)
		_, _ = fmt.Fprintf(h, "%q %q %q %q %v\n", owner.APIVersion, owner.Kind, owner.Name, owner.UID, controls)
	}
	_, _ = fmt.Fprintf(h, "%s %d %v", pr.Spec.Lifecycle, pr.Spec.Revision, pr.DeletionTimestamp)
	pr.ResourceVersion = fmt.Sprintf("%s%s%x", version, versionSeparator, h.Sum64())
	return pr, nil
}
