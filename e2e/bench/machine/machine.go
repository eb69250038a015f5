// SPDX-License-Identifier: Apache-2.0

// Package machine says what this machine is, and what a process has used of it.
package machine

import "time"

// Usage is what a process has used since its start.
type Usage struct {
	// CPU is the processor time of all its threads, in user mode and in the kernel, to a hundredth of a second.
	CPU time.Duration
	// PeakBytes is the largest resident memory that it has had.
	PeakBytes int64
}
