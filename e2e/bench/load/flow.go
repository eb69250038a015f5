// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// tries is how many times to look for a target that is in no other change.
	tries = 50
	// hundred is the number of changes in which each kind gets its share.
	hundred = 100
)

// flow makes changes at a steady rate, and follows each until it is right.
type flow struct {
	*world
	random *rand.Rand
	each   time.Duration
	all    []kind
	deck   []int // kinds to come, from the end

	// made is how many changes were started, and later how often a change was put off because no target was free.
	made, later int

	pending  atomic.Int64
	running  sync.WaitGroup
	outcomes outcomes
}

func newFlow(w *world, o *SoakOptions) *flow {
	return &flow{
		world: w, random: rand.New(rand.NewPCG(o.Seed, o.Seed)),
		each: time.Duration(float64(time.Second) / o.Rate), all: w.kinds(),
	}
}

// run makes changes for a time, and then, for at most patience, until each kind has had its share.
func (f *flow) run(ctx context.Context, long time.Duration) {
	ticker := time.NewTicker(f.each)
	defer ticker.Stop()
	end := time.Now().Add(long)
	for now := time.Now(); now.Before(end) || f.made < hundred && now.Before(end.Add(patience)); now = time.Now() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if i := f.next(); f.start(ctx, f.all[i]) {
			f.made++
		} else {
			f.putOff(i)
		}
	}
}

// wait returns once no change is in progress.
func (f *flow) wait() { f.running.Wait() }

// next returns the kind of the next change, as an index. In each hundred changes, every kind gets its share.
func (f *flow) next() int {
	if len(f.deck) == 0 {
		for i, k := range f.all {
			for range k.of100 {
				f.deck = append(f.deck, i)
			}
		}
		f.random.Shuffle(len(f.deck), func(i, j int) { f.deck[i], f.deck[j] = f.deck[j], f.deck[i] })
	}
	last := len(f.deck) - 1
	i := f.deck[last]
	f.deck = f.deck[:last]
	return i
}

// putOff puts a kind back in the deck, behind some others.
func (f *flow) putOff(kind int) {
	f.later++
	f.deck = slices.Insert(f.deck, f.random.IntN(len(f.deck)+1), kind)
}

// start starts a change of a kind, and reports whether a target was free.
func (f *flow) start(ctx context.Context, k kind) bool {
	for range tries {
		c := k.draw(f.random)
		if c == nil {
			continue
		}
		locked := f.lock(c.targets)
		if !locked && !c.waits {
			continue
		}
		f.pending.Add(1)
		f.running.Go(func() {
			defer f.pending.Add(-1)
			if !locked {
				f.await(c.targets)
			}
			defer f.unlock(c.targets)
			f.follow(ctx, c)
		})
		return true
	}
	return false
}

// follow makes a change and waits until it is right.
func (f *flow) follow(ctx context.Context, c *change) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	err := c.do(ctx)
	targets := c.targets
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	for err == nil {
		var fault string
		if targets, fault = f.wrongOf(c, targets); len(targets) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			err = fmt.Errorf("%d of %d are not right: %s", len(targets), len(c.targets), fault)
		case <-ticker.C:
		}
	}
	took := time.Since(began)
	f.outcomes.add(c, took, err)
	if err != nil {
		f.t.Logf("  NOT RIGHT after %.0f s: %s: %v", took.Seconds(), c.kind, err)
	}
}

// wrongOf returns the targets of a change that are wrong, and what is wrong with the first.
func (f *flow) wrongOf(c *change, targets []int) (wrong []int, fault string) {
	for _, v := range targets {
		what := f.wrong(v)
		if what == "" && c.also != nil {
			what = c.also(v)
		}
		if what == "" {
			continue
		}
		if wrong = append(wrong, v); fault == "" {
			fault = fmt.Sprintf("%s/%s: %s", f.pairOf(v).repo, f.pairOf(v).pkg, what)
		}
	}
	return wrong, fault
}

// lock locks targets for a change, all or none.
func (f *flow) lock(targets []int) bool {
	for i, v := range targets {
		select {
		case f.locks[v] <- struct{}{}:
		default:
			f.unlock(targets[:i])
			return false
		}
	}
	return true
}

// await locks targets one after the other. They are in ascending order, so changes cannot deadlock.
func (f *flow) await(targets []int) {
	for _, v := range targets {
		f.locks[v] <- struct{}{}
	}
}

func (f *flow) unlock(targets []int) {
	for _, v := range targets {
		<-f.locks[v]
	}
}
