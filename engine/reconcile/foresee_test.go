// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/plans/planstest"
)

// All stories compare what the controller does with a plan.
func init() { memorytest.Foresee = planstest.Foresee }
