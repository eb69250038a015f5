// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	stdsync "sync"
)

// compared counts what this run compares with plans.
var compared tally

// tally counts plans and what came of them.
type tally struct {
	stdsync.Mutex
	// applied is how often something was applied or deleted of which the plugin makes plans, and plans how many it made.
	applied, plans int
	// compared are the plans of which everything was compared, with the variants, sets, drafts and writes that they have;
	// inPart is how many there are of which only some variants or sets were.
	compared, inPart                int
	variants, sets, drafts, written int
	// tests are those that have applied something, and whether they have compared a plan in full.
	tests map[string]bool
}

// made counts that a test applies something, with its plan or nil.
func (t *tally) made(test string, p *plan) {
	t.Lock()
	defer t.Unlock()
	t.applied++
	if p != nil {
		t.plans++
	}
	if t.tests == nil {
		t.tests = map[string]bool{}
	}
	if _, known := t.tests[test]; !known {
		t.tests[test] = false
	}
}

// part counts a plan of which a variant or a set was compared, once.
func (t *tally) part(p *plan) {
	t.Lock()
	defer t.Unlock()
	if !p.partly {
		p.partly = true
		t.inPart++
	}
}

// whole counts a plan of which everything was compared.
func (t *tally) whole(test string, p *plan) {
	t.Lock()
	defer t.Unlock()
	if p.partly {
		t.inPart--
	}
	t.compared++
	t.tests[test] = true
	t.variants += len(p.Variants)
	t.sets += len(p.Sets)
	for i := range p.Variants {
		t.drafts += len(p.Variants[i].Drafts)
		t.written += len(p.Variants[i].Requests)
	}
	for i := range p.Sets {
		t.written += len(p.Sets[i].Requests)
	}
}

// String returns the counts in a sentence, with the tests that have compared nothing.
func (t *tally) String() string {
	t.Lock()
	defer t.Unlock()
	without := slices.DeleteFunc(slices.Sorted(maps.Keys(t.tests)), func(test string) bool { return t.tests[test] })
	out := fmt.Sprintf("plans: %d of %d changes planned, %d compared in full and %d in part with what came (%d variants, "+
		"%d sets, %d drafts, %d writes), by %d of %d tests", t.plans, t.applied, t.compared, t.inPart, t.variants, t.sets,
		t.drafts, t.written, len(t.tests)-len(without), len(t.tests))
	if len(without) > 0 {
		out += "; not by " + strings.Join(without, ", ")
	}
	return out
}
