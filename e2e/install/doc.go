// SPDX-License-Identifier: Apache-2.0

// Package install tests the package in sync-controller/config on a real Kubernetes API with a real Porch: what its
// manual, docs/install.md, says to do works when it is copied, in a new cluster and in one in which Porch's controllers
// have worked, and gives the controller the rights that it needs and no others. No pod runs there, so that the
// controller itself is not tested here.
package install
