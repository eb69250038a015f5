// SPDX-License-Identifier: Apache-2.0

package options

import (
	"math"
	"os"
	"runtime/debug"
)

// heapGrowth is the growth of the heap between garbage collections in percent, unless GOGC is set. With Go's 100, a
// fan-out spends a fifth of its processor time on them.
const heapGrowth = 200

// CollectGarbage keeps a tenth of the memory limit in GOMEMLIMIT free for memory that Go does not count, and has
// garbage collected less often while memory is far below the limit. Without a limit it does nothing.
func CollectGarbage() {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return
	}
	debug.SetMemoryLimit(limit - limit/10)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
