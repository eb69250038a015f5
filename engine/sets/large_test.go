// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/package-variants/package-variants/engine/largework"
)

// TestLargeWork has a large set wait for other large work before it is expanded.
func TestLargeWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		f.reconciler.Large = largework.New()
		f.sites("env=prod", "edge-1", "edge-2")
		f.applies(latest, prodsWith("packageContext: {data: {"+pairs(largework.Large/2)+"}}"))
		end := make(chan struct{})
		go func() { _ = f.reconciler.Large.Do(t.Context(), largework.Large+1, func() { <-end }) }()
		synctest.Wait()
		go f.reconcile("fleet")
		synctest.Wait()
		if n := len(f.made()); n > 0 {
			t.Errorf("%d variants were made meanwhile", n)
		}
		close(end)
		synctest.Wait()
		if n := len(f.made()); n != 2 {
			t.Errorf("%d variants were made, want 2", n)
		}
	})
}

// pairs returns the pairs of a map of YAML.
func pairs(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "k%d: v, ", i)
	}
	return out.String()
}
