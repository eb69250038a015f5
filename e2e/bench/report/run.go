// SPDX-License-Identifier: Apache-2.0

// Package report holds the measurements of a benchmark run, and shows them in Markdown and plots. It does no I/O and
// reads no clock: the same run always gives the same text.
package report

import "github.com/package-variants/package-variants/e2e/internal/machine"

// Run is what one run of the benchmarks measured on one machine. It is kept as JSON, from which the documents can be
// written again. A part that was not measured is nil or empty, and the documents leave it out. Times are in seconds and
// sizes in bytes.
type Run struct {
	Origin

	// Apart are the parts that were measured separately later; all others are from the run itself.
	Apart []Apart `json:"apart,omitempty"`

	// Caches are points 1, 2, 3 and 6, with each cache of Porch.
	Caches Caches `json:"caches,omitempty"`
	// Benchmarks are points 4 and 5: the expansion of sets alone, and the functions, in a Go program and as processes; and
	// the plans of the kubectl plugin.
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
	// Rollouts is point 7: rollouts in waves before a simulated Porch.
	Rollouts *Rollouts `json:"rollouts,omitempty"`
	// Tenancy is point 8: a namespace beside a hostile one, before a simulated Porch.
	Tenancy *Tenancy `json:"tenancy,omitempty"`
	// Soak is point 9: a fleet that changes constantly.
	Soak *Soak `json:"soak,omitempty"`
}

// Origin says when, how and on what machine something was measured.
type Origin struct {
	// Date is the day of the run, as 2006-01-02.
	Date string `json:"date"`
	// Command is the command that repeats the run.
	Command string `json:"command"`
	// Machine is what it ran on.
	Machine machine.Machine `json:"machine"`
	// Versions are those of the measured programs, and of what they ran on.
	Versions []Version `json:"versions"`
}

// Version is the version of a program or a module.
type Version struct {
	// Name is the program or module.
	Name string `json:"name"`
	// Version is its version, such as v1.5.3.
	Version string `json:"version"`
}

// RequestCount counts requests of one kind to the Kubernetes API.
type RequestCount struct {
	// Verb is the RBAC verb of the requests.
	Verb string `json:"verb"`
	// Resource is the plural name, with /subresource if there is one. The group is left out, since the resources in the
	// benchmarks have different names.
	Resource string `json:"resource"`
	// Count is the number of requests, and Refused how many of them got an error.
	Count   int `json:"count"`
	Refused int `json:"refused,omitempty"`
}

// Latency is how long Porch takes for a call.
type Latency struct {
	// Verb and Resource say what is called, as in RequestCount.
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	// Calls is how many were timed.
	Calls int `json:"calls"`
	// MedianSeconds and P95Seconds are the times that half of the calls and 95 % of them did not exceed.
	MedianSeconds float64 `json:"medianSeconds"`
	P95Seconds    float64 `json:"p95Seconds"`
}
