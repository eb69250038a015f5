// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"
)

// OnCache is what was measured with one cache of Porch.
type OnCache struct {
	// Cache is the name of the cache: CR, or DB.
	Cache string `json:"cache"`
	// FanOut is point 1: a set's variants from nothing to drafts that are right.
	FanOut *FanOut `json:"fanOut,omitempty"`
	// Rest is point 2: what goes on when nothing changes.
	Rest *Rest `json:"rest,omitempty"`
	// Change is point 3: what one change causes.
	Change *Change `json:"change,omitempty"`
	// Scale is point 6: the controller before a simulated Porch.
	Scale *Scale `json:"scale,omitempty"`
}

// Caches are the measurements with several caches, on fleets of the same size.
type Caches []OnCache

// On returns the measurements with a cache, which the caller may extend.
func (r *Run) On(cache string) *OnCache {
	i := slices.IndexFunc(r.Caches, func(c OnCache) bool { return c.Cache == cache })
	if i < 0 {
		i, r.Caches = len(r.Caches), append(r.Caches, OnCache{Cache: cache})
	}
	return &r.Caches[i]
}

// With returns the caches with which a part was measured.
func (c Caches) With(part string) Caches {
	return slices.DeleteFunc(slices.Clone(c), func(on OnCache) bool { return !on.has(part) })
}

// contested returns the caches for which every part that a plain stack allows was measured.
func (c Caches) contested() Caches { return c.With(PartFanOut).With(PartRest).With(PartChange) }

// has reports whether a part was measured with the cache.
func (c *OnCache) has(part string) bool {
	switch part {
	case PartFanOut:
		return c.FanOut != nil
	case PartRest:
		return c.Rest != nil
	case PartChange:
		return c.Change != nil
	case PartScale:
		return c.Scale != nil
	default:
		return false
	}
}

// take copies a part from a later measurement with the same cache.
func (c *OnCache) take(part string, since *OnCache) {
	switch part {
	case PartFanOut:
		c.FanOut = since.FanOut
	case PartRest:
		c.Rest = since.Rest
	case PartChange:
		c.Change = since.Change
	case PartScale:
		c.Scale = since.Scale
	}
}

// First returns the first of the caches.
func (c Caches) First() *OnCache { return &c[0] }

// Names returns the names of the caches.
func (c Caches) Names() []string {
	var names []string
	for i := range c {
		names = append(names, c[i].Cache)
	}
	return names
}

// Columns returns the heads of the columns for all caches.
func (c Caches) Columns(names ...string) []string {
	var columns []string
	for i := range c {
		for _, name := range names {
			columns = append(columns, name+", "+c[i].Cache)
		}
	}
	return columns
}

// beside returns the tables of all caches side by side. Their rows begin with the same cells.
func (c Caches) beside(table func(*OnCache) [][]string) [][]string {
	var joined [][]string
	for i := range c {
		for n, row := range table(&c[i]) {
			if i == 0 {
				joined = append(joined, row)
			} else {
				joined[n] = append(joined[n], row[1:]...)
			}
		}
	}
	return joined
}

// each returns a text about each cache, or one text if it is the same for all.
func (c Caches) each(text func(*OnCache) string) string {
	var texts, named []string
	for i := range c {
		texts = append(texts, text(&c[i]))
		named = append(named, texts[i]+" ("+c[i].Cache+")")
	}
	if len(slices.Compact(texts)) == 1 {
		return texts[0]
	}
	return strings.Join(named, ", ")
}

// requests returns the requests of both contenders with all caches.
func (c Caches) requests(of func(*OnCache) (ours, porch []RequestCount)) [][]string {
	var all [][]RequestCount
	for i := range c {
		ours, porch := of(&c[i])
		all = append(all, ours, porch)
	}
	return requestRows(all...)
}
