// SPDX-License-Identifier: Apache-2.0

package report

// FanOut is a PackageVariantSet from kubectl apply to drafts that are all right by their content.
type FanOut struct {
	// Variants and Repositories are how many drafts there are to be, and in how many Repositories.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	// Ours and Porch are the two contenders.
	Ours  Contender `json:"ours"`
	Porch Contender `json:"porch"`
	// Floor are the runs of a plain client that makes the same drafts with nothing but the necessary calls of Porch.
	Floor []FloorRun `json:"floor"`
	// Latencies are how long Porch took for each of the calls of the best of them.
	Latencies []Latency `json:"latencies"`
}

// Contender is what one controller took for a fan-out.
type Contender struct {
	// Seconds is the time from kubectl apply until all drafts were right for the first time.
	Seconds float64 `json:"seconds"`
	// CPUSeconds and PeakBytes are the processor time and the largest resident memory of its process until then.
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakBytes  int64   `json:"peakBytes"`
	// Requests are all that it sent until it was at rest, or, if it never is, until the drafts were right.
	Requests []RequestCount `json:"requests"`
	// First are all that it sent in the time FirstSeconds from kubectl apply on, whether the drafts were right or not.
	FirstSeconds float64        `json:"firstSeconds"`
	First        []RequestCount `json:"first"`
	// Wrong is how many drafts Porch's API then showed to be missing or wrong; Fault is the first of them.
	Wrong int    `json:"wrong,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// FloorRun is one run of the plain client.
type FloorRun struct {
	// PerRepository and Total are how many drafts it worked on at a time, in one Repository and in all.
	PerRepository int `json:"perRepository"`
	Total         int `json:"total"`
	// Seconds is the time of all its calls.
	Seconds float64 `json:"seconds"`
	// Retries is how many calls Porch refused that were made again.
	Retries int `json:"retries,omitempty"`
	// Wrong is how many drafts were missing or had the wrong content at the end; Fault is the first of them. A run with
	// any is no floor.
	Wrong int    `json:"wrong,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// Rest is what goes on while nothing changes.
type Rest struct {
	// Variants is how many there are.
	Variants int `json:"variants"`
	// SettleSeconds is how long it was waited after all were ready, and Seconds how long the requests were counted then.
	SettleSeconds float64 `json:"settleSeconds"`
	Seconds       float64 `json:"seconds"`
	// Ours and Porch are the requests of the two.
	Ours  []RequestCount `json:"ours"`
	Porch []RequestCount `json:"porch"`
}

// Change is what one change causes.
type Change struct {
	// Object is the change of one injected object.
	Object ChangePair `json:"object"`
	// Upstream is the publication of a new revision of one upstream, which its variants are to follow.
	Upstream ChangePair `json:"upstream"`
}

// ChangePair is what the two contenders made of a change.
type ChangePair struct {
	// Variants is how many there are, and Affected how many of them the change is about.
	Variants int `json:"variants"`
	Affected int `json:"affected"`
	// Ours and Porch are the two contenders.
	Ours  Reaction `json:"ours"`
	Porch Reaction `json:"porch"`
}

// Reaction is what a contender made of a change.
type Reaction struct {
	// Seconds is the time from the change until all affected drafts were right; it is 0 if that did not come about.
	Seconds float64 `json:"seconds"`
	// WaitedSeconds is how long that was waited for, if it did not come about, and Right how many drafts were right then.
	WaitedSeconds float64 `json:"waitedSeconds,omitempty"`
	Right         int     `json:"right,omitempty"`
	// Reconciles is how often PackageVariants were reconciled, from the change until the controller was at rest again, or,
	// where it never is, until the drafts were right. What follows is of the same time.
	Reconciles int `json:"reconciles"`
	// Evaluations is in how many of these the controller looked into what the variant is about.
	Evaluations int `json:"evaluations"`
	// Read and Saved are how many packages had their contents read, and saved; Others is how many of all these are of
	// variants that the change is not about.
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

// LeastRequests returns with how few requests a controller can make the drafts: it creates each variant and its draft,
// reads the draft, saves it, and writes the variant's status.
func (f *FanOut) LeastRequests() int { return leastRequests * f.Variants }
