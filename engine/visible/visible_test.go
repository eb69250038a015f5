// SPDX-License-Identifier: Apache-2.0

package visible

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAll checks that every text of a value is made visible, wherever it is.
func TestAll(t *testing.T) {
	t.Parallel()
	type inner struct {
		Text  string
		Lines []string
	}
	type outer struct {
		Inner   inner
		Pointer *inner
		None    *inner
		Map     map[string]inner
		Any     any
		Number  int
	}
	const raw, shown = "a\x1b[2J\u202eb\r", `a\x1b[2J\u202eb\r`
	of := func(text string) *outer {
		return &outer{Inner: inner{text, []string{text, "plain\n"}}, Pointer: &inner{Text: text},
			Map: map[string]inner{text: {Text: text}}, Any: map[string]any{"x": []any{text, 1}}, Number: 1}
	}
	got := of(raw)
	All(got)
	if diff := cmp.Diff(of(shown), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
