// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"fmt"
)

// Comparison is a row of the README's comparison.
type Comparison struct {
	// What is the subject of the row, in the words of the table.
	What string
	// ours and porch return the contenders' numbers with a cache.
	ours, porch func(*OnCache) string
	caches      Caches
}

// Cells returns the numbers of the contenders as table cells.
func (c Comparison) Cells() []string {
	var cells []string
	for i := range c.caches {
		cells = append(cells, c.ours(&c.caches[i]), c.porch(&c.caches[i]))
	}
	return cells
}

// Contest is what the README shows about the contenders.
type Contest struct {
	Caches
	// FanOut, Rest, Object and Upstream are the comparisons.
	FanOut, Rest, Object, Upstream Comparison
}

// Contest returns the README's comparison for the caches for which everything was measured.
func (r *Run) Contest() (*Contest, error) {
	caches := r.Caches.contested()
	if len(caches) == 0 {
		return nil, errors.New("the README needs a run of all parts")
	}
	compare := func(what string, ours, porch func(*OnCache) string) Comparison {
		return Comparison{What: what, ours: ours, porch: porch, caches: caches}
	}
	first := caches.First()
	rest := func(of func(*Rest) []RequestCount) func(*OnCache) string {
		return func(on *OnCache) string { return digits(on.Rest.perMinute(Writes(of(on.Rest)))) }
	}
	return &Contest{
		Caches: caches,
		FanOut: compare(fmt.Sprintf("%s in %s repositories, from `kubectl apply` until all are complete",
			first.FanOut.Drafts(), count(first.FanOut.Repositories)),
			func(on *OnCache) string { return seconds(on.FanOut.Ours.Seconds) },
			func(on *OnCache) string { return seconds(on.FanOut.Porch.Seconds) }),
		Rest: compare("writes a minute when nothing changes", rest(func(r *Rest) []RequestCount { return r.Ours }),
			rest(func(r *Rest) []RequestCount { return r.Porch })),
		Object: compare(fmt.Sprintf("change of an object that %s of %s drafts inject",
			count(first.Change.Object.Affected), count(first.Change.Object.Variants)),
			func(on *OnCache) string { return on.Change.Object.Ours.Summary() },
			func(on *OnCache) string { return on.Change.Object.Porch.Summary() }),
		Upstream: compare(fmt.Sprintf("new revision of a blueprint that %s of %s packages follow",
			count(first.Change.Upstream.Affected), count(first.Change.Upstream.Variants)),
			func(on *OnCache) string { return on.Change.Upstream.Ours.Summary() },
			func(on *OnCache) string { return on.Change.Upstream.Porch.Summary() }),
	}, nil
}

// PaceRows are the speeds of Porch with each cache, for docs/scale.md.
func (c Caches) PaceRows() [][]string {
	return c.beside(func(on *OnCache) [][]string {
		f := on.FanOut
		fleet := fmt.Sprintf("%s in %s Repositories, ", f.Drafts(), count(f.Repositories))
		rows := [][]string{
			{fleet + "made by this project's controller", seconds(f.Ours.Seconds)},
			{fleet + "made by Porch's controllers", seconds(f.Porch.Seconds)},
		}
		if best := f.BestFloor(); best != nil {
			rows = append(rows, []string{fleet + "made by Porch's calls alone", seconds(best.Seconds)},
				[]string{"drafts a second that Porch makes", digits(float64(f.Variants) / best.Seconds)})
		}
		return rows
	})
}

// SizeRows are the needs of the largest fleet with each cache, for docs/scale.md.
func (c Caches) SizeRows() [][]string {
	return c.beside(func(on *OnCache) [][]string {
		last := on.Scale.Last()
		return [][]string{
			{"memory, at most", megabytes(float64(last.PeakBytes))},
			{"memory at rest", megabytes(float64(last.RestBytes))},
			{"memory of a controller that is started then, at most", megabytes(float64(last.Restart.PeakBytes))},
			{"until it has looked at all variants", seconds(last.Restart.Seconds)},
			{"until all variants are ready", seconds(last.ConvergeSeconds)},
			{"processor time for a variant", seconds(last.CPUSeconds / float64(last.Variants))},
		}
	})
}

// Largest is the largest of the fleets of the first cache.
func (c Caches) Largest() *ScalePoint { return c.First().Scale.Last() }
