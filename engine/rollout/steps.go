// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"k8s.io/apimachinery/pkg/api/equality"
)

// holds reports whether nothing more may be opened.
func (r *rollout) holds() bool {
	return r.Suspended || r.spec.Paused || r.stopped()
}

// opens returns the targets of the current wave to open now, with at most maxConcurrent in flight. Targets that are
// already moving to another spec come first, since opening them adds no movement; others are opened only while the wave
// has fewer than maxConcurrent moving at all.
func (r *rollout) opens() []*target {
	if r.current == nil || r.holds() {
		return nil
	}
	w := r.current
	var opened []*target
	limit, inFlight := w.limit(), w.count((*target).inFlight)
	moving := w.count(func(t *target) bool { return t.moving })
	for _, first := range []bool{true, false} {
		for _, t := range w.targets {
			switch {
			case !t.pending() || t.moving != first:
				continue
			case inFlight >= limit || !t.moving && moving >= limit:
				return opened
			case !t.moving:
				moving++
			}
			inFlight++
			opened = append(opened, t)
		}
	}
	return opened
}

// known reports whether the variants include everything that was written: they come from the API server, or agree with
// the status, which is written before them. In a cache that lags behind, a variant can be two rollouts old.
func (r *rollout) known() bool {
	return r.Live || r.before != nil && r.before.Written != nil && *r.before.Written == r.written()
}

// written returns what is written, by what the variants have.
func (r *rollout) written() (w v1alpha2.WrittenVariants) {
	for i := range r.targets {
		t := &r.targets[i]
		if t.updated {
			w.Updated++
		}
		if t.Have != nil {
			w.Generations += t.Have.Generation
		}
	}
	return w
}

// toBeWritten returns what is written once the steps are done; the value from the status, if that is not known.
func (r *rollout) toBeWritten(steps []Step) *v1alpha2.WrittenVariants {
	switch {
	case r.known():
	case r.before == nil:
		return nil
	default:
		return r.before.Written
	}
	w := r.written()
	for i := range steps {
		if steps[i].Action == Hold {
			continue
		}
		w.Generations++
		if r.makesUpdated(i, &steps[i]) {
			w.Updated++
		}
	}
	return &w
}

// makesUpdated reports whether a step gives the i-th target the spec that it should have and does not have yet.
func (r *rollout) makesUpdated(i int, s *Step) bool {
	t := &r.targets[i]
	return !t.updated && (s.Action == Open || s.Action == Pin && equality.Semantic.DeepEqual(s.Spec, t.spec))
}

// steps returns the step for each target, and counts the updated targets in the waves.
func (r *rollout) steps(opened []*target) []Step {
	opens := make(map[*target]bool, len(opened))
	for _, t := range opened {
		opens[t] = true
	}
	steps := make([]Step, len(r.targets))
	for i := range r.targets {
		t := &r.targets[i]
		s := Step{Variant: t.Name, Action: Hold}
		if t.Have != nil {
			s.Spec = &t.Have.Spec
		}
		if opens[t] {
			s.Action, s.Spec = Open, t.spec
		} else if pinned := t.pin(); pinned != nil && !r.Suspended {
			s.Action, s.Spec = Pin, pinned
		}
		s.Held = !t.updated && !r.makesUpdated(i, &s)
		if !s.Held {
			t.wave.now.Updated++
		}
		steps[i] = s
	}
	return steps
}

// again returns after how long a deadline passes, or a wave has soaked; 0 for never.
func (r *rollout) again() (again time.Duration) {
	sooner := func(at time.Time) {
		if wait := at.Sub(r.Now); wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
	}
	for i := range r.targets {
		if t := &r.targets[i]; t.moving && !t.wave.wasComplete() {
			if at, isSet := t.deadline(r); isSet {
				sooner(at)
			}
		}
	}
	if w := r.current; w != nil && w.now.State == v1alpha2.WaveSoaking {
		until, _ := w.soaksUntil(r.stamp)
		sooner(until)
	}
	return again
}
