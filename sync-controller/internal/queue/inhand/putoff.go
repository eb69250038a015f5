// SPDX-License-Identifier: Apache-2.0

package inhand

import (
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// setAside is the number of deaths after which work is not retried. The last time, it was the only work.
const setAside = 3

// after is how long other work comes first, from the first work of the process, by the number of deaths.
var after = [setAside]time.Duration{1: 10 * time.Second, 2: 30 * time.Second}

// PutOffError says that work was not done, because the process died during the same work before.
type PutOffError struct {
	Deaths int
	// Wait is after what time to ask again; 0 for not before something changes.
	Wait time.Duration
}

func (e *PutOffError) Error() string { return e.Condition().Message }

// Condition returns the condition of the object whose work it is.
func (e *PutOffError) Condition() v1alpha1.Condition {
	const died = "the controller was killed, perhaps because it ran out of memory, "
	switch e.Deaths {
	case 1:
		return v1alpha1.Reconciling(v1alpha1.ReasonPending,
			"will try again: "+died+"while it worked on this and maybe on others, so others come first")
	case 2:
		return v1alpha1.Stalled(v1alpha1.ReasonSetAside, "not worked on for now: "+died+"twice while it worked on this and "+
			"maybe on others; it will be tried once more, alone. If that fails, give the controller more memory, or make "+
			"the package smaller, or what the set selects")
	default:
		return v1alpha1.Stalled(v1alpha1.ReasonSetAside, "not worked on any more: "+died+"three times while it worked on "+
			"this, the last time on nothing else. Give the controller more memory, or make the package smaller, or what the "+
			"set selects: this is tried again after such a change, and by a new Pod of the controller")
	}
}
