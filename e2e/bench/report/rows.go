// SPDX-License-Identifier: Apache-2.0

package report

import "fmt"

// FanOutRows are what the contenders took for the fan-out, and the ratio.
func (c Caches) FanOutRows() [][]string {
	return c.beside(func(on *OnCache) [][]string { return on.FanOut.rows() })
}

// FloorRows are what a plain client took.
func (c Caches) FloorRows() [][]string {
	return c.beside(func(on *OnCache) [][]string {
		var rows [][]string
		for _, f := range on.FanOut.Floor {
			pace := fmt.Sprintf("%s at a time, %s in one repository", count(f.Total), count(f.PerRepository))
			rows = append(rows, []string{pace, seconds(f.Seconds), count(f.Retries), count(f.Wrong)})
		}
		return rows
	})
}

// BestFloors says what the floors are.
func (c Caches) BestFloors() string {
	return c.each(func(on *OnCache) string {
		if best := on.FanOut.BestFloor(); best != nil {
			return seconds(best.Seconds)
		}
		return "none"
	})
}

// LatencyRows are how long the calls of the floor took.
func (c Caches) LatencyRows() [][]string {
	return c.beside(func(on *OnCache) [][]string {
		var rows [][]string
		for _, l := range on.FanOut.Latencies {
			rows = append(rows, []string{l.Verb + " " + l.Resource, count(l.Calls), seconds(l.MedianSeconds),
				seconds(l.P95Seconds)})
		}
		return rows
	})
}

// FanOutRequests are the requests of the fan-out.
func (c Caches) FanOutRequests() [][]string {
	return c.requests(func(on *OnCache) (ours, porch []RequestCount) {
		return on.FanOut.Ours.Requests, on.FanOut.Porch.Requests
	})
}

// MoreThanLeast says how many requests Porch's controllers send for each that is needed.
func (c Caches) MoreThanLeast() string {
	return c.each(func(on *OnCache) string {
		return ratio(float64(Total(on.FanOut.Porch.Requests)), float64(on.FanOut.LeastRequests()))
	})
}

// RestRows are what goes on at rest, in a minute; the first are the writes.
func (c Caches) RestRows() [][]string {
	return c.beside(func(on *OnCache) [][]string { return on.Rest.rows() })
}

// RestRequests are the requests at rest.
func (c Caches) RestRequests() [][]string {
	return c.requests(func(on *OnCache) (ours, porch []RequestCount) { return on.Rest.Ours, on.Rest.Porch })
}

// ObjectRows are what the change of an object caused.
func (c Caches) ObjectRows() [][]string {
	return c.beside(func(on *OnCache) [][]string { return on.Change.Object.rows() })
}

// ObjectRequests are the requests after the change of an object.
func (c Caches) ObjectRequests() [][]string {
	return c.requests(func(on *OnCache) (ours, porch []RequestCount) { return on.Change.Object.requests() })
}

// UpstreamRows are what the publication of an upstream caused.
func (c Caches) UpstreamRows() [][]string {
	return c.beside(func(on *OnCache) [][]string { return on.Change.Upstream.rows() })
}

// UpstreamRequests are the requests after the publication of an upstream.
func (c Caches) UpstreamRequests() [][]string {
	return c.requests(func(on *OnCache) (ours, porch []RequestCount) { return on.Change.Upstream.requests() })
}

// rows are what the contenders took for the fan-out, and the ratio.
func (f *FanOut) rows() [][]string {
	row := func(what string, text func(float64) string, of func(*Contender) float64) []string {
		ours, porch := of(&f.Ours), of(&f.Porch)
		return []string{what, text(ours), text(porch), ratio(porch, ours)}
	}
	number := func(what string, of func(*Contender) int) []string {
		return row(what, digits, func(c *Contender) float64 { return float64(of(c)) })
	}
	granted := func(what, verb, resource string) []string {
		return number(what, func(c *Contender) int { return Granted(c.Requests, verb, resource) })
	}
	return [][]string{
		row("until all drafts are right", seconds, func(c *Contender) float64 { return c.Seconds }),
		number("requests to the Kubernetes API", func(c *Contender) int { return Total(c.Requests) }),
		number("of these, refused", func(c *Contender) int { return Refused(c.Requests) }),
		number("requests in the first "+seconds(f.Ours.FirstSeconds), func(c *Contender) int { return Total(c.First) }),
		granted("drafts made", "create", "packagerevisions"),
		granted("contents saved", "update", contents),
		granted("contents read", "get", contents),
		number("status of variants written", func(c *Contender) int { return statusWrites(c.Requests) }),
		row("processor time of the controller", seconds, func(c *Contender) float64 { return c.CPUSeconds }),
		row("memory of the controller, at most", megabytes, func(c *Contender) float64 { return float64(c.PeakBytes) }),
		number("drafts that were missing or wrong in the end", func(c *Contender) int { return c.Wrong }),
	}
}

// rows are what goes on at rest, in a minute.
func (r *Rest) rows() [][]string {
	row := func(what string, of func([]RequestCount) int) []string {
		return []string{what, digits(r.perMinute(of(r.Ours))), digits(r.perMinute(of(r.Porch)))}
	}
	return [][]string{
		row("writes", Writes), row("of these, of packages", PackageWrites),
		row("contents of packages read", ContentReads), row("requests", Total),
	}
}

// perMinute returns how many of something that was counted there are in a minute.
func (r *Rest) perMinute(n int) float64 { return float64(n) / r.Seconds * 60 }

// requests are the requests of both.
func (p ChangePair) requests() (ours, porch []RequestCount) { return p.Ours.Requests, p.Porch.Requests }

// rows are what a change caused.
func (p ChangePair) rows() [][]string {
	took := func(r Reaction) string {
		if r.Seconds == 0 {
			return fmt.Sprintf("%s (%s of %s)", r.took(), count(r.Right), count(p.Affected))
		}
		return r.took()
	}
	row := func(what string, of func(Reaction) int) []string {
		return []string{what, count(of(p.Ours)), count(of(p.Porch))}
	}
	return [][]string{
		{"until the affected drafts are right", took(p.Ours), took(p.Porch)},
		row("reconciles of variants", func(r Reaction) int { return r.Reconciles }),
		row("of these, with a look into the package", func(r Reaction) int { return r.Evaluations }),
		row("packages whose contents were read", func(r Reaction) int { return r.Read }),
		row("packages whose contents were saved", func(r Reaction) int { return r.Saved }),
		row("packages of these that the change is not about", func(r Reaction) int { return r.Others }),
		row("drafts made", func(r Reaction) int { return Granted(r.Requests, "create", "packagerevisions") }),
		row("contents read, in all", func(r Reaction) int { return ContentReads(r.Requests) }),
		row("contents saved, in all", func(r Reaction) int { return Count(r.Requests, "update", contents) }),
		row("requests", func(r Reaction) int { return Total(r.Requests) }),
	}
}

// Summary says how long a contender took to follow a change, and how much it read for that.
func (r Reaction) Summary() string {
	if r.Seconds == 0 {
		return r.took()
	}
	return fmt.Sprintf("%s, %s packages read", r.took(), count(r.Read))
}

// took says how long a contender took to follow a change.
func (r Reaction) took() string {
	if r.Seconds == 0 {
		return "not within " + seconds(r.WaitedSeconds)
	}
	return seconds(r.Seconds)
}
