// SPDX-License-Identifier: Apache-2.0

package report

// Burst is how a controller that is at rest takes many events about packages at once, none of which asks for anything.
type Burst struct {
	// Events is how many there were.
	Events int `json:"events"`
	// Seconds is the time from the first until the controller had nothing left to do, and CPUSeconds its processor time.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	// Reconciles and Requests are those that the events caused.
	Reconciles int `json:"reconciles"`
	Requests   int `json:"requests"`
}

// PerSecond returns how many events a second the controller has taken.
func (b Burst) PerSecond() float64 { return float64(b.Events) / b.Seconds }

// Restart is what a controller does that is started with a fleet that is as it should be: it looks at each variant once.
type Restart struct {
	// Seconds is the time from its being ready until it had nothing left to do, and CPUSeconds its processor time.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	// PeakBytes is its largest resident memory.
	PeakBytes int64 `json:"peakBytes"`
	// Reconciles are those of variants, and Requests all that it asked of the API.
	Reconciles int `json:"reconciles"`
	Requests   int `json:"requests"`
}
