// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"sync"
	"time"

	"github.com/package-variants/package-variants/engine/decide"
	ctrl "sigs.k8s.io/controller-runtime"
)

// patience is for how long a draft that Porch does not find is waited for before another is made in its place. Where
// Porch keeps drafts in git, it loses sight of one that it reads while it writes to the same git repository, and finds
// it when it reads its Repository again.
const patience = 30 * time.Second

// absences remembers since when Porch does not find the last drafts of variants. After a restart, it counts anew.
type absences struct {
	patience time.Duration

	mu    sync.Mutex
	since map[ctrl.Request]absence
}

type absence struct {
	draft string
	since time.Time
}

func newAbsences(patience time.Duration) *absences {
	return &absences{patience: patience, since: map[ctrl.Request]absence{}}
}

// wait returns for how long to wait for the draft that a decision would replace; 0 to replace it.
func (a *absences) wait(variant ctrl.Request, seen *observation, d *decide.Decision) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	draft := decide.Absent(&seen.Input)
	if draft == "" || !d.Creates() || !seen.keptInGit() {
		delete(a.since, variant)
		return 0
	}
	if a.since[variant].draft != draft {
		a.since[variant] = absence{draft, time.Now()}
	}
	return max(0, a.patience-time.Since(a.since[variant].since))
}

// end forgets a variant.
func (a *absences) end(variant ctrl.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.since, variant)
}
