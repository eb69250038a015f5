// SPDX-License-Identifier: Apache-2.0

// Package examples tests the examples and the pages under docs: every command is run by the real kpt, and what it
// prints and changes is compared with what the document says, and for an example with its directory .expected. It
// holds, too, that links between documents lead somewhere, and that lists of reasons and metrics are those of the code.
package examples
