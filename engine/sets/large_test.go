// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
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

// remote is a Runtime that calls another system for each function, which the test sees.
type remote struct {
	mutate.Builtin
	called func()
}

// Run implements mutate.Runtime.
func (r remote) Run(ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	largework.Outside(ctx, r.called)
	return r.Builtin.Run(ctx, function, config, items)
}

// TestCallsOutsideWork checks that other large work can be done while a set is expanded by another system.
func TestCallsOutsideWork(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	limit, called := largework.New(), false
	f.reconciler.Large = limit
	f.reconciler.Functions = remote{called: func() {
		called = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := limit.Do(ctx, largework.Large+1, func() {}); err != nil {
			t.Errorf("meanwhile, other work is %v", err)
		}
	}}
	f.sites("env=prod", "edge-1", "edge-2")
	f.applies(latest, prodsWith("packageContext: {data: {"+pairs(largework.Large/2)+"}}"))
	f.reconcile("fleet")
	if n := len(f.made()); n != 2 || !called {
		t.Errorf("%d variants were made, called %t", n, called)
	}
}

// pairs returns the pairs of a map of YAML.
func pairs(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "k%d: v, ", i)
	}
	return out.String()
}
