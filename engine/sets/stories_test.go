// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"maps"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
)

// act is something that people do.
type act = memorytest.Act[*fleet]

// stories are the lives of a set, called fleet. Each begins with the Repository blueprints, and the first revision of
// the blueprint web. Time passes only where people let it pass.
var stories = together(targets, templates, guards, claims, upstreams, waves, waits, clocks)

// together returns the stories of all tables.
func together(tables ...map[string][]act) map[string][]act {
	all := map[string][]act{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// TestStories checks what the controller writes, reports and makes of variants after each act of a story, and that it
// then writes nothing more, even after a restart. All stories together have seen each reason of the manual.
func TestStories(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() { memorytest.AllSeen(t, true, len(stories)) })
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { memorytest.Tell(newFleet(t), name, story) })
		})
	}
}

// faults are the faults of one write, by a text.
var faults = map[string]memorytest.Fault{
	"and the controller is killed": memorytest.KilledAfter,
	"is refused by a conflict":     memorytest.Stale,
	"is refused":                   memorytest.Refused,
}

// TestFaults checks that each act of a story has the same end whichever write of the controller fails, or is its last:
// variants, packages, and all that the set reports.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, acts := range memorytest.Beginnings(stories) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testFaults(t, acts)
		})
	}
}

// testFaults has each write of the controller fail in each way after the last act.
func testFaults(t *testing.T, acts []act) {
	t.Helper()
	want, _ := play(t, acts, memorytest.Fault{At: -1})
	for kind, fault := range faults {
		for fault.At = 1; ; fault.At++ {
			got, failed := play(t, acts, fault)
			if !failed {
				break
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("write %d %s (-want +got):\n%s", fault.At, kind, diff)
			}
		}
	}
}

// play returns the end of acts, the last one with a fault, and whether the write that was to fail happened. All begin
// at the same time.
func play(t *testing.T, acts []act, fault memorytest.Fault) (end map[string]string, failed bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		failed = memorytest.Play(f, acts, fault)
		end = f.Is()
	})
	return end, failed
}
