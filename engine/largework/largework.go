// SPDX-License-Identifier: Apache-2.0

// Package largework does one large piece of work at a time. At its bounds, a package or a set takes a third of the
// memory of the controller's pod (docs/limits.md, "Bounds"), so two at once could be too much.
package largework

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"
)

// Large is the number of values above which work is large. All workers can do smaller work at once.
const Large = 20_000

// Limit admits one large piece of work at a time, and any number of others. A nil Limit admits all.
type Limit struct{ one *semaphore.Weighted }

// New returns a Limit for all work of a process.
func New() *Limit { return &Limit{one: semaphore.NewWeighted(1)} }

// Do does work over so many values. Large work first waits until no other is done, in the order of the calls. If the
// context ends meanwhile, the work is not done, and the error says so. The work must only compute: nothing else that is
// large can be done while it waits for something.
func (l *Limit) Do(ctx context.Context, values int, work func()) error {
	if l != nil && values > Large {
		if err := l.one.Acquire(ctx, 1); err != nil {
			return fmt.Errorf("not done while other large work was: %w", err)
		}
		defer l.one.Release(1)
	}
	work()
	return nil
}
