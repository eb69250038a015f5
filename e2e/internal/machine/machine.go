// SPDX-License-Identifier: Apache-2.0

// Package machine describes this machine, and measures what a process uses of it.
package machine

import "time"

// Usage is what a process has used since its start.
type Usage struct {
	// CPU is the processor time of all its threads, in user mode and in the kernel, to a hundredth of a second.
	CPU time.Duration
	// PeakBytes is the largest resident memory that it has had.
	PeakBytes int64
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
