// SPDX-License-Identifier: Apache-2.0

// Package sites tests the most usual layout of a fleet: one git repository with a directory for each site, and a
// Repository over each directory.
package sites
