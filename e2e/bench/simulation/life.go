// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// branchWorkspace and branchRevision are the workspace and the revision of Porch's placeholder for the published
// content on the branch.
const (
	branchWorkspace = "main"
	branchRevision  = -1
)

// Propose proposes a draft, and Approve publishes what is proposed, as porchctl does for a person.
func (p *Porch) Propose(namespace, name string) error {
	return p.move(namespace, name, porchapi.PackageRevisionLifecycleDraft, porchapi.PackageRevisionLifecycleProposed)
}

// Approve publishes a proposed revision: it gets the next number of its package, and the placeholder of the branch
// follows it.
func (p *Porch) Approve(namespace, name string) error {
	return p.move(namespace, name, porchapi.PackageRevisionLifecycleProposed,
		porchapi.PackageRevisionLifecyclePublished)
}

// move changes the lifecycle of a revision, which takes Porch as long as a save.
func (p *Porch) move(namespace, name string, from, to porchapi.PackageRevisionLifecycle) error {
	p.mu.Lock()
	found, err := p.get(namespace, name)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.work(namespace, found.object.Spec.RepositoryName, (*Latencies).save, func() error {
		found, err := p.get(namespace, name)
		if err != nil {
			return err
		}
		if is := found.object.Spec.Lifecycle; is != from {
			return fmt.Errorf("%s is %s, not %s", name, is, from)
		}
		changed := &packageRevision{object: *found.object.DeepCopy(), files: found.files}
		changed.object.Spec.Lifecycle = to
		if to == porchapi.PackageRevisionLifecyclePublished {
			changed.object.Spec.Revision = p.next(&changed.object)
			changed.object.Status.PublishedAt = metav1.Now()
		}
		p.put(watch.Modified, changed)
		if to == porchapi.PackageRevisionLifecyclePublished {
			p.follow(changed)
		}
		return nil
	})
}

// next returns the number of the next published revision of a package. The lock must be held.
func (p *Porch) next(of *porchapi.PackageRevision) int {
	next := 1
	for _, r := range p.repository(of.Namespace, of.Spec.RepositoryName).revisions {
		if r.object.Spec.PackageName == of.Spec.PackageName {
			next = max(next, r.object.Spec.Revision+1)
		}
	}
	return next
}

// follow updates the placeholder of a package's branch to the published revision. The lock must be held.
func (p *Porch) follow(published *packageRevision) {
	from := published.object
	object := porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: from.Namespace},
		Spec: porchapi.PackageRevisionSpec{
			RepositoryName: from.Spec.RepositoryName, PackageName: from.Spec.PackageName, WorkspaceName: branchWorkspace,
			Revision: branchRevision, Lifecycle: porchapi.PackageRevisionLifecyclePublished,
		},
		Status: porchapi.PackageRevisionStatus{PublishedAt: from.Status.PublishedAt,
			UpstreamLock: from.Status.UpstreamLock},
	}
	p.name(&object)
	event := watch.Added
	if p.repository(object.Namespace, object.Spec.RepositoryName).revisions[object.Name] != nil {
		event = watch.Modified
	}
	p.put(event, &packageRevision{object: object, files: published.files})
}
