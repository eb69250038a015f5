// SPDX-License-Identifier: Apache-2.0

package objects

import "time"

// lookAgain is how often it is looked whether the cluster has come to know a kind: no event tells of that.
const lookAgain = 30 * time.Second

// Unknown reports whether the cluster did not know a kind that a user is interested in when it was last looked for.
func (w *Watches) Unknown(kind Kind) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unknown[kind] != nil
}

// await looks for a kind until the cluster knows it or nobody is interested in it any more, and notifies those that are.
func (w *Watches) await(kind Kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unknown[kind] != nil || len(w.users[kind]) == 0 {
		return
	}
	stop := make(chan struct{})
	w.unknown[kind] = stop
	go func() {
		ticker := time.NewTicker(lookAgain)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				if _, err := w.mapping(kind); err == nil {
					w.appeared(kind, stop)
					return
				}
			}
		}
	}()
}

// appeared notifies all that are interested in a kind, unless the search that stop is of has ended.
func (w *Watches) appeared(kind Kind, stop chan struct{}) {
	w.mu.Lock()
	if w.unknown[kind] != stop {
		w.mu.Unlock()
		return
	}
	delete(w.unknown, kind)
	users := w.users.all(kind)
	w.mu.Unlock()
	for _, user := range users {
		w.notify(user)
	}
}
