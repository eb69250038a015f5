// SPDX-License-Identifier: Apache-2.0

// Package kustomize tests the functions as transformers and generators of the real kustomize: what it builds with them
// is what it builds of the package that kpt has run them on.
package kustomize
