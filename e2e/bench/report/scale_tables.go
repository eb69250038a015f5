// SPDX-License-Identifier: Apache-2.0

package report

import "strings"

// LatencyText tells the latencies of the simulated Porch.
func (s *Scale) LatencyText() string {
	parts := make([]string, len(s.Latencies))
	for i, l := range s.Latencies {
		parts[i] = seconds(l.MedianSeconds) + " to " + l.Verb + " " + l.Resource
	}
	return strings.Join(parts, ", ")
}

// Table writes what the controller takes, by the number of variants.
func (s *Scale) Table() string {
	var rows [][]string
	for _, p := range s.Points {
		rows = append(rows, []string{
			count(p.Variants), count(p.Repositories), megabytes(p.PeakBytes), megabytes(p.RestBytes), megabytes(p.HeapBytes),
			seconds(p.ConvergeSeconds), seconds(p.CPUSeconds), count(p.Reconciles), count(p.SetReconciles), count(p.Requests),
		})
	}
	return table([]string{
		"variants", "repositories", "memory, at most", "at rest", "live heap", "until all are ready", "processor time",
		"reconciles of variants", "of sets", "requests",
	}, rows)
}

// BurstTable writes how the controller takes events, and a start.
func (s *Scale) BurstTable() string {
	var rows [][]string
	for _, p := range s.Points {
		for _, burst := range []struct {
			name string
			b    Burst
		}{{"events about packages of no variant", p.Unrelated}, {"events about packages of variants", p.Related}} {
			rows = append(rows, []string{
				burst.name, count(p.Variants), count(burst.b.Events), seconds(burst.b.Seconds), whole(burst.b.PerSecond()),
				seconds(burst.b.CPUSeconds), count(burst.b.Reconciles), count(burst.b.Requests),
			})
		}
		rows = append(rows, []string{
			"start", count(p.Variants), "", seconds(p.Restart.Seconds), "", seconds(p.Restart.CPUSeconds),
			count(p.Restart.Reconciles), count(p.Restart.Requests),
		})
	}
	return table([]string{"", "variants", "events", "time", "events a second", "processor time", "reconciles of variants", "requests"}, rows)
}
