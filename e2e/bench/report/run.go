// SPDX-License-Identifier: Apache-2.0

// Package report holds what a run of the benchmarks has measured, and tells it in Markdown and in plots. It does no I/O
// and reads no clock: the same run always gives the same text.
package report

// Run is what one run of the benchmarks has measured, on one machine. It is kept as JSON, so that the documents can be
// written anew from it. A part that was not measured is nil or empty, and the documents leave it out. Times are in
// seconds and sizes in bytes.
type Run struct {
	// Date is the day of the run, as 2006-01-02.
	Date string `json:"date"`
	// Command is the command that repeats the run.
	Command string `json:"command"`
	// Machine is what it ran on.
	Machine Machine `json:"machine"`
	// Versions are those of what was measured, and of what it ran on.
	Versions []Version `json:"versions"`

	// FanOut is point 1: a set's variants from nothing to drafts that are right.
	FanOut *FanOut `json:"fanOut,omitempty"`
	// Rest is point 2: what goes on when nothing changes.
	Rest *Rest `json:"rest,omitempty"`
	// Change is point 3: what one change causes.
	Change *Change `json:"change,omitempty"`
	// Expansion is point 4: the expansion of sets alone, by growing Targets.
	Expansion []ExpansionPoint `json:"expansion,omitempty"`
	// Mutations is the first half of point 5: the functions in a Go program.
	Mutations []MutationPoint `json:"mutations,omitempty"`
	// Processes is the second half of point 5: the functions as processes.
	Processes []ProcessPoint `json:"processes,omitempty"`
	// Scale is point 6: the controller before a simulated Porch.
	Scale *Scale `json:"scale,omitempty"`
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

// ExpansionPoint is the expansion of a set with five expressions a target.
type ExpansionPoint struct {
	// Targets is how many variants the set wants.
	Targets int `json:"targets"`
	// Seconds and AllocatedBytes are what one expansion takes.
	Seconds        float64 `json:"seconds"`
	AllocatedBytes int64   `json:"allocatedBytes"`
	// PorchSeconds is what Porch's reconciler takes for the same set, with a client that costs nothing; 0 where it was not
	// run.
	PorchSeconds float64 `json:"porchSeconds,omitempty"`
}

// MutationPoint is one function, or all three one after the other, on a package in a Go program.
type MutationPoint struct {
	// Function is the name of the function, such as inject-config, or AllMutations.
	Function string `json:"function"`
	// Resources is how many resources the package has.
	Resources int `json:"resources"`
	// Seconds and AllocatedBytes are what one run takes.
	Seconds        float64 `json:"seconds"`
	AllocatedBytes int64   `json:"allocatedBytes"`
	// PorchSeconds is what Porch's code takes for the same; 0 where it was not run.
	PorchSeconds float64 `json:"porchSeconds,omitempty"`
}

// AllMutations is the MutationPoint.Function of the three functions that edit a package, one after the other.
const AllMutations = "all three"

// ProcessPoint is one function as a process, beside two others on the same package.
type ProcessPoint struct {
	// Function is the name of the function.
	Function string `json:"function"`
	// Resources is how many resources the package has.
	Resources int `json:"resources"`
	// CPUSeconds is the processor time of one run, the median of many.
	CPUSeconds float64 `json:"cpuSeconds"`
	// NoopCPUSeconds is that of a function that does nothing, built on the same SDK.
	NoopCPUSeconds float64 `json:"noopCPUSeconds"`
	// CatalogCPUSeconds is that of set-namespace, of the function catalog.
	CatalogCPUSeconds float64 `json:"catalogCPUSeconds"`
}

// Scale is the controller before a simulated Porch.
type Scale struct {
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
	// Points are the sizes that were simulated, growing.
	Points []ScalePoint `json:"points"`
}

// ScalePoint is the controller with so many variants.
type ScalePoint struct {
	// Variants and Repositories are how many there are.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	// PeakBytes is the largest resident memory of the controller, and HeapBytes its live heap once all are ready.
	PeakBytes int64 `json:"peakBytes"`
	HeapBytes int64 `json:"heapBytes"`
	// RestBytes is its resident memory when nothing has happened for a while.
	RestBytes int64 `json:"restBytes"`
	// ConvergeSeconds is the time from the first variant to the last one's being ready.
	ConvergeSeconds float64 `json:"convergeSeconds"`
	// CPUSeconds is the controller's processor time until then.
	CPUSeconds float64 `json:"cpuSeconds"`
	// Reconciles are those of variants until then, SetReconciles those of sets, and Requests all that it asked of the API.
	Reconciles    int `json:"reconciles"`
	SetReconciles int `json:"setReconciles"`
	Requests      int `json:"requests"`
	// Unrelated and Related are bursts of events once all are ready: about packages of no variant, and about the variants'.
	Unrelated Burst `json:"unrelated"`
	Related   Burst `json:"related"`
	// Restart is the start of another controller with the same fleet.
	Restart Restart `json:"restart"`
}
