// SPDX-License-Identifier: Apache-2.0

// Package contest has Porch's own controllers and this project's do the same work, one after the other, each on a stack
// of its own, and measures both: a fan-out, the rest after it, and changes.
package contest
