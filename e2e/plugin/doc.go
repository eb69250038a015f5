// SPDX-License-Identifier: Apache-2.0

// Package plugin holds the tests of the kubectl plugin on a real Kubernetes API and a real Porch, by the real kubectl.
package plugin
