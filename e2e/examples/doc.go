// SPDX-License-Identifier: Apache-2.0

// Package examples tests the examples: every command of their READMEs is run by the real kpt, and what it prints and
// changes is compared with what the README says and with the example's .expected directory.
package examples
