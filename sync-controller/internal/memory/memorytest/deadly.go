// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/inhand"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Deadly runs functions, and can make the controller die while it runs them.
type Deadly struct {
	mutate.Runtime
	// When reports whether the controller dies in the next function; nil means always.
	When func() bool

	t    *testing.T
	dir  string
	dies bool
}

// NewDeadly returns a Deadly in which no controller has died yet.
func NewDeadly(t *testing.T) *Deadly {
	t.Helper()
	return &Deadly{Runtime: mutate.Builtin{}, t: t, dir: t.TempDir()}
}

// Run implements mutate.Runtime.
func (d *Deadly) Run(ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (
	krm.Output, error) {
	if !d.dies || d.When != nil && !d.When() {
		return d.Runtime.Run(ctx, function, config, items)
	}
	before := d.dir
	d.dir = d.t.TempDir()
	if err := os.CopyFS(d.dir, os.DirFS(before)); err != nil {
		d.t.Error(err)
	}
	panic(d)
}

// Die makes a reconcile end in the middle of the first deadly function. A ledger that is opened afterwards has what a
// process that died there leaves behind.
func (d *Deadly) Die(reconcile func()) {
	d.t.Helper()
	d.dies = true
	defer func() {
		d.dies = false
		if died := recover(); died != d {
			d.t.Errorf("the controller did not die of a function, but ended with %v", died)
		}
	}()
	reconcile()
}

// Ledger opens the ledger that the last process left.
func (d *Deadly) Ledger() *inhand.Ledger {
	return inhand.Open(d.dir, fairqueue.NewShare(4, math.MaxInt64), logr.Discard())
}
