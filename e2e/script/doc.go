// SPDX-License-Identifier: Apache-2.0

// Package script compares variants sync with what people write without it: a script of kpt and git that brings a
// blueprint to each site, on a branch for review. The benchmark of a fleet in git is here, too.
package script
