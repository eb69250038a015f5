// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"context"
	"testing"

	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestExpansions checks that a change that no plan depends on causes no expansion.
func TestExpansions(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	counted := &counting{}
	c.Functions = counted
	expect := func(step string, want int) {
		t.Helper()
		if c.reconcile(false); counted.runs != want {
			t.Errorf("%s: %d expansions, want %d", step, counted.runs, want)
		}
	}
	expect("it makes the variants", 1)
	expect("it finds them made", 2)
	expect("it knows", 2)
	c.Version = "v2"
	expect("the controller is another version", 3)
	expect("it knows again", 3)
}

// counting runs functions in this process, and counts how often.
type counting struct {
	mutate.Builtin
	runs int
}

func (c *counting) Run(ctx context.Context, function string, config *yaml.RNode,
	items []*yaml.RNode) (krm.Output, error) {
	c.runs++
	return c.Builtin.Run(ctx, function, config, items)
}
