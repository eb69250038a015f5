// SPDX-License-Identifier: Apache-2.0

// Package merge compares what merge-upstream makes of a package with what Porch's upgrade and `kpt pkg update` make of
// it.
package merge
