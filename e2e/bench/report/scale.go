// SPDX-License-Identifier: Apache-2.0

package report

// Scale is the measurement of the controller with a simulated Porch.
type Scale struct {
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
	// Points are the simulated sizes, in ascending order.
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
	// RestBytes is its resident memory after a while without activity.
	RestBytes int64 `json:"restBytes"`
	// ConvergeSeconds is the time from the creation of the first variant until the last one is ready.
	ConvergeSeconds float64 `json:"convergeSeconds"`
	// CPUSeconds is the controller's processor time until then.
	CPUSeconds float64 `json:"cpuSeconds"`
	// Reconciles are those of variants until then, SetReconciles those of sets, and Requests all requests to the API.
	Reconciles    int `json:"reconciles"`
	SetReconciles int `json:"setReconciles"`
	Requests      int `json:"requests"`
	// Asked is what some of these were; nil where that was not measured.
	Asked *Asked `json:"asked,omitempty"`
	// Unrelated and Related are bursts of events once all variants are ready: about packages without variants, and about
	// the variants' packages.
	Unrelated Burst `json:"unrelated"`
	Related   Burst `json:"related"`
	// Restart is the start of a new controller with the same fleet.
	Restart Restart `json:"restart"`
}

// Last returns the largest of the fleets, or nil if there is none.
func (s *Scale) Last() *ScalePoint {
	if s == nil || len(s.Points) == 0 {
		return nil
	}
	return &s.Points[len(s.Points)-1]
}

// NamedBurst is a burst of a ScalePoint.
type NamedBurst struct {
	// Name says what the events were about.
	Name string
	Burst
}

// Bursts returns the bursts.
func (p *ScalePoint) Bursts() []NamedBurst {
	return []NamedBurst{
		{"events about packages of no variant", p.Unrelated}, {"events about packages of variants", p.Related},
	}
}

// Asked counts a controller's requests, as recorded by the servers.
type Asked struct {
	// ContentReads is how often it read the files of a package.
	ContentReads int `json:"contentReads"`
	// Writes is how often it asked to change a package, an object of this project or of Porch, or an Event.
	Writes int `json:"writes"`
}

// Cells returns both as table cells, empty if they were not measured.
func (a *Asked) Cells() []string {
	if a == nil {
		return []string{"", ""}
	}
	return []string{count(a.ContentReads), count(a.Writes)}
}

// Burst is how an idle controller handles many events about packages at once that need no action.
type Burst struct {
	// Events is how many there were.
	Events int `json:"events"`
	// Seconds is the time from the first event until the controller was idle again, and CPUSeconds its processor time.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	// Reconciles and Requests are those that the events caused.
	Reconciles int `json:"reconciles"`
	Requests   int `json:"requests"`
}

// PerSecond returns how many events a second the controller has taken.
func (b Burst) PerSecond() float64 { return float64(b.Events) / b.Seconds }

// Restart is what a new controller does with a settled fleet: it looks at each variant once.
type Restart struct {
	// Seconds is the time from its readiness until it was idle, and CPUSeconds its processor time.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	// PeakBytes is its largest resident memory.
	PeakBytes int64 `json:"peakBytes"`
	// Reconciles are those of variants, and Requests all requests to the API.
	Reconciles int `json:"reconciles"`
	Requests   int `json:"requests"`
	// Asked is what some of these were; nil where that was not measured.
	Asked *Asked `json:"asked,omitempty"`
}
