// SPDX-License-Identifier: Apache-2.0

package life

import "github.com/package-variants/package-variants/engine/decide"

// Look is what a reconcile saw of a variant, and what it decided.
type Look struct {
	Decision decide.Decision
	// Input is that of the decision, with the draft that was made.
	Input *decide.Input
	// Err is why the steps ended early.
	Err error
}

// expose tells of a look at a variant, with the steps of its decision that were done, or failed.
func (r *Reconciler) expose(in *inspection, d *decide.Decision, err error) {
	if r.Looked != nil {
		done, after := *d, in.Input // a copy, as a pointer into it would keep the contents alive
		done.Steps = d.Next()
		r.Looked(&Look{Decision: done, Input: &after, Err: err})
	}
}
