// SPDX-License-Identifier: Apache-2.0

package reconcile

import "github.com/package-variants/package-variants/engine/decide"

// Look is what a reconcile saw of a variant, and what it decided.
type Look struct {
	Decision decide.Decision
	// Input is that of the decision.
	Input *decide.Input
	// Err is why the step failed.
	Err error
}

// expose tells of a look at a variant, with the step of its decision that was done, or failed.
func (r *Reconciler) expose(in *inspection, d *decide.Decision, err error) {
	if r.Looked != nil {
		done, after := *d, in.Input // a copy, as a pointer into it would keep the contents alive
		done.Steps = d.Steps[:min(len(d.Steps), 1)]
		r.Looked(&Look{Decision: done, Input: &after, Err: err})
	}
}
