// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestWriters has several clients write one Repository at a time, on the DB cache: no draft is lost. With WRITERS=4 it
// makes 16 drafts with 1, 2, 4, 8 and 16 writers in turn, four times over, and logs how long they take.
func TestWriters(t *testing.T) {
	postgres.Require(t)
	rounds, drafts, writers := 1, 4, []int{4}
	if text := os.Getenv("WRITERS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		drafts, writers = 16, []int{1, 2, 4, 8, 16}
	}
	s := Scenario{Variants: 2, Repositories: 2}
	a := newArena(t, s, stack.DBCache)
	a.reread = 0 // this cache forgets nothing when Porch reads a Repository
	for round := range rounds {
		for _, n := range writers {
			packages := make([]pkg, drafts)
			for i := range packages {
				packages[i] = s.packages(fixed, 1)[0]
				packages[i].Name = fmt.Sprintf("web-%d-%02d-%02d", round, n, i)
			}
			run := newPlain(a).fanOut(packages, pace{n, n})
			t.Logf("round %d, %d writers: %.1f s, %d retries", round, n, run.Seconds, run.Retries)
			if run.Wrong > 0 {
				t.Errorf("%d writers: %d of %d drafts are wrong: %s", n, run.Wrong, drafts, run.Fault)
			}
		}
	}
}
