// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"slices"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

// unfollowed is how long a contender has to follow a change before it counts as not following.
const unfollowed = 45 * time.Second

// changeObject changes the object of one region, and measures the time until the drafts of that region are right.
func (c *contender) changeObject(packages []pkg) report.Reaction {
	c.t.Helper()
	return c.react(inRegion(changed, afterChange(packages)), func() { c.Apply(endpointsObject(changed, 2)) })
}

// afterChange returns what packages must be after the object has changed.
func afterChange(packages []pkg) []pkg {
	after := slices.Clone(packages)
	for i := range after {
		if after[i].Region == changed {
			after[i].Endpoints = endpoints(changed, 2)
		}
	}
	return after
}

// inRegion returns the packages of a region.
func inRegion(region string, packages []pkg) []pkg {
	return slices.DeleteFunc(slices.Clone(packages), func(p pkg) bool { return p.Region != region })
}

// follow makes variants of another blueprint that follow its newest revision, publishes their drafts, and publishes a
// second revision of the blueprint. It measures the time until there are drafts of that revision.
func (c *contender) follow(packages []pkg) report.Reaction {
	c.t.Helper()
	set, err := set(floating, c.newest, packages)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Apply(set)
	ctx, cancel := c.within(patience)
	defer cancel()
	if _, err := c.observe(packages).await(ctx); err != nil {
		c.t.Fatal(err)
	}
	if c.rests {
		c.quiet()
	}
	for _, p := range packages {
		name := p.Repository + "." + p.Name + ".packagevariant-1"
		c.Propose(name)
		c.Approve(name)
	}
	if c.rests {
		c.quiet()
	}
	upgraded := make([]pkg, len(packages))
	for i, p := range packages {
		p.Tag = secondTag
		upgraded[i] = p
	}
	second := c.propose(floating, "v2", secondTag)
	return c.react(upgraded, func() { c.Approve(second) })
}

// react makes a change and measures the time until the affected packages are right. If the controller comes to rest,
// its later work counts too.
func (c *contender) react(affected []pkg, change func()) report.Reaction {
	c.t.Helper()
	observer := c.observe(affected)
	c.proxy.Reset()
	began := time.Now()
	change()
	ctx, cancel := c.within(unfollowed)
	defer cancel()
	var reaction report.Reaction
	ended, err := observer.await(ctx)
	switch {
	case c.t.Context().Err() != nil:
		c.t.Fatal("interrupted")
	case err != nil:
		reaction.WaitedSeconds = unfollowed.Seconds()
		c.t.Logf("  the change is not followed: %d of %d packages are right", len(observer.right), len(affected))
	default:
		reaction.Seconds = ended.Sub(began).Seconds()
	}
	if c.rests {
		c.quiet()
	}
	requests := c.proxy.Requests()
	reaction.Requests = report.CountRequests(requests)
	read, saved := contents(requests)
	reaction.Read, reaction.Saved = len(read), len(saved)
	for _, p := range affected {
		delete(read, p.key())
		delete(saved, p.key())
	}
	for key := range saved {
		read[key] = true
	}
	reaction.Others = len(read)
	return reaction
}
