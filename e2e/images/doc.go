// SPDX-License-Identifier: Apache-2.0

// Package images tests the container images that make images has written, and the program that makes, pushes and
// releases them: in a registry, and on another copy of the source.
package images
