// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/tally"
)

// rest waits for the time settle, and returns the requests during the time after it.
func (c *contender) rest(settle, during time.Duration) []report.RequestCount {
	c.t.Helper()
	c.sleep(settle)
	c.proxy.Reset()
	c.sleep(during)
	return tally.Of(c.proxy.Requests())
}
