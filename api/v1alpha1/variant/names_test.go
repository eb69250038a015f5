// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"slices"
	"testing"
)

func TestAncestors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{"a": nil, "a/b": {"a"}, "a/b-c/d": {"a", "a/b-c"}} {
		if got := Ancestors(name); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
