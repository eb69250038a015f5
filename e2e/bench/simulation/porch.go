// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Latencies are how long Porch takes for a call.
type Latencies struct {
	// Create is for making a draft, Save for rendering and committing its files, Read for every call that changes nothing.
	Create, Save, Read time.Duration
}

// LatenciesOf returns roughly how long a Porch v1.5.3 with a cache takes on two cores, while it makes drafts of 26
// files, some at a time.
func LatenciesOf(cache stack.Cache) Latencies {
	if cache == stack.DBCache {
		return Latencies{Create: 110 * time.Millisecond, Save: 150 * time.Millisecond, Read: 9 * time.Millisecond}
	}
	return Latencies{Create: 430 * time.Millisecond, Save: 560 * time.Millisecond, Read: 54 * time.Millisecond}
}

// Porch is Porch's API with revisions in memory: the resources packagerevisions and packagerevisionresources, as far as
// the controller uses them. It handles the requests that kube-apiserver passes on to Porch.
type Porch struct {
	cache     stack.Cache
	latencies atomic.Pointer[Latencies]
	mux       *http.ServeMux

	mu           sync.Mutex
	repositories map[types.NamespacedName]*repository
	watchers     map[*watcher]bool
	commits      int
}

// repository is a Repository with its revisions.
type repository struct {
	busy      chan struct{}               // has an element while a Porch with the CR cache works in the Repository
	revisions map[string]*packageRevision // by name
}

// packageRevision is a revision with its files. It is immutable; a change replaces it.
type packageRevision struct {
	object porchapi.PackageRevision
	files  map[string]string
	commit string
}

// NewPorch returns a Porch without revisions that behaves like a Porch with the given cache: with the CR cache, it does
// one call at a time in a Repository, and the version of a revision is a commit.
func NewPorch(latencies Latencies, cache stack.Cache) *Porch {
	p := &Porch{
		cache: cache, mux: http.NewServeMux(),
		repositories: map[types.NamespacedName]*repository{}, watchers: map[*watcher]bool{},
	}
	p.Take(latencies)
	p.routes()
	return p
}

// Take sets the latencies for later calls.
func (p *Porch) Take(latencies Latencies) { p.latencies.Store(&latencies) }

func (l *Latencies) create() time.Duration { return l.Create }
func (l *Latencies) save() time.Duration   { return l.Save }
func (l *Latencies) read() time.Duration   { return l.Read }

// Publish adds a published revision, the next of its package, with these files.
func (p *Porch) Publish(namespace, repo, pkg, workspace string, files map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	object := porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
		Spec: porchapi.PackageRevisionSpec{
			RepositoryName: repo, PackageName: pkg, WorkspaceName: workspace,
			Lifecycle: porchapi.PackageRevisionLifecyclePublished,
		},
		Status: porchapi.PackageRevisionStatus{PublishedAt: metav1.Now()},
	}
	object.Spec.Revision = p.next(&object)
	p.name(&object)
	p.put(watch.Added, &packageRevision{object: object, files: files})
}

// nameOf returns the name that Porch gives to a revision.
func nameOf(repo, pkg, workspace string) string {
	return strings.Join([]string{repo, strings.ReplaceAll(pkg, "/", "."), workspace}, ".")
}

// name gives a new revision its name and identity.
func (p *Porch) name(object *porchapi.PackageRevision) {
	object.Name = nameOf(object.Spec.RepositoryName, object.Spec.PackageName, object.Spec.WorkspaceName)
	sum := sha1.Sum([]byte(object.Namespace + "/" + object.Name)) // an identity, not a secret
	object.UID = types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	object.CreationTimestamp = metav1.Now()
}

// repository returns a Repository, and creates it if needed. The lock must be held.
func (p *Porch) repository(namespace, name string) *repository {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if p.repositories[key] == nil {
		p.repositories[key] = &repository{busy: make(chan struct{}, 1), revisions: map[string]*packageRevision{}}
	}
	return p.repositories[key]
}

// get returns a revision. The lock must be held.
func (p *Porch) get(namespace, name string) (*packageRevision, error) {
	repo, _, _ := strings.Cut(name, ".") // as Porch reads names
	if r := p.repository(namespace, repo).revisions[name]; r != nil {
		return r, nil
	}
	return nil, notFound(name)
}

// put stores a revision with a new commit and a new version. The version is the commit with the CR cache, and the name
// and a number with the DB cache, where Porch has a time instead of the number. The lock must be held.
func (p *Porch) put(event watch.EventType, r *packageRevision) {
	p.commits++
	sum := sha1.Sum([]byte(fmt.Sprint(r.object.Name, p.commits)))
	r.commit = hex.EncodeToString(sum[:])
	if r.object.ResourceVersion = r.commit; p.cache == stack.DBCache {
		r.object.ResourceVersion = fmt.Sprintf("%s.%d", r.object.Name, p.commits)
	}
	p.store(event, r)
}

// store stores or removes a revision, and notifies the watchers. The lock must be held.
func (p *Porch) store(event watch.EventType, r *packageRevision) {
	revisions := p.repository(r.object.Namespace, r.object.Spec.RepositoryName).revisions
	if revisions[r.object.Name] = r; event == watch.Deleted {
		delete(revisions, r.object.Name)
	}
	for w := range p.watchers {
		w.tell(event, r)
	}
}

// work waits as long as Porch works in a Repository, and then calls do with the lock held.
func (p *Porch) work(namespace, repo string, latency func(*Latencies) time.Duration, do func() error) error {
	p.mu.Lock()
	r := p.repository(namespace, repo)
	p.mu.Unlock()
	if p.cache == stack.CRCache {
		r.busy <- struct{}{}
		defer func() { <-r.busy }()
	}
	time.Sleep(latency(p.latencies.Load()))
	p.mu.Lock()
	defer p.mu.Unlock()
	return do()
}
