// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/watch"
)

// Revision is a snapshot of a package revision.
type Revision struct {
	// Name is its name. Number is its revision number, 0 for a draft.
	Name   string
	Number int
	// Lifecycle is its lifecycle.
	Lifecycle porchapi.PackageRevisionLifecycle
	// Upstream is the reference of the upstream that it was made from, such as web/v1.
	Upstream string
	// Files are its files, which must not be changed.
	Files map[string]string
}

// Open reports whether it is a draft or proposed.
func (r *Revision) Open() bool { return !porchapi.LifecycleIsPublished(r.Lifecycle) }

// Package returns the revisions of a package by name, without the placeholder of the branch.
func (p *Porch) Package(namespace, repo, pkg string) []Revision {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Revision
	for _, r := range p.repository(namespace, repo).revisions {
		spec := &r.object.Spec
		if spec.PackageName != pkg || spec.Revision == branchRevision {
			continue
		}
		one := Revision{Name: r.object.Name, Number: spec.Revision, Lifecycle: spec.Lifecycle, Files: r.files}
		if lock := r.object.Status.UpstreamLock; lock != nil && lock.Git != nil {
			one.Upstream = lock.Git.Ref
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Revision) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// ApproveDeletions deletes the revisions of a namespace that are proposed for deletion, as porchctl does for a person,
// and returns their number. A package without published revisions loses its placeholder.
func (p *Porch) ApproveDeletions(namespace string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var proposed []*packageRevision
	for key, of := range p.repositories {
		for _, r := range of.revisions {
			if key.Namespace == namespace && r.object.Spec.Lifecycle == porchapi.PackageRevisionLifecycleDeletionProposed {
				proposed = append(proposed, r)
			}
		}
	}
	for _, r := range proposed {
		p.store(watch.Deleted, r)
		p.unfollow(r)
	}
	return len(proposed)
}

// unfollow removes the placeholder of a package that has no published revision left. The lock must be held.
func (p *Porch) unfollow(deleted *packageRevision) {
	spec := &deleted.object.Spec
	var placeholder *packageRevision
	for _, r := range p.repository(deleted.object.Namespace, spec.RepositoryName).revisions {
		switch {
		case r.object.Spec.PackageName != spec.PackageName || !r.object.IsPublished():
		case r.object.Spec.Revision == branchRevision:
			placeholder = r
		default:
			return
		}
	}
	if placeholder != nil {
		p.store(watch.Deleted, placeholder)
	}
}

// Placeholders returns how many packages of a namespace have a placeholder for the branch.
func (p *Porch) Placeholders(namespace string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for key, of := range p.repositories {
		for _, r := range of.revisions {
			if key.Namespace == namespace && r.object.Spec.Revision == branchRevision {
				n++
			}
		}
	}
	return n
}
