// SPDX-License-Identifier: Apache-2.0

package report

import "fmt"

// Rows are what the contenders took for the fan-out, and the ratio.
func (f *FanOut) Rows() [][]string {
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

// Rows are what goes on at rest, in a minute; the first are the writes.
func (r *Rest) Rows() [][]string {
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

// Rows are what a change caused.
func (p ChangePair) Rows() [][]string {
	took := func(r Reaction) string {
		if r.Seconds == 0 {
			return fmt.Sprintf("not within %s (%s of %s)", seconds(r.WaitedSeconds), count(r.Right), count(p.Affected))
		}
		return seconds(r.Seconds)
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
		return "not within " + seconds(r.WaitedSeconds)
	}
	return fmt.Sprintf("%s, %s packages read", seconds(r.Seconds), count(r.Read))
}
