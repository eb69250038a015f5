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
// say what happens in it, and at which push. In the end, all is as if nothing had been.
func FuzzLife(f *testing.F) {
	for _, seed := range [][]byte{{4, 1, 4, 2, 4, 3, 4, 1, 4, 2, 4, 3, 4, 1}, {1, 2, 3, 2, 2, 1, 3, 3, 4, 3, 1, 1, 3, 1}} {
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

// disturb syncs once with a fault at the n-th push; kind 0 is no fault, and the last one kills the sync.
func (w *world) disturb(kind, n int) {
	w.Helper()
	switch {
	case kind == 0:
	case kind <= len(faults):
		w.fault(faults[kind-1].hook, faults[kind-1].script, n)
		_, _ = Sync(w.Context(), w.options()) // that it fails is said
	default:
		w.kill(n)
	}
	for _, f := range faults {
		w.Remote.Hook(f.hook, "exit 0")
	}
}

// kill syncs, and kills that when the server has applied the n-th push, and has not said so.
func (w *world) kill(n int) {
	w.Helper()
	ctx, kill := context.WithCancel(w.Context())
	defer kill()
	dir, o := w.TempDir(), w.options()
	reached, killed := filepath.Join(dir, "reached"), filepath.Join(dir, "killed")
	w.fault("post-receive", "touch "+reached+"; while [ ! -e "+killed+" ]; do sleep 0.01; done", n)
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
