// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestFanOut checks, in a small fleet and with each of Porch's caches, that a plain client and this project's
// controller make what the benchmark considers right, and that it is measured. Porch's controllers run only in the
// benchmark, as their ports are fixed and may be in use.
func TestFanOut(t *testing.T) {
	for _, cache := range []stack.Cache{stack.CRCache, stack.DBCache} {
		t.Run(string(cache), func(t *testing.T) {
			if cache == stack.DBCache {
				postgres.Require(t)
			}
			testFanOut(t, cache)
		})
	}
}

func testFanOut(t *testing.T, cache stack.Cache) {
	t.Helper()
	s := Scenario{Variants: 2, Repositories: 2}
	a := newArena(t, s, cache)
	a.reread = 0 // it does not matter here what Porch loses
	p := newPlain(a)
	run := p.fanOut(s.packages(floating, s.floatingVariants()), pace{perRepository: 1, total: 1})
	if run.Wrong != 0 || run.Seconds <= 0 || run.Total != 1 || run.PerRepository != 1 {
		t.Errorf("the plain client: %+v", run)
	}
	c := startOurs(a)
	result := c.fanOut(s.packages(fixed, s.Variants))
	if result.Wrong != 0 || result.Seconds <= 0 || result.CPUSeconds <= 0 || result.PeakBytes <= 0 {
		t.Errorf("the controller: %+v", result)
	}
	if r := result.Requests; r.Drafts != s.Variants || r.Saves != s.Variants || r.Reads < s.Variants {
		t.Errorf("the controller did %+v for %d variants", r, s.Variants)
	}
}
