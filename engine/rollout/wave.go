// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wave is a wave and its targets.
type wave struct {
	*v1alpha2.Wave
	// before is the wave's last status; nil if the rollout has just begun, or the wave is new.
	before *v1alpha2.WaveStatus
	// now is the wave's new status.
	now     v1alpha2.WaveStatus
	targets []*target
	// closed reports whether an earlier wave is not complete, and no target of this wave has the spec that it should have:
	// the wave has to be opened again, for other specs.
	closed bool
}

// wavesOf returns the waves of a rollout and the last one, of all other targets.
func wavesOf(spec *v1alpha2.Rollout, before *v1alpha2.RolloutStatus) []*wave {
	known := map[string]*v1alpha2.WaveStatus{}
	if before != nil {
		for i := range before.Waves {
			known[before.Waves[i].Name] = &before.Waves[i]
		}
	}
	var waves []*wave
	for i := range spec.Waves {
		waves = append(waves, &wave{Wave: &spec.Waves[i], before: known[spec.Waves[i].Name]})
	}
	return append(waves, &wave{Wave: &v1alpha2.Wave{Name: v1alpha2.RestWave}, before: known[v1alpha2.RestWave]})
}

// waveOf returns the wave of a name, or else the last one.
func (r *rollout) waveOf(name string) *wave {
	for _, w := range r.waves {
		if w.Name == name {
			return w
		}
	}
	return r.waves[len(r.waves)-1]
}

// until returns what the wave waits for in each target.
func (w *wave) until() v1alpha2.Until {
	if w.Until == v1alpha2.UntilReady {
		return v1alpha2.UntilReady
	}
	return v1alpha2.UntilPublished
}

// limit returns how many targets of the wave may be in flight.
func (w *wave) limit() int {
	if w.MaxConcurrent == nil {
		return len(w.targets)
	}
	return max(v1alpha2.Scaled(w.MaxConcurrent, len(w.targets)), 1)
}

// count returns how many targets of the wave satisfy a condition.
func (w *wave) count(are func(*target) bool) int {
	n := 0
	for _, t := range w.targets {
		if are(t) {
			n++
		}
	}
	return n
}

// failed returns how many targets of the wave have failed with the spec that they should have.
func (w *wave) failed() int {
	return w.count(func(t *target) bool { return t.updated && t.failure != nil })
}

// advance sets the state of each wave, in their order, and finds the current one.
func (r *rollout) advance() {
	turn := true
	for _, w := range r.waves {
		w.closed = !turn && w.count(func(t *target) bool { return t.updated }) == 0
		turn = turn && w.staysComplete()
		if w.wasOpened() {
			r.add(w)
		}
	}
	for _, w := range r.waves {
		w.now = v1alpha2.WaveStatus{Name: w.Name, Targets: int32(len(w.targets)), ApprovedAt: r.approvedAt(w)}
		if w.wasOpened() {
			w.now.OpenedAt = w.before.OpenedAt
		}
		if r.current == nil && !w.staysComplete() && !r.keepsClosed(w) {
			r.open(w)
		}
		r.setState(w)
		if r.current == nil && w.now.State != v1alpha2.WaveComplete {
			r.current = w
		}
	}
}

// setState sets the state of a wave, and since when it has that state.
func (r *rollout) setState(w *wave) {
	for _, rule := range waveRules {
		if s := rule(r, w); s != nil {
			w.now.State, w.now.Message = s.state, s.message
			break
		}
	}
	w.now.Since = metav1.NewTime(r.stamp)
	if w.before != nil && w.before.State == w.now.State {
		w.now.Since = w.before.Since
	}
}

// wasOpened reports whether the wave was opened, for the revision and the specs that are wanted now.
func (w *wave) wasOpened() bool { return w.before != nil && w.before.OpenedAt != nil && !w.closed }

// add counts the targets of an opened wave.
func (r *rollout) add(w *wave) {
	r.opened += len(w.targets)
	r.failed += w.failed()
}

// open opens a wave when its turn comes. A wave that is no longer complete is opened again.
func (r *rollout) open(w *wave) {
	if !w.wasOpened() {
		r.add(w)
	}
	if !w.wasOpened() || w.before.State == v1alpha2.WaveComplete {
		w.now.OpenedAt = &metav1.Time{Time: r.stamp}
	}
}

// keepsClosed reports whether a wave would be opened now if the rollout were not paused or suspended.
func (r *rollout) keepsClosed(w *wave) bool {
	return (r.Suspended || r.spec.Paused) && w.count((*target).pending) > 0 &&
		(!w.wasOpened() || w.before.State == v1alpha2.WaveComplete || w.before.State == v1alpha2.WavePending)
}

// stopped reports whether more targets have failed than the rollout allows.
func (r *rollout) stopped() bool { return r.failed > v1alpha2.Scaled(r.spec.MaxFailures, r.opened) }

// waveResult is the state of a wave, and what it waits for.
type waveResult struct {
	state   v1alpha2.WaveState
	message string
}

// waveRules are tried in this order; the first one that returns a state wins.
var waveRules = []func(*rollout, *wave) *waveResult{
	waveStaysComplete, waveWaitsForEarlier, waveIsKeptClosed, waveIsStopped, waveHasOpenTargets, waveSoaks,
	waveAwaitsApproval, waveIsComplete,
}

