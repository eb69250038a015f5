// SPDX-License-Identifier: Apache-2.0

package options

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
)

// Share returns what bounds what is worked on in this process at once: by the processors but one, which is left for
// others, where the functions run in it, and by its memory.
func (o *Options) Share() *fairqueue.Share {
	processors := max(1, runtime.GOMAXPROCS(0)-1)
	if o.FunctionRuntime != builtin {
		processors = o.Concurrency
	}
	return fairqueue.NewShare(processors, reserveMemory())
}

// heapGrowth is by how many percent the heap grows between garbage collections, unless GOGC says otherwise. With Go's
// 100, a fan-out spends a fifth of its processor time on them.
const heapGrowth = 200

// reserveMemory leaves a tenth of the memory that the process has, which GOMEMLIMIT says, to what Go does not count,
// and returns the rest; math.MaxInt64 if there is no limit. With a limit, memory is collected less often far below it.
func reserveMemory() int64 {
	limit := debug.SetMemoryLimit(-1)
	if limit < math.MaxInt64 {
		limit -= limit / 10
		debug.SetMemoryLimit(limit)
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(heapGrowth)
		}
	}
	return limit
}
