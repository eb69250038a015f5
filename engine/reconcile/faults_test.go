// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
)

// faults are the faults of one write, by the cache of Porch for which they are tried, and by a text. Those that are
// tried for one only make no difference between the two.
var faults = map[string]map[string]memorytest.Fault{
	"PostgreSQL": {
		"and the controller is killed": memorytest.KilledAfter,
		"is decided on what is stale":  memorytest.Stale,
		"gets no answer":               memorytest.Unanswered,
	},
	"git": {
		"and the controller is killed": memorytest.KilledAfter,
		"is decided on what is stale":  memorytest.Stale,
		"gets no answer":               memorytest.Unanswered,
		"is refused":                   memorytest.Refused,
		"fails":                        memorytest.Failing,
		"is done, repeated, and stale": {Of: func(c memorytest.Call) bool { return c.OfPackage() && !c.IsSave() }, Done: true,
			Err: memorytest.Stale.Err},
	},
}

// TestFaults checks that each act of a story has the same end whichever write of the controller fails, or is its last:
// packages, conditions, and what a user reads. Two things are left to people: a draft that was to be published, if
// another save than its first failed, and an old revision whose deletion was refused.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, acts := range memorytest.Beginnings(lives) {
		for cache := range caches {
			t.Run(name+"/"+cache, func(t *testing.T) {
				t.Parallel()
				testFaults(t, cache, acts)
			})
		}
	}
}

// testFaults has each write of the controller fail in each way after the last act.
func testFaults(t *testing.T, cache string, acts []act) {
	t.Helper()
	play := func(f memorytest.Fault) (c *cluster, failed bool) {
		c = begin(t, caches[cache])
		return c, memorytest.Play(c, acts, f)
	}
	none := memorytest.Fault{At: -1}
	healthy, _ := play(none)
	c := begin(t, caches[cache])
	memorytest.Play(c, acts[:len(acts)-1], none)
	before := c.Is()
	for kind, f := range faults[cache] {
		for f.At = 1; ; f.At++ {
			c, failed := play(f)
			if !failed {
				break
			}
			want := healthy
			if draft := c.unsure(before); draft != "" {
				want, _ = play(none)
				want.help(draft)
				c.help(draft)
			}
			if diff := cmp.Diff(want.end(), c.end()); diff != "" {
				t.Errorf("write %d %s (-want +got):\n%s", f.At, kind, diff)
			}
		}
	}
}

// unsure returns the draft that others may have edited, for all the controller knows, because its save failed. The draft
// was there before: whether a draft that was just made is as the controller saved it can be told.
func (c *cluster) unsure(before map[string]string) string {
	for _, pv := range c.variants() {
		d := pv.Status.OpenDraft
		if !c.Failed.IsSave() || d == nil || d.Reason != v1alpha1.ReasonEditedByOthers {
			continue
		}
		if _, there := before[d.Name]; there {
			return d.Name
		}
	}
	return ""
}

// help publishes a draft, unless it is published.
func (c *cluster) help(draft string) {
	c.T.Helper()
	if !c.Revision(draft).Published() {
		c.Publishes(draft)
		c.Run()
	}
}

// remembered matches the lines about what the controller remembers of its last steps. A fault may make it forget them.
var remembered = regexp.MustCompile(`(?m)^  (saved by the controller|approved|owns)\b.*\n`)

// end returns the state, without what is only remembered.
func (c *cluster) end() map[string]string {
	all := c.Is()
	for name := range all {
		all[name] = remembered.ReplaceAllString(all[name], "")
	}
	return all
}
