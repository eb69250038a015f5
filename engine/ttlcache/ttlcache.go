// SPDX-License-Identifier: Apache-2.0

// Package ttlcache keeps values for a short time, for many callers that ask at about the same time.
package ttlcache

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
)

const (
	// patience is how long a caller waits for a value that is being read.
	patience = 10 * time.Second
	// keepSlow is the least time to keep a value whose reading took longer than that: longer than callers wait before they
	// ask again.
	keepSlow = 10 * time.Minute
)

// ErrSlow is the error of a value that is still being read.
var ErrSlow = fmt.Errorf("no answer yet after %s: %w", patience, context.DeadlineExceeded)

// Values are the values that were read last, by key. They are shared and must not be changed.
type Values[T any] struct {
	keep  time.Duration
	kept  *cache.LRUExpireCache
	reads singleflight.Group

	mu    sync.Mutex
	began map[string]time.Time // by key: when the current reading began
}

// New returns Values that keep at most so many values, each for so long.
func New[T any](most int, keep time.Duration) *Values[T] {
	return &Values[T]{keep: keep, kept: cache.NewLRUExpireCache(most), began: map[string]time.Time{}}
}

// Get returns the value of a key, which must identify a version of the value. A value that is not kept is read, once
// for all callers that ask meanwhile; a failed reading is not kept. If a reading takes longer than patience, callers
// get ErrSlow; the reading continues, and its value is kept for when they ask again.
func (v *Values[T]) Get(key string, read func() (T, error)) (T, error) {
	var none T
	value, kept := v.kept.Get(key)
	if !kept {
		result := v.reads.DoChan(key, func() (any, error) { return v.read(key, read) })
		held := time.NewTimer(v.remaining(key))
		defer held.Stop()
		select {
		case r := <-result:
			if r.Err != nil {
				return none, r.Err
			}
			value = r.Val
		case <-held.C:
			return none, ErrSlow
		}
	}
	typed, ok := value.(T)
	if !ok {
		return typed, fmt.Errorf("kept %T as a value of %s", value, key)
	}
	return typed, nil
}

// read reads a value, and keeps it.
func (v *Values[T]) read(key string, read func() (T, error)) (any, error) {
	began := time.Now()
	v.mu.Lock()
	v.began[key] = began
	v.mu.Unlock()
	value, err := read()
	v.mu.Lock()
	delete(v.began, key)
	v.mu.Unlock()
	switch {
	case err != nil:
	case time.Since(began) < patience:
		v.kept.Add(key, value, v.keep)
	default:
		v.kept.Add(key, value, max(v.keep, keepSlow))
	}
	return value, err
}

// remaining returns how long a caller may still wait for a reading.
func (v *Values[T]) remaining(key string) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	if began, reading := v.began[key]; reading {
		return patience - time.Since(began)
	}
	return patience
}
