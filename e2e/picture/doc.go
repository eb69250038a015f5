// SPDX-License-Identifier: Apache-2.0

// Package picture draws the picture of a fleet in the README, from what kubectl variants plan says of an example.
package picture
