// SPDX-License-Identifier: Apache-2.0

// Package sync holds the tests of the controller on a real Kubernetes API and a real Porch. Each test has a namespace,
// git repositories and a controller process of its own; the controller runs with the permissions that its config
// grants, and all it asks of the API goes through a proxy that counts.
package sync
