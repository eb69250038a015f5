// SPDX-License-Identifier: Apache-2.0

package report

// FanOut is the measurement of a PackageVariantSet from kubectl apply until all drafts have the right content.
type FanOut struct {
	// Variants and Repositories are the numbers of drafts to make and of their Repositories.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	// Files is the number of files in each draft; 0 if it was not recorded.
	Files int `json:"files,omitempty"`
	// Ours and Porch are the two contenders.
	Ours  Contender `json:"ours"`
	Porch Contender `json:"porch"`
	// Floor are the runs of a plain client that makes the same drafts with only the necessary calls of Porch.
	Floor []FloorRun `json:"floor"`
	// Latencies are the durations of Porch's calls in the best of these runs.
	Latencies []Latency `json:"latencies"`
}

// Contender is one controller's measurement in a fan-out.
type Contender struct {
	// Seconds is the time from kubectl apply until all drafts were right for the first time.
	Seconds float64 `json:"seconds"`
	// CPUSeconds and PeakBytes are the processor time and the largest resident memory of its process until then.
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakBytes  int64   `json:"peakBytes"`
	// Requests are all requests until the controller was at rest or, if it never is, until the drafts were right.
	Requests []RequestCount `json:"requests"`
	// First are all requests in the first FirstSeconds after kubectl apply, whether or not the drafts were right.
	FirstSeconds float64        `json:"firstSeconds"`
	First        []RequestCount `json:"first"`
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
	// Wrong is how many drafts were missing or had the wrong content at the end; Fault is the first fault. A run with
	// faults does not count as a floor.
	Wrong int    `json:"wrong,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// Rest is the activity while nothing changes.
type Rest struct {
	// Variants is how many there are.
	Variants int `json:"variants"`
	// SettleSeconds is the wait after all variants were ready, and Seconds how long requests were counted after that.
	SettleSeconds float64 `json:"settleSeconds"`
	Seconds       float64 `json:"seconds"`
	// Ours and Porch are the requests of the two.
	Ours  []RequestCount `json:"ours"`
	Porch []RequestCount `json:"porch"`
}

// Change is the effect of one change.
type Change struct {
	// Object is the change of one injected object.
	Object ChangePair `json:"object"`
	// Upstream is the publication of a new revision of one upstream, which its variants are to follow.
	Upstream ChangePair `json:"upstream"`
}

// ChangePair is the effect of a change with both contenders.
type ChangePair struct {
	// Variants is the number of variants, and Affected how many of them the change affects.
	Variants int `json:"variants"`
	Affected int `json:"affected"`
	// Ours and Porch are the two contenders.
	Ours  Reaction `json:"ours"`
	Porch Reaction `json:"porch"`
}

// Reaction is a contender's reaction to a change.
type Reaction struct {
	// Seconds is the time from the change until all affected drafts were right; 0 if they never were.
	Seconds float64 `json:"seconds"`
	// WaitedSeconds is how long the benchmark waited if they never were, and Right how many drafts were right then.
	WaitedSeconds float64 `json:"waitedSeconds,omitempty"`
	Right         int     `json:"right,omitempty"`
	// Reconciles is how often PackageVariants were reconciled, from the change until the controller was at rest again or,
	// if it never is, until the drafts were right. The following fields are for the same time.
	Reconciles int `json:"reconciles"`
	// Evaluations is how many of these evaluated the variant.
	Evaluations int `json:"evaluations"`
	// Read and Saved are how many packages had their contents read and saved; Others is how many of these belong to
	// variants that the change does not affect.
	Read   int `json:"read"`
	Saved  int `json:"saved"`
	Others int `json:"others"`
	// Requests are all requests.
	Requests []RequestCount `json:"requests"`
}

// BestFloor returns the fastest run of the plain client that left all drafts right, or nil if none did.
func (f *FanOut) BestFloor() *FloorRun {
	var best *FloorRun
	for i, run := range f.Floor {
		if run.Wrong == 0 && (best == nil || run.Seconds < best.Seconds) {
			best = &f.Floor[i]
		}
	}
	return best
}

// Drafts describes the drafts to make.
func (f *FanOut) Drafts() string {
	if f.Files == 0 {
		return count(f.Variants) + " drafts"
	}
	return count(f.Variants) + " drafts of " + count(f.Files) + " files"
}

// LeastRequests returns the fewest requests with which a controller can make the drafts: for each variant it creates
// the variant and its draft, reads and saves the draft, and writes the variant's status.
func (f *FanOut) LeastRequests() int { return leastRequests * f.Variants }
