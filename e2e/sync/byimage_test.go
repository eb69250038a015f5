// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
)

// newRunner returns a function-runner of the test's own that runs our functions, except those replaced by name; without
// a binary, it does not know the image. The world's controllers use it.
func (w *world) newRunner(others map[string]string) *stack.Runner {
	w.t.Helper()
	functions := ours()
	for name, binary := range others {
		image := registry + "/" + name + ":" + version
		if functions[image] = binary; binary == "" {
			delete(functions, image)
		}
	}
	r, err := w.stack.NewRunner(w.t.TempDir(), functions)
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
	runner := w.newRunner(nil)
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

// script writes a function as a shell script and returns its path.
func (w *world) script(name string, lines ...string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+strings.Join(lines, "\n")+"\n"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// TestBadFunctions removes or replaces one of the functions once a variant has its draft.
func TestBadFunctions(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	c := w.start()
	draft := w.target("web")
	c.Stop()
	before, written := w.Files(draft), w.Revision(draft).ResourceVersion
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}))
	const (
		image   = registry + "/inject-config:" + version
		refused = "; nothing of it is used: name images of these functions by --function-registry and --function-version"
		lost    = "the output of " + image + " has lost Kptfile, and may remove nothing" + refused
	)
	for _, bad := range []struct {
		script []string // none for a missing image
		want   string   // never the same twice in a row, because there would be no new Event
	}{
		{nil, "the function-runner has no image " + image +
			": add it to the function-runner's config, or correct --function-registry and --function-version"},
		{[]string{"echo $$ >> " + filepath.Join(w.dir, "endless"), "exec sleep 1000"},
			image + " did not end within 3s and was stopped: correct the function, or allow it more by --function-timeout"},
		{[]string{"echo 'points.yaml: wrong' >&2", "exit 1"}, "points.yaml: wrong"},
		{[]string{"kill -9 $$"}, "cannot run " + image + `: Failed to execute function "` + image + `": signal: killed ()`},
		{[]string{"cat > /dev/null"}, "the output of " + image + " is no ResourceList: EOF" + refused},
		{[]string{"sed 's/path: .Kptfile.$/path: else.yaml/'"}, lost},
		{[]string{"cat > /dev/null", "echo 'kind: ConfigMap'"}, "the output of " + image +
			` is no ResourceList: its kind is "ConfigMap"` + refused},
		{[]string{"cat > /dev/null", "echo 'kind: ResourceList'"}, lost},
		{[]string{"sed 's/region.yaml/..\\/region.yaml/'"}, "the output of " + image +
			" has lost region.yaml, and may remove nothing" + refused},
		{[]string{"sed '/kubernetes.io.path:/d'"}, lost},
	} {
		binary := ""
		if bad.script != nil {
			binary = w.script("bad", bad.script...)
		}
		runner := w.newRunner(map[string]string{"inject-config": binary})
		w.run(runner)
		w.proxy.Reset()
		c := w.start("--function-timeout=3s")
		want := "FunctionFailed: cannot change " + draft + ": inject-config: " + bad.want
		w.Eventually("the variant says "+want, func() error {
			if ready := w.Condition("web", v1alpha1.ConditionReady); ready.Reason+": "+ready.Message != want {
				return fmt.Errorf("it says %s: %s", ready.Reason, ready.Message)
			}
			return nil
		})
		if diff := cmp.Diff(before, w.Files(draft)); diff != "" || w.Revision(draft).ResourceVersion != written {
			t.Errorf("%v: the draft was changed:\n%s", bad.script, diff)
		}
		if diff := cmp.Diff([]string{"patch packagevariants/status"}, w.work(proxy.IsWrite)); diff != "" {
			t.Errorf("%v: writes (-want +got):\n%s", bad.script, diff)
		}
		c.Stop()
		w.expectEnded("endless")
		runner.Stop()
	}
	w.run(w.newRunner(nil))
	w.start()
	w.waitFile(draft, "region.yaml", "api: eu-2")
	w.Ready("web")
	w.expectDrafts("web", draft)
}

// expectEnded waits until all processes whose IDs are in a file of the world have ended. Without the file there were no
// processes.
func (w *world) expectEnded(file string) {
	w.t.Helper()
	pids, err := os.ReadFile(filepath.Join(w.dir, file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	w.Eventually("all functions have ended", func() error {
		for pid := range strings.FieldsSeq(string(pids)) {
			if state, err := os.ReadFile("/proc/" + pid + "/comm"); err == nil {
				return fmt.Errorf("process %s runs: %s", pid, state)
			}
		}
		return nil
	})
}
