// SPDX-License-Identifier: Apache-2.0

package report

import "fmt"

// Contest is what Porch's own controllers and this project's took for the same work, with one cache of Porch.
type Contest struct {
	// Cache is the name of the cache: CR, or DB.
	Cache string `json:"cache"`
	// Variants and Repositories are the numbers of drafts to make and of their Repositories, Files that of the files in
	// each draft.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	Files        int `json:"files"`
	// Injecting is how many of the variants inject the object that changes, Following how many more follow the upstream
	// that is published.
	Injecting int `json:"injecting"`
	Following int `json:"following"`
	// Ours and Porch are the two contenders.
	Ours  Contender `json:"ours"`
	Porch Contender `json:"porch"`
	// Floor are the runs of a plain client that makes the same drafts with only the necessary calls of Porch.
	Floor []FloorRun `json:"floor"`
}

// Contender is the measurement of one of the controllers.
type Contender struct {
	FanOut FanOut `json:"fanOut"`
	// Rest are the requests while nothing changes, for RestSeconds.
	RestSeconds float64  `json:"restSeconds"`
	Rest        Requests `json:"rest"`
	// Object and Upstream are the reactions to the change of an injected object, and to a published upstream.
	Object   Reaction `json:"object"`
	Upstream Reaction `json:"upstream"`
}

