// SPDX-License-Identifier: Apache-2.0

// Package report holds what a run of the benchmarks has measured, and tells it in Markdown and in plots. It does no I/O
// and reads no clock: the same run always gives the same text.
package report

// Run is what one run of the benchmarks has measured, on one machine. It is kept as JSON, so that the documents can be
// written anew from it. A part that was not measured is nil or empty, and the documents leave it out. Times are in
// seconds and sizes in bytes.
type Run struct {
	Origin

	// Apart are the parts that were measured by themselves since; all others are of the run.
	Apart []Apart `json:"apart,omitempty"`

	// FanOut is point 1: a set's variants from nothing to drafts that are right.
	FanOut *FanOut `json:"fanOut,omitempty"`
	// Rest is point 2: what goes on when nothing changes.
	Rest *Rest `json:"rest,omitempty"`
	// Change is point 3: what one change causes.
	Change *Change `json:"change,omitempty"`
	// Benchmarks are points 4 and 5: the expansion of sets alone, and the functions, in a Go program and as processes.
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
	// Scale is point 6: the controller before a simulated Porch.
	Scale *Scale `json:"scale,omitempty"`
	// Rollouts is point 7: rollouts in waves before a simulated Porch.
	Rollouts *Rollouts `json:"rollouts,omitempty"`
	// Tenancy is point 8: a namespace beside a hostile one, before a simulated Porch.
	Tenancy *Tenancy `json:"tenancy,omitempty"`
	// Soak is point 9: a fleet that changes all the time.
	Soak *Soak `json:"soak,omitempty"`
}

// Origin says when, how and on what something was measured.
type Origin struct {
	// Date is the day of the run, as 2006-01-02.
	Date string `json:"date"`
	// Command is the command that repeats the run.
	Command string `json:"command"`
	// Machine is what it ran on.
	Machine Machine `json:"machine"`
	// Versions are those of what was measured, and of what it ran on.
	Versions []Version `json:"versions"`
}

// Machine is a machine.
type Machine struct {
	// CPU is the model of the processor, as the system names it.
	CPU string `json:"cpu"`
	// Cores is how many processors the run could use.
	Cores int `json:"cores"`
	// MemoryBytes is the size of the main memory.
	MemoryBytes int64 `json:"memoryBytes"`
	// System is the operating system and its version.
	System string `json:"system"`
}

// Version is the version of a program or a module.
type Version struct {
	// Name says what has the version.
	Name string `json:"name"`
	// Version is it, such as v1.5.3.
	Version string `json:"version"`
}

// RequestCount is how often something was asked of the Kubernetes API.
type RequestCount struct {
	// Verb is what the requests do, in the words of RBAC.
	Verb string `json:"verb"`
	// Resource is what they are about: the plural name, with /subresource where there is one. The group is left out: the
	// resources of the benchmarks have different names.
	Resource string `json:"resource"`
	// Count is how many there were, and Refused how many of them were answered by an error.
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
