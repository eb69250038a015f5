// SPDX-License-Identifier: Apache-2.0

// Package start does what docs/getting-started.md says, with the real kpt and in a stack with a real Porch, and checks
// that what the page and the README show is what was printed.
package start
