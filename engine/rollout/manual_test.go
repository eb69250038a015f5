// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha2"
)

// TestManual checks that the sentences that the manual quotes are those that are printed.
func TestManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "rollouts.md"))
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]bool{}
	for _, in := range []*Input{
		input(canaryAndRest, open, "a canary 3 Published\na2 canary 2 Published\nb - 2 Published"),
		input(canaryAndRest, open, "a canary 3 Stalled\nb - 2 Published", func(in *Input) {
			in.Status.CompletedRevision = &v1alpha2.RolloutRevision{Name: "blueprints.web.v2", Revision: 2}
		}),
	} {
		printed[Plan(in).Condition.Message] = false
	}
	for i, block := range strings.Split(string(manual), "```") {
		text, isText := strings.CutPrefix(block, "text\n")
		if !isText || i%2 == 0 {
			continue
		}
		sentence := strings.Join(strings.Fields(text), " ")
		if _, ok := printed[sentence]; !ok {
			t.Errorf("the manual quotes what is not printed:\n%s", sentence)
		}
		printed[sentence] = true
	}
	for sentence, quoted := range printed {
		if !quoted {
			t.Errorf("the manual does not quote this:\n%s", sentence)
		}
	}
}
