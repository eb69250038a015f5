// SPDX-License-Identifier: Apache-2.0

// Package load measures the controller with a large fleet before a simulated Porch: what it takes to make the fleet and
// to start again (scale), and whether it stays as it is while the fleet changes all the time (soak): its memory, its
// goroutines, and the time until a change is right.
//
// A model knows after each change what must be true, from the changes alone: which variants there are, from which
// upstream revision their packages are made, what stands in them, which are suspended and have to stay as they were. A
// variant is right if its status says so for its newest generation and its package, read from Porch, has what it must.
// A variant is in one change at a time, so that the time from a change until all is right is of this change alone.
package load
