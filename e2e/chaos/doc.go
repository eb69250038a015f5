// SPDX-License-Identifier: Apache-2.0

// Package chaos runs a fleet while its components are killed at random: two controllers, Porch, its function-runner,
// the git server and the Kubernetes API server. Meanwhile people publish blueprints, change facts, edit and approve
// drafts, and a set rolls out. In the end every package has to be right, and nothing that people did may be lost
// (docs/guarantees.md): verdict has the rules.
//
// CHAOS_FOR says for how long, CHAOS_SEED which choices are made: the same seed makes the same ones. How they meet what
// the components do at that moment differs from run to run.
package chaos
