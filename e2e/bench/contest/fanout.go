// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/machine"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// patience is the time a contender has for a fan-out.
	patience = 15 * time.Minute
	// resting is how long the rest is measured. In that time, Porch reads its repositories again.
	resting = 40 * time.Second
)

// fanOut applies the set of the packages, and measures until all drafts are right.
func (c *contender) fanOut(packages []pkg) report.FanOut {
	c.t.Helper()
	set, err := set(fixed, variant.RevisionNumber(1), packages)
	if err != nil {
		c.t.Fatal(err)
	}
	observer := c.observe(packages)
	start := c.usage()
	c.proxy.Reset()
	began := time.Now()
	c.Apply(set)
	ctx, cancel := c.within(patience)
	defer cancel()
	ended, err := observer.await(ctx)
	after := c.usage()
	requests := c.proxy.Requests()
	if err != nil {
		c.t.Fatal(err)
	}
	if c.rests {
		c.quiet()
		requests = c.proxy.Requests()
	}
	result := report.FanOut{
		Seconds: ended.Sub(began).Seconds(), CPUSeconds: (after.CPU - start.CPU).Seconds(), PeakBytes: after.PeakBytes,
		Requests: report.CountRequests(requests),
	}
	result.Wrong, result.Fault = c.verify(packages)
	return result
}

// usage returns the resource usage of the contender's process.
func (c *contender) usage() machine.Usage {
	c.t.Helper()
	usage, err := machine.Use(c.pid)
	if err != nil {
		c.t.Fatal(err)
	}
	return usage
}

// verifyOne returns an error unless Porch's API shows exactly one draft of a package, with an owner and the right
// content.
func (a *arena) verifyOne(p pkg) error {
	var revisions porchapi.PackageRevisionList
	err := a.Client.List(a.t.Context(), &revisions, client.InNamespace(namespace),
		client.MatchingFields{"spec.repository": p.Repository, "spec.packageName": p.Name})
	if err != nil {
		return fmt.Errorf("%s: cannot list its revisions: %w", p, err)
	}
	if n := len(revisions.Items); n != 1 {
		return fmt.Errorf("%s: Porch has %d revisions, not 1", p, n)
	}
	if n := len(revisions.Items[0].OwnerReferences); n != 1 {
		return fmt.Errorf("%s: its draft has %d owners, not 1", p, n)
	}
	var resources porchapi.PackageRevisionResources
	if err := a.Client.Get(a.t.Context(), client.ObjectKeyFromObject(&revisions.Items[0]), &resources); err != nil {
		return fmt.Errorf("%s: cannot read its draft: %w", p, err)
	}
	return p.check(resources.Spec.Resources)
}
