// SPDX-License-Identifier: Apache-2.0

// Package sync tests the controller on a real Kubernetes API and a real Porch. Each test has a namespace, git
// repositories and a controller process of its own. The controller has the permissions that its config grants, and all
// its API requests go through a proxy that counts them.
//
// Two helpers check more than their names say. In smoke tests, Apply makes a plan of what is applied, and what comes is
// compared with it by the waits for it: the conditions and drafts of variants, and the conditions of sets. The cleanup
// of a test compares its drafts with the golden files in testdata/drafts.
package sync
