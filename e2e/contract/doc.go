// SPDX-License-Identifier: Apache-2.0

// Package contract runs the contract of the port packages on a real Porch: the one that is pinned, or the one that the
// environment names, on the cache that it names.
package contract
