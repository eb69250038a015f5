// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
)

// namespace is the namespace of all objects in a cluster.
const namespace = memorytest.Namespace

// cluster is a cluster in memory in which a controller of variants runs.
type cluster struct {
	*memorytest.Cluster
	client     *memorytest.Client
	reconciler *reconcile.Reconciler
	options    reconcile.Options
	// passed is the time that has passed beside that of the clock.
	passed time.Duration
	// lost are the revisions that Porch has lost sight of.
	lost []lost
	// newer reports whether the Porch is a newer one.
	newer bool
}

// lost is a revision that Porch has lost sight of, with its files.
type lost struct {
	*revision.Revision
	files map[string]string
}

// newCluster returns a cluster without objects. Porch's cache keeps drafts in git, or is the one in PostgreSQL.
func newCluster(t *testing.T, git bool) *cluster {
	t.Helper()
	c := &cluster{Cluster: memorytest.New(t, git)}
	c.Start()
	return c
}

// onCaches runs a test for each of Porch's caches, with a clock of its own, once the variant web has its first draft.
func onCaches(t *testing.T, test func(*testing.T, *cluster)) {
	t.Helper()
	for cache, git := range caches {
		t.Run(cache, func(t *testing.T) {
			t.Parallel()
			c := begin(t, git)
			synctest.Test(t, func(t *testing.T) {
				c.T = t
				c.applies()
				c.Run()
				test(t, c)
			})
		})
	}
}

// Start implements memorytest.Player.
func (c *cluster) Start() {
	c.client = c.NewClient()
	ports := reconcile.Ports{
		Packages: c.client.Packages, Known: c.client.Packages, Variants: c.client.Objects, Injected: c.Source(),
		Functions:  c.Runtime,
		MayApprove: func(context.Context, string) (bool, error) { return !c.MayNotApprove, nil },
		Event: func(pv *v1alpha1.PackageVariant, kind, reason, message string) {
			c.Event(pv.Name, kind, reason, message)
		},
	}
	if c.newer {
		ports.Packages = memorytest.Newer{Home: ports.Packages, Of: c.Cluster}
	}
	c.options.Version, c.options.LookWithin = "1", 1000*time.Hour
	c.options.Now = func() time.Time { return time.Now().Add(c.passed) }
	c.reconciler, c.Errs = reconcile.New(ports, c.options), map[string]error{}
}

// Run implements memorytest.Player.
func (c *cluster) Run() {
	c.T.Helper()
	defer func() { c.Written = append(c.Written, c.Writes()...) }()
	for range 30 {
		before, again := c.Version(), false
		for _, pv := range c.variants() {
			again = c.reconcile(pv.Name) || again
		}
		switch {
		case c.client.Killed():
			c.Start()
		case c.Version() == before && !again:
			return
		}
	}
	c.T.Errorf("the controller does not come to rest: %v", c.Writes())
}

// expectDue fails the test unless the work queue or a person comes back to each draft that is being made or saved, as
// long as its variant is not Ready. A proposal causes an event, whenever it reaches Porch.
func (c *cluster) expectDue() {
	c.T.Helper()
	for _, pv := range c.variants() {
		op := pv.Status.Operation
		if op != nil && op.Do != v1alpha1.OperationPropose && c.Errs[pv.Name] == nil &&
			!meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionStalled) &&
			!meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady) {
			c.T.Errorf("%s: nobody comes back to %+v", pv.Name, op)
		}
	}
}

// reconcile reconciles a variant once, as the work queue would, and reports whether to do so again at once.
func (c *cluster) reconcile(name string) (again bool) {
	wait, err := c.reconciler.Reconcile(c.T.Context(), memorytest.Key(name))
	if again = errors.Is(err, packages.ErrStale); again {
		err = nil
	}
	if wait == 0 { // otherwise it waits after the error before
		c.Errs[name] = err
	}
	return again
}

// Pass implements memorytest.Player.
func (c *cluster) Pass() {
	c.passed += 5 * time.Minute
}

// variants returns the variants, in the order of their names.
func (c *cluster) variants() []v1alpha1.PackageVariant {
	return c.Objects.AllVariants()
}