// waveStaysComplete keeps a wave complete if all its targets have the spec that they should have, even if a target
// fails later.
func waveStaysComplete(_ *rollout, w *wave) *waveResult {
	if !w.staysComplete() {
		return nil
	}
	return &waveResult{state: v1alpha2.WaveComplete}
}

// wasComplete reports whether the wave was complete before this plan.
func (w *wave) wasComplete() bool { return w.before != nil && w.before.State == v1alpha2.WaveComplete }

func (w *wave) staysComplete() bool {
	return w.wasComplete() &&
		w.count(func(t *target) bool { return !t.updated && !t.suspended }) == 0
}

// waveWaitsForEarlier keeps a wave closed until the earlier waves are complete.
func waveWaitsForEarlier(r *rollout, _ *wave) *waveResult {
	if r.current == nil {
		return nil
	}
	return &waveResult{v1alpha2.WavePending, "waits for the wave " + r.current.Name}
}

// waveIsKeptClosed keeps a wave from being opened while the rollout is paused, or the set suspended.
func waveIsKeptClosed(r *rollout, w *wave) *waveResult {
	if !r.keepsClosed(w) {
		return nil
	}
	return &waveResult{v1alpha2.WavePending, "it is not opened yet"}
}

// waveHasOpenTargets waits until each target is what the wave waits for, is suspended, or has failed.
func waveHasOpenTargets(r *rollout, w *wave) *waveResult {
	if w.count((*target).done) == len(w.targets) {
		return nil
	}
	return &waveResult{v1alpha2.WaveProgressing, r.reachedText(w)}
}

// waveIsStopped keeps a wave from completing while the rollout is stopped.
func waveIsStopped(r *rollout, w *wave) *waveResult {
	if !r.stopped() {
		return nil
	}
	return &waveResult{v1alpha2.WaveProgressing, r.reachedText(w) + "; the rollout is stopped"}
}

// waveSoaks waits until all targets have been ready for minSuccessTime. Time before the wave was seen to soak does not
// count, nor does time before a target last became ready.
func waveSoaks(r *rollout, w *wave) *waveResult {
	until, isSet := w.soaksUntil(r.stamp)
	if !isSet || w.before != nil && w.before.State == v1alpha2.WaveAwaitingApproval || !r.Now.Before(until) {
		return nil
	}
	return &waveResult{v1alpha2.WaveSoaking,
		r.reachedText(w) + ", and must stay so until " + until.UTC().Format(time.RFC3339)}
}

// soaksUntil returns until when the targets must stay as they are, if they reached that state now or earlier. It
// reports whether the wave asks for that. A target that became ready after now did so before the clock was set back.
func (w *wave) soaksUntil(now time.Time) (until time.Time, isSet bool) {
	if w.After == nil || w.After.MinSuccessTime == nil || w.After.MinSuccessTime.Duration <= 0 {
		return until, false
	}
	from := now
	if w.before != nil && w.before.State == v1alpha2.WaveSoaking {
		from = w.before.Since.Time
		for _, t := range w.targets {
			if since := t.readySince(); t.reached && since.After(from) && !since.After(now) {
				from = since
			}
		}
	}
	return from.Add(w.After.MinSuccessTime.Duration), true
}

// waveAwaitsApproval waits for a person, if the wave asks for approval.
func waveAwaitsApproval(r *rollout, w *wave) *waveResult {
	if w.After == nil || !w.After.Approval || w.now.ApprovedAt != nil {
		return nil
	}
	return &waveResult{v1alpha2.WaveAwaitingApproval,
		r.reachedText(w) + "; to be approved as " + w.Name + "@" + r.wanted.Name}
}

// waveIsComplete applies to every other wave.
func waveIsComplete(*rollout, *wave) *waveResult {
	return &waveResult{state: v1alpha2.WaveComplete}
}

// reachedText says how many targets of a wave are what it waits for.
func (r *rollout) reachedText(w *wave) string {
	switch {
	case len(w.targets) > 0:
	case len(r.Excluded) > 0: // their waves are not known
		return "no target that can be made matches its selector"
	default:
		return "no target matches its selector"
	}
	text := fmt.Sprintf("%d of %d targets are %s with %s", w.count(func(t *target) bool { return t.reached }),
		len(w.targets), w.until(), r.wanted.Name)
	for _, also := range []struct {
		count int
		are   string
	}{
		{w.failed(), "failed"},
		{w.count(func(t *target) bool { return t.suspended }), "suspended"},
		{w.count(func(t *target) bool { return t.leaving }), "being deleted and then created again"},
	} {
		if also.count > 0 {
			text += fmt.Sprintf(", %d %s", also.count, also.are)
		}
	}
	if waiting := w.waiting(); len(waiting) > 0 {
		text += fmt.Sprintf(", %d waiting for a person: %s", len(waiting), words.Some(waiting, ", "))
	}
	return text
}

// waiting names the ready targets that only a person can bring to what the wave waits for, with the reasons.
func (w *wave) waiting() []string {
	var names []string
	for _, t := range w.targets {
		if t.reached || t.Have == nil || t.leaving || t.failure != nil || !t.updated {
			continue
		}
		if reason := t.awaits(); reason != "" {
			names = append(names, t.Name+" ("+reason+")")
		}
	}
	return names
}
