// SPDX-License-Identifier: Apache-2.0

// Package simulation measures the controller with more variants than a Porch on one machine could serve: how its
// memory, its work and its time grow with the fleet.
//
// The controller is the real one, as a process, and so are the Kubernetes API and all that the controller reads and
// writes there: PackageVariants, sets, Repositories, ConfigMaps, Events. Only Porch is simulated, by a server behind
// the same aggregation layer, for Porch is what is slow: a git repository, a clone of it and a process for each
// function. The simulated one keeps packages in memory and lets the time pass that a real one takes. What the
// controller sees of it is what it sees of Porch: the same objects and versions, lists by the same fields, a watch that
// begins with all there is, with the CR cache one call at a time in a Repository, and files that a render changes once
// more after each save. So what is measured of the controller, its memory, processor time, reconciles and requests, is
// what it takes with a real Porch; the time to converge is that of a Porch which does not slow down with the number of
// its Repositories. It has a model of its own of what Porch makes of a draft, because it cannot import the controller's
// internal packages, and it needs only as much of it as the controller looks at.
package simulation
