// SPDX-License-Identifier: Apache-2.0

package report

// Soak is a fleet before a simulated Porch that changes all the time.
type Soak struct {
	// Variants, Repositories and Sets are how many there are in the beginning.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	Sets         int `json:"sets"`
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
	// Seed is that of the changes, and Rate how many there are in a second.
	Seed uint64  `json:"seed"`
	Rate float64 `json:"rate"`
	// SettleSeconds is how long it took to make the fleet, before the changes.
	SettleSeconds float64 `json:"settleSeconds"`
	// Seconds is how long there were changes.
	Seconds float64 `json:"seconds"`
	// WarmUpSeconds is how much of that is not looked at for growth.
	WarmUpSeconds float64 `json:"warmUpSeconds"`
	// Kinds are the changes, by their kinds.
	Kinds []SoakKind `json:"kinds"`
	// All are all changes together.
	All SoakKind `json:"all"`
	// Faults say of the first changes that were not right in time what was wrong.
	Faults []string `json:"faults,omitempty"`
	// LeftOut is how many changes were not made, because what they are about was changing already.
	LeftOut int `json:"leftOut"`
	// Wrong is how many variants were not right when the changes had ended, of Checked; Fault says what is wrong with one.
	Checked int    `json:"checked"`
	Wrong   int    `json:"wrong"`
	Fault   string `json:"fault,omitempty"`
	// Samples are what the controller was, at times.
	Samples []SoakSample `json:"samples"`
	// OthersCPUSeconds is the processor time that the machine spent on other things than this, during the changes.
	OthersCPUSeconds float64 `json:"othersCPUSeconds"`
}

// SoakKind are the changes of a kind.
type SoakKind struct {
	// Name says what changes.
	Name string `json:"name"`
	// Changes is how many there were, Variants how many variants they were about in all, Wrong how many were not right.
	Changes  int `json:"changes"`
	Variants int `json:"variants"`
	Wrong    int `json:"wrong"`
	// MedianSeconds, P99Seconds and MostSeconds are times from a change until all was right that half of those that were
	// right, 99 % of them and all did not exceed.
	MedianSeconds float64 `json:"medianSeconds"`
	P99Seconds    float64 `json:"p99Seconds"`
	MostSeconds   float64 `json:"mostSeconds"`
}

// SoakSample is what the controller was at one time.
type SoakSample struct {
	// Seconds is the time since the changes began.
	Seconds float64 `json:"seconds"`
	// HeapBytes is its heap that was live when it was collected last, ResidentBytes its resident memory.
	HeapBytes     int64 `json:"heapBytes"`
	ResidentBytes int64 `json:"residentBytes"`
	// Goroutines and Descriptors are those that it had, Watches those that the API server and Porch served, to anybody.
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
	Watches     int `json:"watches"`
	// Queue is how many objects waited for it, Pending how many changes were not right yet.
	Queue   int `json:"queue"`
	Pending int `json:"pending"`
	// Revisions is how many PackageRevisions there were.
	Revisions int `json:"revisions"`
	// CPUSeconds, Requests and Reconciles are what it has spent, asked and done since it was started.
	CPUSeconds float64 `json:"cpuSeconds"`
	Requests   int     `json:"requests"`
	Reconciles int     `json:"reconciles"`
}
