// SPDX-License-Identifier: Apache-2.0

// Package forge runs what local/forge does on a real Gitea: pull requests that people merge, with branches that go
// then, and close.
package forge
