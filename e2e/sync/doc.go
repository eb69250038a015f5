// SPDX-License-Identifier: Apache-2.0

// Package sync tests the controller on a real Kubernetes API and a real Porch. Each test has a namespace, git
// repositories and a controller process of its own. The controller has the permissions that its config grants, and all
// its API requests go through a proxy that counts them.
//
// In smoke tests, Apply makes a plan of what is applied, and the waits for it compare what comes with the plan: the
// conditions and drafts of variants, and the conditions of sets.
package sync
