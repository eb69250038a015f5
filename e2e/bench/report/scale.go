// SPDX-License-Identifier: Apache-2.0

package report

import "fmt"

// Scale is the controller with a simulated Porch.
type Scale struct {
	// Cache is the cache of that Porch.
	Cache string `json:"cache"`
	// Variants and Repositories are how many there are.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	// Made is the controller that makes the variants' packages, until all are ready.
	Made Settled `json:"made"`
	// Restart is the start of a new controller with the same fleet, until it has looked at all variants.
	Restart Settled `json:"restart"`
}

// Settled is what a controller took until it had nothing left to do.
type Settled struct {
	// Seconds is the time, and CPUSeconds the processor time of the controller.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	// PeakBytes is its largest resident memory.
	PeakBytes int64 `json:"peakBytes"`
	// Requests are all requests.
	Requests Requests `json:"requests"`
}

// restartBounds are the bounds of the restarts with each cache.
func restartBounds(scales []Scale) []Bound {
	if len(scales) == 0 {
		return nil
	}
	b := Bound{Text: fmt.Sprintf("a restart with %s variants that are ready: writes, and reads of contents: none",
		count(scales[0].Variants))}
	for i := range scales {
		b.Verdicts = append(b.Verdicts, silent(scales[i].Restart.Requests))
	}
	return []Bound{b}
}

// ScaleRows are what the controller took with each cache, at first and after a restart.
func (r *Run) ScaleRows() [][]string {
	var rows [][]string
	for i := range r.Scales {
		s := &r.Scales[i]
		for _, one := range []struct {
			name string
			*Settled
		}{{"makes all packages", &s.Made}, {"is restarted", &s.Restart}} {
			rows = append(rows, []string{one.name, s.Cache, seconds(one.Seconds), seconds(one.CPUSeconds),
				seconds(one.CPUSeconds / float64(s.Variants)), megabytes(float64(one.PeakBytes)), count(one.Requests.All),
				count(one.Requests.Writes), count(one.Requests.Reads)})
		}
	}
	return rows
}

// SizeRows are the needs of the fleet with each cache, for docs/scale.md.
func (r *Run) SizeRows() [][]string {
	row := func(what string, of func(*Scale) string) []string {
		cells := []string{what}
		for i := range r.Scales {
			cells = append(cells, of(&r.Scales[i]))
		}
		return cells
	}
	return [][]string{
		row("memory, at most", func(s *Scale) string { return megabytes(float64(s.Made.PeakBytes)) }),
		row("memory of a controller that is started then, at most",
			func(s *Scale) string { return megabytes(float64(s.Restart.PeakBytes)) }),
		row("until it has looked at all variants", func(s *Scale) string { return seconds(s.Restart.Seconds) }),
		row("until all variants are ready", func(s *Scale) string { return seconds(s.Made.Seconds) }),
		row("processor time for a variant",
			func(s *Scale) string { return seconds(s.Made.CPUSeconds / float64(s.Variants)) }),
	}
}

// ScaleNames returns the names of the caches.
func (r *Run) ScaleNames() []string {
	var names []string
	for i := range r.Scales {
		names = append(names, r.Scales[i].Cache)
	}
	return names
}
