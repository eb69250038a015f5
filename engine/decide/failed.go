// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// packageUnusable leaves a package alone if it, or its upstream, is too large or has files that the home could not take
// back.
func packageUnusable(in *Input, target *revision.Revision) *Decision {
	return unusable(in, target.Name)
}

func unusable(in *Input, name string) *Decision {
	condition, ok := in.Unusable[name]
	if !ok {
		return nil
	}
	return &Decision{Condition: condition}
}

func failed(name string, err error) Decision {
	return Decision{Condition: FunctionFailed(name, err), Err: err}
}

// FunctionFailed returns the condition of a variant with a function that failed over the files of a revision.
func FunctionFailed(name string, err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonFunctionFailed, fmt.Sprintf("cannot change %s: %v", name, err))
}
