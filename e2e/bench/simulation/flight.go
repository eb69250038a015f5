// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/harness"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	retry "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// flight follows the variants of a fleet by a watch, which returns every write in order. It counts the variants in
// flight by wave, and passes drafts that are ready to a person.
type flight struct {
	waves map[string]string // by Repository
	ready chan<- string     // names of drafts
	ended chan struct{}     // is closed when the watch has ended

	mu     sync.Mutex
	wanted string                             // the name of the upstream revision that is rolled out
	number int                                // and its number
	known  map[string]v1alpha1.PackageVariant // by name
	now    map[string]int                     // in flight, by wave
	most   map[string]int
	given  map[string]bool // drafts passed to a person
}

// follow follows the variants of a fleet until the test ends. No variant may exist yet.
func follow(t harness.T, f *fleet, ready chan<- string) *flight {
	t.Helper()
	w := &flight{
		waves: map[string]string{}, ready: ready, known: map[string]v1alpha1.PackageVariant{},
		given: map[string]bool{}, ended: make(chan struct{}),
	}
	for i := range f.repositories() {
		w.waves[repositoryName(i)] = waveOf(i)
	}
	var none v1alpha1.PackageVariantList
	if err := f.client.List(t.Context(), &none, client.InNamespace(namespace)); err != nil || len(none.Items) > 0 {
		t.Fatalf("there are %d variants before the rollout: %v", len(none.Items), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	events, err := retry.NewRetryWatcherWithContext(ctx, none.ResourceVersion, variants{f.client})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	go func() {
		defer close(w.ended)
		for e := range events.ResultChan() {
			w.see(e)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-w.ended
	})
	return w
}

// variants watches the variants of a fleet, and resumes each watch where the last one ended: the API server ends
// watches from time to time.
type variants struct{ client.WithWatch }

// WatchWithContext implements cache.WatcherWithContext.
func (v variants) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return v.Watch(ctx, &v1alpha1.PackageVariantList{}, &client.ListOptions{Namespace: namespace, Raw: &options})
}

// begin starts to count for another upstream revision.
func (w *flight) begin(name string, number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wanted, w.number = name, number
	w.now, w.most = map[string]int{}, map[string]int{}
	for _, pv := range w.known {
		w.count(&pv, 1)
	}
}

// reached returns the most variants in flight so far, by wave.
func (w *flight) reached() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most
}

// see handles an event.
func (w *flight) see(e watch.Event) {
	pv, ok := e.Object.(*v1alpha1.PackageVariant)
	if !ok {
		return // the watch ends with it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, was := w.known[pv.Name]; was {
		w.count(&before, -1)
	}
	delete(w.known, pv.Name)
	if e.Type == watch.Deleted {
		return
	}
	w.known[pv.Name] = *pv
	w.count(pv, 1)
	for _, d := range pv.Status.DownstreamTargets {
		if isReady(pv) && d.Lifecycle == string(porchapi.PackageRevisionLifecycleDraft) && !w.given[d.Name] {
			w.given[d.Name] = true
			w.ready <- d.Name
		}
	}
}

// count counts a variant as in flight: it has the revision in its spec, but its package is not yet published with it.
func (w *flight) count(pv *v1alpha1.PackageVariant, n int) {
	number, _ := pv.Spec.Upstream.Revision.Number()
	if number != w.number || w.number == 0 || w.published(pv) {
		return
	}
	wave := w.waves[pv.Spec.Downstream.Repo]
	w.now[wave] += n
	w.most[wave] = max(w.most[wave], w.now[wave])
}

func (w *flight) published(pv *v1alpha1.PackageVariant) bool {
	if !isReady(pv) || pv.Status.Upstream == nil || pv.Status.Upstream.Name != w.wanted {
		return false
	}
	for _, d := range pv.Status.DownstreamTargets {
		if d.Lifecycle != string(porchapi.PackageRevisionLifecyclePublished) {
			return false
		}
	}
	return len(pv.Status.DownstreamTargets) > 0
}

// isReady reports whether a variant is ready in its current generation.
func isReady(pv *v1alpha1.PackageVariant) bool {
	c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Status == "True" && c.ObservedGeneration == pv.Generation &&
		pv.Status.ObservedGeneration == pv.Generation
}
