// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"sync"
	"time"

	"github.com/package-variants/package-variants/engine/decide"
	"k8s.io/apimachinery/pkg/types"
)

// absences remembers since when the home does not find the last drafts of variants. After a restart, it counts anew.
type absences struct {
	patience time.Duration
	now      func() time.Time

	mu    sync.Mutex
	since map[types.NamespacedName]absence
}

type absence struct {
	draft string
	since time.Time
}

func newAbsences(patience time.Duration, now func() time.Time) *absences {
	return &absences{patience: patience, now: now, since: map[types.NamespacedName]absence{}}
}

// wait returns for how long to wait for the draft that a decision would replace; 0 to replace it.
func (a *absences) wait(variant types.NamespacedName, seen *observation, d *decide.Decision) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	draft := decide.Absent(&seen.Input)
	if draft == "" || !d.Creates() || seen.savedInParts() {
		delete(a.since, variant)
		return 0
	}
	if a.since[variant].draft != draft {
		a.since[variant] = absence{draft, a.now()}
	}
	return max(0, a.patience-a.now().Sub(a.since[variant].since))
}

// end forgets a variant.
func (a *absences) end(variant types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.since, variant)
}
