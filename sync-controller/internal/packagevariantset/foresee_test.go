// SPDX-License-Identifier: Apache-2.0

package packagevariantset_test

import (
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	"github.com/package-variants/package-variants/sync-controller/internal/plans/planstest"
)

// All stories compare what the controllers do with a plan.
func init() { memorytest.Foresee = planstest.Foresee }
