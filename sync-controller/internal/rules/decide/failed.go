// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// packageTooLarge leaves a package alone that is too large, or for which the upstream is: neither the controller nor
// Porch could be trusted to survive it.
func packageTooLarge(in *Input, target *revision.Revision) *Decision {
	return tooLarge(in, MutationsChanged, target.Name)
}

func tooLarge(in *Input, state State, name string) *Decision {
	message, is := in.TooLarge[name]
	if !is {
		return nil
	}
	return &Decision{State: state, Condition: v1alpha1.Stalled(v1alpha1.ReasonPackageTooLarge, message)}
}

func failed(state State, name string, err error) Decision {
	return Decision{State: state, Condition: FunctionFailed(name, err), Err: err}
}

// FunctionFailed returns the condition of a variant of which a function failed over the files of a revision.
func FunctionFailed(name string, err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonFunctionFailed, fmt.Sprintf("cannot change %s: %v", name, err))
}
