// SPDX-License-Identifier: Apache-2.0

package options

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
)

// Share returns the limits for concurrent work in this process. If the functions run in this process, one processor is
// left for other work. Memory is limited in any case.
func (o *Options) Share() *fairqueue.Share {
	processors := max(1, runtime.GOMAXPROCS(0)-1)
	if o.FunctionRuntime != builtin {
		processors = o.Concurrency
	}
	return fairqueue.NewShare(processors, reserveMemory())
}

// heapGrowth is the growth of the heap between garbage collections in percent, unless GOGC is set. With Go's 100, a
// fan-out spends a fifth of its processor time on them.
const heapGrowth = 200

// reserveMemory reserves a tenth of the memory limit in GOMEMLIMIT for memory that Go does not count, and returns the
// rest; math.MaxInt64 if there is no limit. With a limit, garbage is collected less often while memory is far below it.
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
