// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJoin(t *testing.T) {
	results := []Result{
		{Command: "kpt fn render",
			Output: "Package: \"a\"\n[RUNNING] \"f\"\n[PASS] \"f\" in 1.2s\n[FAIL] \"g\" in 100ms\n\nin 5s \n"},
		{Command: "git diff -U1",
			Output: "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1d228d2\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n" +
				"+index 1..2\n \n"},
		{Command: "git status", Output: "clean\n\n"},
	}
	for diffs, want := range map[bool]string{
		false: "Package: \"a\"\n[RUNNING] \"f\"\n[PASS] \"f\" in 0s\n[FAIL] \"g\" in 0s\n\nin 5s\nclean",
		true:  "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+index 1..2",
	} {
		if d := cmp.Diff(want, Join(results, diffs)); d != "" {
			t.Errorf("diffs %t:\n%s", diffs, d)
		}
	}
}

func TestTidyKeepsDurations(t *testing.T) {
	const output = "[PASS] \"f\" in 100ms"
	if got := Tidy(output + "\n"); got != output {
		t.Errorf("got %q, want %q", got, output)
	}
}
