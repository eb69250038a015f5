// SPDX-License-Identifier: Apache-2.0

// Package switching holds the tests of what happens to a running cluster: that this project's controller takes over
// from Porch's own, that it is upgraded, and that Porch stops and comes back. Each has a stack of
// its own.
package switching
