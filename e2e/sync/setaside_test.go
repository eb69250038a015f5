// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// TestSetAside kills the controller twice while a function works for a variant, as if that took all of its memory.
// Others succeed after each restart, the variant is set aside, and succeeds when it is retried alone.
func TestSetAside(t *testing.T) {
	w := newWorld(t)
	files := blueprint()
	files["deadly.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: deadly\n"
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Publish("blueprints", "deadly", "v1", files)
	in, hangs, hung := filepath.Join(w.dir, "in."), filepath.Join(w.dir, "hangs"), filepath.Join(w.dir, "hung")
	w.run(w.newRunner(map[string]string{"inject-config": w.script("hang", "cat > "+in+"$$",
		"if [ -e "+hangs+" ] && grep -q 'name: deadly$' "+in+"$$; then echo $$ >> "+hung+"; exec sleep 1000; fi",
		"exec "+ours()[registry+"/inject-config:"+version]+" < "+in+"$$")}))
	if err := os.WriteFile(hangs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(w.dir, "state")
	killed := func(times int, meanwhile func()) {
		t.Helper()
		c := w.start("--state-dir=" + state)
		meanwhile()
		w.Eventually("a function hangs", func() error {
			pids, err := os.ReadFile(hung)
			if err == nil && strings.Count(string(pids), "\n") < times {
				err = fmt.Errorf("those that hang are %q", pids)
			}
			return err
		})
		c.Kill()
	}
	w.Apply(configMap("eu", map[string]string{"api": "eu"}),
		newVariant("deadly", func(s *variant.Spec) { s.Upstream.Package = "deadly" }))
	killed(1, func() {})
	w.Apply(newVariant("web"))
	killed(2, func() {
		w.WaitReason("deadly", "Pending")
		w.target("web")
	})
	if err := os.Remove(hangs); err != nil {
		t.Fatal(err)
	}
	w.Apply(newVariant("other"))
	c := w.start("--state-dir=" + state)
	const said = "not worked on for now: the controller was killed, perhaps because it ran out of memory, twice "
	if got := w.message("deadly", "SetAside"); !strings.HasPrefix(got, said) {
		t.Errorf("the message is %q, want %q", got, said)
	}
	w.expectCondition("deadly", v1alpha1.ConditionStalled, "True", "SetAside")
	w.target("other")
	w.target("deadly")
	c.Stop()
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("in the directory of the controller are %v, error %v", left, err)
	}
	w.expectEnded("hung")
}
