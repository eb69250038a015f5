// SPDX-License-Identifier: Apache-2.0

// Package start does what docs/getting-started.md says, and docs/use-in-a-cluster.md in a stack with a real Porch, and
// checks that what the pages and the README show is what was printed.
package start
