// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/simulation"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
)

// TestOutcomes checks how times are reported: by kind, in the order of the page, and for all changes together.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	var o outcomes
	for i := range 100 {
		o.add(&change{kind: edited, targets: []int{i}}, time.Duration(100-i)*time.Second, nil)
	}
	o.add(&change{kind: published, targets: make([]int, 200)}, 300*time.Second, errors.New("7 of 200 are not right"))
	o.add(&change{kind: published, targets: make([]int, 200)}, 200*time.Second, nil)
	each, all, faults := o.kinds()
	want := []report.SoakKind{
		{Name: published, Changes: 2, Variants: 400, Wrong: 1, MedianSeconds: 200, P99Seconds: 200, MostSeconds: 200},
		{Name: edited, Changes: 100, Variants: 100, MedianSeconds: 50, P99Seconds: 99, MostSeconds: 100},
	}
	if diff := cmp.Diff(want, each); diff != "" {
		t.Errorf("by kind (-want +got):\n%s", diff)
	}
	together := report.SoakKind{Name: "all", Changes: 102, Variants: 500, Wrong: 1, MedianSeconds: 51, P99Seconds: 100,
		MostSeconds: 200}
	if diff := cmp.Diff(together, all); diff != "" {
		t.Errorf("together (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{published + ": 7 of 200 are not right"}, faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	for range 2 * mostFaults {
		o.add(&change{kind: facts}, time.Second, errors.New("wrong"))
	}
	if _, _, faults := o.kinds(); len(faults) != mostFaults {
		t.Errorf("%d faults are told of, want %d", len(faults), mostFaults)
	}
}

// TestDeck checks that each kind gets its share of a hundred changes, in an order that depends on the seed.
func TestDeck(t *testing.T) {
	t.Parallel()
	deal := func(seed uint64) (order string, parts map[string]int) {
		f := &flow{random: rand.New(rand.NewPCG(seed, seed)), all: (&world{}).kinds()}
		parts = map[string]int{}
		for range 100 {
			k := f.all[f.next()]
			order += fmt.Sprint(k.name, "\n")
			parts[k.name]++
		}
		return order, parts
	}
	first, parts := deal(1)
	want := map[string]int{published: 1, template: 1, facts: 10, left: 6, edited: 26, suspended: 26, approved: 15,
		recreation: 15}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again, _ := deal(1); again != first {
		t.Error("the same seed gives another order")
	}
	if other, _ := deal(2); other == first {
		t.Error("another seed gives the same order")
	}
}

// TestPutOff checks that a kind that was put off gets its turn before the next hundred.
func TestPutOff(t *testing.T) {
	t.Parallel()
	f := &flow{random: rand.New(rand.NewPCG(1, 1)), all: (&world{}).kinds()}
	parts := map[int]int{}
	for turn := range 103 {
		if i := f.next(); turn < 3 {
			f.putOff(i)
		} else {
			parts[i]++
		}
	}
	want := map[int]int{}
	for i, k := range f.all {
		want[i] = k.of100
	}
	if diff := cmp.Diff(want, parts); diff != "" || f.later != 3 || len(f.deck) != 0 {
		t.Errorf("%d were put off, and %d are left (-want +got):\n%s", f.later, len(f.deck), diff)
	}
}

// TestLocks checks that a change locks all of its targets or none, and that a waiting change gets them.
func TestLocks(t *testing.T) {
	t.Parallel()
	f := &flow{world: &world{locks: make([]chan struct{}, 5)}}
	for i := range f.locks {
		f.locks[i] = make(chan struct{}, 1)
	}
	if !f.lock([]int{1, 2}) || f.lock([]int{0, 2, 3}) {
		t.Fatal("one variant is in two changes")
	}
	if !f.lock([]int{0, 3}) {
		t.Error("a change that could not be made has kept its targets")
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		f.await([]int{1, 2, 4})
	}()
	f.unlock([]int{1, 2})
	<-waited
	if f.lock([]int{4}) {
		t.Error("what was waited for is not taken")
	}
}

// TestFollow checks that a change counts as wrong when it fails or is not right in time, and that the further condition
// is checked.
func TestFollow(t *testing.T) {
	t.Parallel()
	pv, revisions := settled()
	for name, c := range map[string]struct {
		fault string // from the further condition
		err   error
		gone  bool // the change deletes the variant
		want  report.SoakKind
		why   []string
	}{
		"right": {want: report.SoakKind{Changes: 1, Variants: 1}},
		"failed": {err: errors.New("refused"), want: report.SoakKind{Changes: 1, Variants: 1, Wrong: 1},
			why: []string{edited + ": refused"}},
		"never right": {gone: true, want: report.SoakKind{Changes: 1, Variants: 1, Wrong: 1},
			why: []string{edited + ": 1 of 1 are not right: site-0001/web-3: the variant is there"}},
		"more is wrong": {fault: "it is the same", want: report.SoakKind{Changes: 1, Variants: 1, Wrong: 1},
			why: []string{edited + ": 1 of 1 are not right: site-0001/web-3: it is the same"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &world{model: asked(), t: t, known: &known{byPair: map[pair]*v1alpha1.PackageVariant{{"site-0001", "web-3"}: pv}},
					look: func(string, string, string) []simulation.Revision { return revisions }}
				f := &flow{world: w}
				began := time.Now()
				f.follow(t.Context(), &change{
					kind: edited, targets: []int{13},
					do:   func(context.Context) error { w.move(1, c.gone); return c.err },
					also: func(int) string { return c.fault },
				})
				each, all, why := f.outcomes.kinds()
				c.want.Name = "all"
				if diff := cmp.Diff(c.want, all); diff != "" || len(each) != 1 {
					t.Errorf("%d kinds (-want +got):\n%s", len(each), diff)
				}
				if diff := cmp.Diff(c.why, why); diff != "" {
					t.Errorf("faults (-want +got):\n%s", diff)
				}
				if waited := time.Since(began); (waited == patience) != (c.gone || c.fault != "") {
					t.Errorf("it was waited for %s", waited)
				}
			})
		})
	}
}

// TestMeasureRefuses checks the errors for options that no fleet can have.
func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]SoakOptions{
		"there cannot be 150 variants: their number must be a multiple of 100": {Variants: 150, For: 1, Rate: 1},
		"there cannot be 0 variants: their number must be a multiple of 100":   {For: 1, Rate: 1},
		"cannot soak for 0s with 1 changes a second: both must be more than 0": {Variants: 100, Rate: 1},
		"cannot soak for 1s with 0 changes a second: both must be more than 0": {Variants: 100, For: time.Second},
	} {
		if _, err := MeasureSoak(t.Context(), o, t.Output()); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	const want = "there cannot be 50 variants: their number must be a multiple of 100"
	if _, err := MeasureScale(t.Context(), 50, stack.CRCache, t.Output()); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
