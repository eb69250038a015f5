// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// TestManual checks that the manual has the sentences that are printed, with one for each rule.
func TestManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "rollouts.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := map[string]bool{}
	for i, block := range strings.Split(string(manual), "```") {
		if text, isText := strings.CutPrefix(block, "text\n"); isText && i%2 == 1 {
			quoted[strings.Join(strings.Fields(text), " ")] = true
		}
	}
	printed, missing := map[string]bool{}, []string{}
	for _, in := range manualInputs() {
		d := Plan(in)
		var messages []string
		if d.Condition != nil {
			messages = append(messages, d.Condition.Message)
		}
		for _, w := range d.Status.Waves {
			messages = append(messages, w.Message)
		}
		for _, m := range messages {
			printed[m] = true
		}
		if !slices.ContainsFunc(messages, func(m string) bool { return quoted[m] }) {
			missing = append(missing, strings.Join(messages, "\n"))
		}
	}
	if len(missing) > 0 {
		t.Errorf("the manual has none of these:\n%s", strings.Join(missing, "\n--\n"))
	}
	for sentence := range quoted {
		if !printed[sentence] {
			t.Errorf("the manual quotes what is not printed:\n%s", sentence)
		}
	}
	if len(quoted) < len(manualInputs()) {
		t.Errorf("the manual quotes %d sentences only", len(quoted))
	}
}

// manualInputs are the rollouts whose messages the manual quotes.
func manualInputs() []*Input {
	const oneOfTwo = "a canary 3 Published\na2 canary 2 Published\nb - 2 Published"
	approved := []v1alpha2.Wave{selects("canary", after(true, 0))}
	of := func(revision string) func(*Input) { return func(in *Input) { in.Approvals = "canary@" + revision } }
	return []*Input{
		input(canaryAndRest, open, oneOfTwo),
		input(canaryAndRest, open, oneOfTwo, pause),
		input(canaryAndRest, open, oneOfTwo, func(in *Input) { in.Suspended = true }),
		input([]v1alpha2.Wave{selects("canary", ready)}, open,
			"a canary 3 Draft\na2 canary 3 Stalled\na3 canary 2 Draft suspended\na4 canary 2 Draft leaving\nb - 2 Published", allows("1")),
		input(canaryAndRest, open, "a canary 3 Draft\na2 canary 3 Draft\nb - 2 Published",
			waitsFor("EditedByOthers", "ManualApproval")),
		input(canaryAndRest, open, "a canary 3 Published\na2 canary 3 Stalled\nb - 2 Published"),
		input([]v1alpha2.Wave{selects("canary", after(false, 30*time.Minute))}, open, "a canary 3 Published\nb - 2 Published"),
		input(approved, open, "a canary 3 Published\nb - 2 Published"),
		input(approved, open, "b - 2 Published", of("v2")),
		input(approved, open, "b - 2 Published", excludes("a")),
		input(canaryAndRest, "", "a canary 2 Published\nb - 2 Published", pause),
		input(canaryAndRest, open, "a canary 3 Stalled\nb - 2 Published", func(in *Input) {
			in.Status.CompletedRevision = &v1alpha2.RolloutRevision{Name: "blueprints.web.v2", Revision: 2}
		}),
		input(canaryAndRest, open, "a canary 3 Draft opened=11:45\na2 canary 3 Published\nb - 2 Published", within(15*time.Minute),
			allows("10%")),
		input(canaryAndRest, open, oneOfTwo, func(in *Input) {
			in.Upstreams = []v1alpha1.ResolvedUpstream{{Name: "blueprints.web.main", Revision: -1}}
		}),
	}
}
