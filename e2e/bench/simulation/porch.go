// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Latencies are how long Porch works for a call. It does one call at a time in a Repository.
type Latencies struct {
	// Create is for making a draft, Save for rendering and committing its files, Read for all that changes nothing.
	Create, Save, Read time.Duration
}

// DefaultLatencies are about those of a Porch v1.5.3 that does nothing else, with a package of the size that is
// simulated here and one function in its pipeline. LatenciesOf takes what a run has measured.
var DefaultLatencies = Latencies{Create: 60 * time.Millisecond, Save: 70 * time.Millisecond,
	Read: 10 * time.Millisecond}

// LatenciesOf returns the latencies that were measured; what was not is as in DefaultLatencies.
func LatenciesOf(measured []report.Latency) Latencies {
	l := DefaultLatencies
	for _, m := range measured {
		latency := time.Duration(m.MedianSeconds * float64(time.Second))
		switch (call{m.Verb, m.Resource}) {
		case call{"create", revisions}:
			l.Create = latency
		case call{"update", contents}:
			l.Save = latency
		case call{"get", contents}:
			l.Read = latency
		}
	}
	return l
}

// Report returns the latencies as a report tells them.
func (l Latencies) Report() []report.Latency {
	return []report.Latency{
		{Verb: "create", Resource: revisions, MedianSeconds: l.Create.Seconds()},
		{Verb: "update", Resource: contents, MedianSeconds: l.Save.Seconds()},
		{Verb: "get", Resource: contents, MedianSeconds: l.Read.Seconds()},
	}
}

// Porch is Porch's API with revisions in memory: the resources packagerevisions and packagerevisionresources, as far as
// the controller uses them. It is a handler for what kube-apiserver hands on to Porch.
type Porch struct {
	latencies atomic.Pointer[Latencies]
	mux       *http.ServeMux

	mu           sync.Mutex
	repositories map[types.NamespacedName]*repository
	watchers     map[*watcher]bool
	requests     map[call]int
	commits      int
}

// repository is a Repository with its revisions.
type repository struct {
	busy      chan struct{}               // has an element while Porch works in it
	revisions map[string]*packageRevision // by name
}

// packageRevision is a revision with its files. It is never changed, but replaced by another.
type packageRevision struct {
	object porchapi.PackageRevision
	files  map[string]string
}

// NewPorch returns a Porch without revisions.
func NewPorch(latencies Latencies) *Porch {
	p := &Porch{
		mux:          http.NewServeMux(),
		repositories: map[types.NamespacedName]*repository{}, watchers: map[*watcher]bool{}, requests: map[call]int{},
	}
	p.Take(latencies)
	p.routes()
	return p
}

// Take sets how long Porch works for a call from now on.
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

// Touch sets an annotation of a revision, which tells the watchers of it and changes nothing that a variant is about.
func (p *Porch) Touch(namespace, name, value string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, err := p.get(namespace, name)
	if err != nil {
		return err
	}
	changed := &packageRevision{object: *old.object.DeepCopy(), files: old.files}
	metav1.SetMetaDataAnnotation(&changed.object.ObjectMeta, "simulation/touched", value)
	p.store(watch.Modified, changed)
	return nil
}

// Files returns the files of a revision.
func (p *Porch) Files(namespace, name string) (map[string]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, err := p.get(namespace, name)
	if err != nil {
		return nil, err
	}
	return maps.Clone(r.files), nil
}

// nameOf returns the name that Porch gives to a revision.
func nameOf(repo, pkg, workspace string) string {
	return strings.Join([]string{repo, strings.ReplaceAll(pkg, "/", "."), workspace}, ".")
}

// name gives a new revision its name and identity.
func (p *Porch) name(object *porchapi.PackageRevision) {
	object.Name = nameOf(object.Spec.RepositoryName, object.Spec.PackageName, object.Spec.WorkspaceName)
	sum := sha1.Sum([]byte(object.Namespace + "/" + object.Name)) // no secret, only an identity
	object.UID = types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	object.CreationTimestamp = metav1.Now()
}

// repository returns a Repository, which is made if need be. The lock must be held.
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

// put stores a revision with a new commit, which is Porch's resource version. The lock must be held.
func (p *Porch) put(event watch.EventType, r *packageRevision) {
	p.commits++
	sum := sha1.Sum([]byte(fmt.Sprint(r.object.Name, p.commits)))
	r.object.ResourceVersion = hex.EncodeToString(sum[:])
	p.store(event, r)
}

// store stores a revision, or takes it away, and tells the watchers. The lock must be held.
func (p *Porch) store(event watch.EventType, r *packageRevision) {
	revisions := p.repository(r.object.Namespace, r.object.Spec.RepositoryName).revisions
	if revisions[r.object.Name] = r; event == watch.Deleted {
		delete(revisions, r.object.Name)
	}
	for w := range p.watchers {
		w.tell(event, r)
	}
}

// work lets the time pass that Porch works in a Repository, and runs what it does then with the lock held.
func (p *Porch) work(namespace, repo string, latency func(*Latencies) time.Duration, do func() error) error {
	p.mu.Lock()
	r := p.repository(namespace, repo)
	p.mu.Unlock()
	r.busy <- struct{}{}
	defer func() { <-r.busy }()
	time.Sleep(latency(p.latencies.Load()))
	p.mu.Lock()
	defer p.mu.Unlock()
	return do()
}
