// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"encoding/json"
	"net/http"
	"sync"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher buffers the events for a client that watches.
type watcher struct {
	namespace string

	mu     sync.Mutex
	events []event
	more   chan struct{} // has one element while there are events
}

// event is one line of a watch.
type event struct {
	Type   watch.EventType          `json:"type"`
	Object porchapi.PackageRevision `json:"object"`
}

// tell adds an event.
func (w *watcher) tell(kind watch.EventType, r *packageRevision) {
	if w.namespace != "" && w.namespace != r.object.Namespace {
		return
	}
	w.mu.Lock()
	w.events = append(w.events, event{Type: kind, Object: typed(r)})
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// take returns the buffered events and empties the buffer.
func (w *watcher) take() []event {
	w.mu.Lock()
	defer w.mu.Unlock()
	events := w.events
	w.events = nil
	return events
}

// watch sends all existing revisions, whatever the client already knows, and then the changes, as Porch does. There are
// no bookmarks. Selectors are not simulated: the controller watches without any.
func (p *Porch) watch(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "cannot stream", http.StatusInternalServerError)
		return
	}
	self := &watcher{namespace: r.PathValue("namespace"), more: make(chan struct{}, 1)}
	p.mu.Lock()
	for _, repository := range p.repositories {
		for _, each := range repository.revisions {
			self.tell(watch.Added, each)
		}
	}
	p.watchers[self] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watchers, self)
	}()
	w.Header().Set("Content-Type", "application/json")
	flusher.Flush()
	encoder := json.NewEncoder(w)
	for {
		select {
		case <-r.Context().Done():
			return
		case <-self.more:
		}
		for _, e := range self.take() {
			if encoder.Encode(e) != nil {
				return // the client has gone
			}
		}
		flusher.Flush()
	}
}
