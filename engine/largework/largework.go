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

// calling is how many large pieces of work that call other systems are begun at once. With the one that computes, three
// are in memory at most.
const calling = 2

// Limit admits one large piece of work at a time, and any number of others. A nil Limit admits all.
type Limit struct{ one, calling *semaphore.Weighted }

// New returns a Limit for all work of a process.
func New() *Limit {
	return &Limit{one: semaphore.NewWeighted(1), calling: semaphore.NewWeighted(calling)}
}

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

// held is the key of the Limit that admitted the work of a context.
type held struct{}

// DoCalling does work as Do does, and lets other work be done while this one is in Outside.
func (l *Limit) DoCalling(ctx context.Context, values int, work func(context.Context)) error {
	if l == nil || values <= Large {
		work(ctx)
		return nil
	}
	if err := l.calling.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("not done while other large work was: %w", err)
	}
	defer l.calling.Release(1)
	return l.Do(ctx, values, func() { work(context.WithValue(ctx, held{}, l)) })
}

// Outside makes a call to another system, with the context of the work that makes it. Other large work is done
// meanwhile, and the work goes on alone.
func Outside(ctx context.Context, call func()) {
	if l, large := ctx.Value(held{}).(*Limit); large {
		l.one.Release(1)
		defer func() { _ = l.one.Acquire(context.WithoutCancel(ctx), 1) }() // other work only computes, and so ends
	}
	call()
}
