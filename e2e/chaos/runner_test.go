// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestRunnerDown has a person edit a draft that cannot be saved, because Porch's function-runner does not run: the
// draft does not wait for a person, and once it runs again the controller finishes it with the edit.
func TestRunnerDown(t *testing.T) {
	w := newWorld(t)
	w.blueprint()
	if err := w.stack.Kill(stack.FunctionRunner); err != nil {
		t.Fatal(err)
	}
	w.replicas = newReplicas(w)
	w.Apply(newVariant("manual-0", policies["manual-0"]))
	pv := w.WaitReason("manual-0", v1alpha1.ReasonFunctionRunnerUnavailable)
	const draft = "edge.manual-0.packagevariant-1"
	own := edit{file: "note-1.yaml", note: "note-1"}
	files := w.Files(draft)
	own.into(files)
	w.WriteFiles(draft, files)
	for _, c := range pv.Status.Conditions {
		if c.Type == v1alpha1.ConditionStalled && c.Status != "False" {
			t.Errorf("the variant is stalled: %s", c.Message)
		}
	}

	if err := w.stack.Restart(t.Context(), stack.FunctionRunner); err != nil {
		t.Fatal(err)
	}
	w.Ready("manual-0")
	d := newDeeds()
	if lacking := d.lacks("edge/manual-0", w.Files(draft)); len(lacking) > 0 || !own.in(w.Files(draft)) {
		t.Errorf("%s has not %v, or not the edit: %v", draft, lacking, w.Files(draft))
	}
}