// FanOut is what a controller took from the apply of a set until all drafts had the right content.
type FanOut struct {
	// Seconds is the time until all drafts were right.
	Seconds float64 `json:"seconds"`
	// CPUSeconds and PeakBytes are the processor time and the largest resident memory of its process until then.
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakBytes  int64   `json:"peakBytes"`
	// Requests are all requests until the controller was at rest or, if it never is, until the drafts were right.
	Requests Requests `json:"requests"`
	// Wrong is how many drafts were then missing or wrong in Porch's API; Fault is the first fault.
	Wrong int    `json:"wrong,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// FloorRun is one run of the plain client.
type FloorRun struct {
	// PerRepository and Total are how many drafts it worked on in parallel, in one Repository and in all.
	PerRepository int `json:"perRepository"`
	Total         int `json:"total"`
	// Seconds is the time of all its calls.
	Seconds float64 `json:"seconds"`
	// Retries is how many refused calls were made again.
	Retries int `json:"retries,omitempty"`
	// Wrong is how many drafts were missing or wrong at the end; Fault is the first fault. A run with faults does not
	// count.
	Wrong int    `json:"wrong,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// Reaction is a contender's reaction to a change.
type Reaction struct {
	// Seconds is the time from the change until all affected drafts were right; 0 if they never were.
	Seconds float64 `json:"seconds"`
	// WaitedSeconds is how long the benchmark waited if they never were.
	WaitedSeconds float64 `json:"waitedSeconds,omitempty"`
	// Read and Saved are how many packages had their contents read and saved; Others is how many of these belong to
	// variants that the change does not affect.
	Read   int `json:"read"`
	Saved  int `json:"saved"`
	Others int `json:"others"`
	// Requests are all requests until the controller was at rest or, if it never is, until the drafts were right.
	Requests Requests `json:"requests"`
}

// The bounds of a contest.
const (
	mostOfFloor  = 1.15 // our time, for each second of Porch's own clones and saves
	mostRequests = 7    // of ours for a variant
)

const (
	perMinute      = 60
	secondsPerHour = 3600
)

// BestFloor returns the fastest run of the plain client that left all drafts right, or nil if none did.
func (c *Contest) BestFloor() *FloorRun {
	var best *FloorRun
	for i, run := range c.Floor {
		if run.Wrong == 0 && (best == nil || run.Seconds < best.Seconds) {
			best = &c.Floor[i]
		}
	}
	return best
}

// floor returns the time of the best run of the plain client, 0 if there is none.
func (c *Contest) floor() float64 {
	if best := c.BestFloor(); best != nil {
		return best.Seconds
	}
	return 0
}

// ofFloor is the verdict about our time beside Porch's own clones and saves.
func (c *Contest) ofFloor() Verdict {
	if c.floor() == 0 {
		return Verdict{Measured: "no clones and saves without faults"}
	}
	return atMost(c.Ours.FanOut.Seconds/c.floor(), mostOfFloor)
}

// Drafts describes the drafts to make.
func (c *Contest) Drafts() string {
	return count(c.Variants) + " drafts of " + count(c.Files) + " files"
}

// Contests are the contests with several caches, on fleets of the same size.
type Contests []Contest

// First returns the first of the contests.
func (c Contests) First() *Contest { return &c[0] }

func (c Contests) bounds() []Bound {
	if len(c) == 0 {
		return nil
	}
	bound := func(text string, of func(*Contest) Verdict) Bound {
		b := Bound{Text: text}
		for i := range c {
			b.Verdicts = append(b.Verdicts, of(&c[i]))
		}
		return b
	}
	only := func(r *Reaction) Verdict {
		return Verdict{fmt.Sprintf("%s, %s of them others", count(r.Read), count(r.Others)), r.Seconds > 0 && r.Others == 0}
	}
	return []Bound{
		bound("fan-out: our time, for each second of Porch's own clones and saves: at most "+digits(mostOfFloor),
			(*Contest).ofFloor),
		bound("fan-out: requests for a variant: at most "+count(mostRequests), func(c *Contest) Verdict {
			return atMost(float64(c.Ours.FanOut.Requests.All)/float64(c.Variants), mostRequests)
		}),
		bound("at rest: writes, and reads of contents: none", func(c *Contest) Verdict { return silent(c.Ours.Rest) }),
		bound("an object changes: packages read: only the affected ones",
			func(c *Contest) Verdict { return only(&c.Ours.Object) }),
		bound("an upstream is published: packages read: only the affected ones",
			func(c *Contest) Verdict { return only(&c.Ours.Upstream) }),
	}
}

// Columns returns the heads of the columns of both contenders with each cache.
func (c Contests) Columns() []string {
	var columns []string
	for i := range c {
		columns = append(columns, "this project, "+c[i].Cache, "Porch's own, "+c[i].Cache)
	}
	return columns
}

// row returns a table row with a value of both contenders, with each cache.
func (c Contests) row(what string, of func(*Contest, *Contender) string) []string {
	cells := []string{what}
	for i := range c {
		cells = append(cells, of(&c[i], &c[i].Ours), of(&c[i], &c[i].Porch))
	}
	return cells
}

// FanOutRows are what the contenders took for the fan-out.
func (c Contests) FanOutRows() [][]string {
	of := func(what string, text func(*FanOut) string) []string {
		return c.row(what, func(_ *Contest, one *Contender) string { return text(&one.FanOut) })
	}
	return [][]string{
		of("until all drafts are right", func(f *FanOut) string { return seconds(f.Seconds) }),
		c.row("for each second of Porch's own clones and saves", func(c *Contest, one *Contender) string {
			return ratio(one.FanOut.Seconds, c.floor())
		}),
		of("requests to the Kubernetes API", func(f *FanOut) string { return count(f.Requests.All) }),
		c.row("for each variant", func(c *Contest, one *Contender) string {
			return ratio(float64(one.FanOut.Requests.All), float64(c.Variants))
		}),
		of("refused", func(f *FanOut) string { return count(f.Requests.Refused) }),
		of("processor time of the controller", func(f *FanOut) string { return seconds(f.CPUSeconds) }),
		of("memory of the controller, at most", func(f *FanOut) string { return megabytes(float64(f.PeakBytes)) }),
		of("drafts that were missing or wrong in the end", func(f *FanOut) string { return count(f.Wrong) }),
	}
}

// FloorHead is the head of FloorRows.
func (c Contests) FloorHead() []string {
	head := []string{"Porch's own clones and saves"}
	for i := range c {
		head = append(head, "time, "+c[i].Cache, "made again, "+c[i].Cache, "missing or wrong, "+c[i].Cache)
	}
	return head
}

// FloorRows are what a plain client took.
func (c Contests) FloorRows() [][]string {
	var rows [][]string
	for n, pace := range c.First().Floor {
		row := []string{fmt.Sprintf("%d drafts at a time, %d in one repository", pace.Total, pace.PerRepository)}
		for i := range c {
			run := c[i].Floor[n]
			row = append(row, seconds(run.Seconds), count(run.Retries), count(run.Wrong))
		}
		rows = append(rows, row)
	}
	return rows
}

// RestRows are what the contenders do in a minute while nothing changes; the first are the writes.
func (c Contests) RestRows() [][]string {
	row := func(what string, of func(Requests) int) []string {
		return c.row(what, func(_ *Contest, one *Contender) string {
			return digits(float64(of(one.Rest)) / one.RestSeconds * perMinute)
		})
	}
	return [][]string{
		row("writes", func(r Requests) int { return r.Writes }),
		row("reads of contents", func(r Requests) int { return r.Reads }),
		row("requests", func(r Requests) int { return r.All }),
	}
}

// ObjectRows are what the change of an object caused.
func (c Contests) ObjectRows() [][]string {
	return c.reactions(func(one *Contender) *Reaction { return &one.Object })
}

// UpstreamRows are what the publication of an upstream caused.
func (c Contests) UpstreamRows() [][]string {
	return c.reactions(func(one *Contender) *Reaction { return &one.Upstream })
}

func (c Contests) reactions(of func(*Contender) *Reaction) [][]string {
	row := func(what string, text func(*Reaction) string) []string {
		return c.row(what, func(_ *Contest, one *Contender) string { return text(of(one)) })
	}
	return [][]string{
		row("until the affected drafts are right", (*Reaction).took),
		row("packages whose contents were read", func(r *Reaction) string { return count(r.Read) }),
		row("packages whose contents were saved", func(r *Reaction) string { return count(r.Saved) }),
		row("packages of these that the change is not about", func(r *Reaction) string { return count(r.Others) }),
		row("drafts made", func(r *Reaction) string { return count(r.Requests.Drafts) }),
		row("requests", func(r *Reaction) string { return count(r.Requests.All) }),
	}
}

// took says how long a contender took to follow a change.
func (r *Reaction) took() string {
	if r.Seconds == 0 {
		return "not within " + seconds(r.WaitedSeconds)
	}
	return seconds(r.Seconds)
}

// SummaryRows are the rows of the README's comparison.
func (c Contests) SummaryRows() [][]string {
	first := c.First()
	reaction := func(what string, of func(*Contender) *Reaction) []string {
		return c.row(what, func(_ *Contest, one *Contender) string {
			if r := of(one); r.Seconds > 0 {
				return r.took() + ", " + count(r.Read) + " packages read"
			}
			return of(one).took()
		})
	}
	rest := c.RestRows()[0]
	rest[0] += " a minute when nothing changes"
	return [][]string{
		c.row(fmt.Sprintf("%s in %d repositories, from `kubectl apply` until all are complete", first.Drafts(),
			first.Repositories), func(_ *Contest, one *Contender) string { return seconds(one.FanOut.Seconds) }),
		rest,
		reaction(fmt.Sprintf("change of an object that %d of %d drafts inject", first.Injecting, first.Variants),
			func(one *Contender) *Reaction { return &one.Object }),
		reaction(fmt.Sprintf("new revision of a blueprint that %d of %d packages follow", first.Following,
			first.Variants+first.Following), func(one *Contender) *Reaction { return &one.Upstream }),
	}
}

// Names returns the names of the caches.
func (c Contests) Names() []string {
	var names []string
	for i := range c {
		names = append(names, c[i].Cache)
	}
	return names
}

// PaceRows are the speeds of Porch with each cache, for docs/scale.md.
func (c Contests) PaceRows() [][]string {
	first := c.First()
	fleet := fmt.Sprintf("%s in %d Repositories, ", first.Drafts(), first.Repositories)
	row := func(what string, of func(*Contest) string) []string {
		cells := []string{what}
		for i := range c {
			cells = append(cells, of(&c[i]))
		}
		return cells
	}
	return [][]string{
		row(fleet+"made by this project's controller", func(c *Contest) string { return seconds(c.Ours.FanOut.Seconds) }),
		row(fleet+"made by Porch's controllers", func(c *Contest) string { return seconds(c.Porch.FanOut.Seconds) }),
		row(fleet+"made by Porch's calls alone", func(c *Contest) string { return seconds(c.floor()) }),
		row("drafts a second that Porch makes", func(c *Contest) string { return ratio(float64(c.Variants), c.floor()) }),
	}
}
