// SPDX-License-Identifier: Apache-2.0

// Package simulation simulates Porch for fleets that a Porch on one machine could not serve: a git repository, a clone
// of it and a process for each function are what is slow there.
//
// The simulated one is a server behind the same aggregation layer. It keeps packages in memory and lets the time pass
// that a real one takes. A controller sees the same objects and versions, lists by the same fields, a watch that begins
// with all there is, with the CR cache one call at a time in a Repository, and files that a render changes once more
// after each save. So a controller's memory, processor time, reconciles and requests are those with a real Porch; the
// time until all variants are ready is that of a Porch that does not slow down with the number of its Repositories. The
// package has a model of its own of what Porch makes of a draft, with only as much of it as the controller looks at.
package simulation
