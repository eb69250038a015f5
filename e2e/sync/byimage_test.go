// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
)

// newRunner returns a function-runner of the test's own that runs our functions. The world's controllers use it.
func (w *world) newRunner() *stack.Runner {
	w.t.Helper()
	r, err := w.stack.NewRunner(w.t.TempDir(), ours())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.Stop)
	w.runtime = runtimeArgs("porch", r.Address)
	return r
}

func (w *world) run(r *stack.Runner) {
	w.t.Helper()
	if err := r.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// TestFunctionRunnerDown starts without a function-runner, then starts one, stops it, and starts it again.
func TestFunctionRunnerDown(t *testing.T) {
	w := newWorld(t)
	runner := w.newRunner()
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Repository("edge-1", prod("eu"), true)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"), newSet(t, fleetSet))
	c := w.start()
	waits := "will try again: the function-runner at " + runner.Address + " does not answer"
	w.expectMessage("web", "FunctionRunnerUnavailable", waits)
	w.Eventually("the set waits", func() error {
		if ready := meta.FindStatusCondition(w.set().Status.Conditions, v1alpha1.ConditionReady); ready == nil ||
			ready.Reason != "FunctionRunnerUnavailable" || ready.Message != waits {
			return fmt.Errorf("the condition Ready is %+v", ready)
		}
		return nil
	})
	w.expectDrafts("web")
	if n := proxy.Count(w.proxy.Requests(), isCreate); n != 0 {
		t.Errorf("Porch was asked for %d drafts that no function could change", n)
	}
	w.run(runner)
	draft := w.target("web")
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web", "edge/web")
	w.waitFile(draft, "region.yaml", "api: eu")
	w.Ready("web")

	// The function-runner stops, and an object changes meanwhile.
	before := w.Files(draft)
	runner.Stop()
	w.proxy.Reset()
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}))
	w.expectMessage("web", "FunctionRunnerUnavailable", waits)
	// Each variant has one Event: the condition does not flap, and nothing is written to a package.
	want := []string{"patch packagevariants/status", "patch packagevariants/status", "patch packagevariantsets/status"}
	written := func() string { return cmp.Diff(want, slices.Sorted(slices.Values(w.work(proxy.IsWrite)))) }
	w.Eventually("all conditions say so", func() error {
		if diff := written(); diff != "" {
			return fmt.Errorf("writes (-want +got):\n%s", diff)
		}
		return nil
	})
	select {
	case <-c.Ended():
		t.Fatal("the controller has ended")
	case <-time.After(5 * time.Second): // long enough for a second retry
	}
	if diff := written(); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.Files(draft)); diff != "" {
		t.Errorf("the draft was changed:\n%s", diff)
	}
	w.run(runner)
	w.waitFile(draft, "region.yaml", "api: eu-2")
	w.Ready("web")
	w.expectDrafts("web", draft)
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web", "edge/web")
}
