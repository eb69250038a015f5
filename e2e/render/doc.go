// SPDX-License-Identifier: Apache-2.0

// Package render tests that Porch's function-runner, which knows the functions by their images, makes of a package what
// kpt makes of it, and that its users read what the functions have to say.
package render
