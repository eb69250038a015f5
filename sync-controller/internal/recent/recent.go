// SPDX-License-Identifier: Apache-2.0

// Package recent keeps values for a short time that many ask for at about the same time.
package recent

import (
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
)

// Values are the values that were read last, by key. They are shared, and to be read only.
type Values[T any] struct {
	keep  time.Duration
	kept  *cache.LRUExpireCache
	reads singleflight.Group
}

// New returns Values that keeps at most so many values, each for so long.
func New[T any](most int, keep time.Duration) *Values[T] {
	return &Values[T]{keep: keep, kept: cache.NewLRUExpireCache(most)}
}

// Get returns the value of a key, which must identify a version of it. One that is not kept is read, by one caller for
// all that ask meanwhile. A value whose reading failed is not kept.
func (v *Values[T]) Get(key string, read func() (T, error)) (T, error) {
	value, kept := v.kept.Get(key)
	if !kept {
		var err error
		value, err, _ = v.reads.Do(key, func() (any, error) {
			value, err := read()
			if err == nil {
				v.kept.Add(key, value, v.keep)
			}
			return value, err
		})
		if err != nil {
			var none T
			return none, err
		}
	}
	typed, ok := value.(T)
	if !ok {
		return typed, fmt.Errorf("kept %T as a value of %s", value, key)
	}
	return typed, nil
}
