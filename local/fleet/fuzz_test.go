// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzLife plays the life of a package with faults of the server and with syncs that are killed: two bytes for each step
// say what happens in it, and at which push or fetch. In the end, all is as if nothing had been.
func FuzzLife(f *testing.F) {
	for _, seed := range [][]byte{{7, 1, 7, 2, 7, 3, 7, 1, 7, 2, 7, 3, 7, 1, 7, 2}, {1, 2, 4, 3, 2, 1, 3, 3, 6, 4, 1, 1, 5, 3, 3, 2}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, plan []byte) {
		t.Parallel()
		calm, w := newWorld(t, web), newWorld(t, web)
		for i, step := range aLife {
			step.do(calm)
			want := calm.live()
			step.do(w)
			if 2*i+1 < len(plan) {
				w.disturb(int(plan[2*i])%(len(faults)+2), 1+int(plan[2*i+1])%8)
			}
			if diff := cmp.Diff(want, w.live()); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// disturb syncs once with a fault at the n-th push or fetch; kind 0 is no fault, and the last one kills the sync.
func (w *world) disturb(kind, n int) {
	w.Helper()
	switch {
	case kind == 0:
	case kind <= len(faults):
		end := w.suffer(faults[kind-1], n, true)
		_, _ = Sync(w.Context(), w.options()) // that it fails is said
		end()
	default:
		w.kill(n)
	}
}

// kill syncs, and kills that when the server has applied the n-th push, and has not said so.
func (w *world) kill(n int) {
	w.Helper()
	ctx, kill := context.WithCancel(w.Context())
	defer kill()
	dir, o := w.TempDir(), w.options()
	reached, killed := filepath.Join(dir, "reached"), filepath.Join(dir, "killed")
	end := w.suffer(fault{hook: "post-receive",
		script: "touch " + reached + "; while [ ! -e " + killed + " ]; do sleep 0.01; done"}, n, true)
	defer end()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = Sync(ctx, o)
	}()
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
			if _, err := os.Stat(reached); err == nil {
				kill()
				if err := os.WriteFile(killed, nil, 0o600); err != nil {
					w.Error(err)
				}
			}
		}
	}
}
