// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
)

// A cache is behind a write for a moment, seldom for longer than writtenFor; so few statuses need to be remembered.
const (
	writtenFor      = 30 * time.Second
	writtenStatuses = 4096
)

// Written remembers the statuses that a controller wrote last, where its cache may not know them yet: what is decided by
// an older one is decided wrongly, and what is equal to an older one would not be written. Nobody else is to write them.
type Written[S Status[S]] struct {
	recent *cache.LRUExpireCache // a written[S] by UID
}

// Status is a pointer to a status of an API type.
type Status[S any] interface{ DeepCopy() S }

type written[S Status[S]] struct {
	version string
	status  S
}

// NewWritten returns a Written that remembers nothing.
func NewWritten[S Status[S]]() *Written[S] {
	return &Written[S]{recent: cache.NewLRUExpireCache(writtenStatuses)}
}

// Put remembers the status that was written to an object, which is as the API returned it.
func (w *Written[S]) Put(o metav1.Object, status S) {
	w.recent.Add(o.GetUID(), written[S]{o.GetResourceVersion(), status.DeepCopy()}, writtenFor)
}

// Newest returns the status that an object has, of which a cache says that it is status.
func (w *Written[S]) Newest(o metav1.Object, status S) S {
	known, found := w.recent.Get(o.GetUID())
	last, ok := known.(written[S])
	if !found || !ok {
		return status
	}
	if last.version == o.GetResourceVersion() {
		w.recent.Remove(o.GetUID())
		return status
	}
	return last.status.DeepCopy()
}
