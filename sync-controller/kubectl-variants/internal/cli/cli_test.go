// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"testing"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"nothing":          {nil, 0},
		"changes":          {ErrChanges, 1},
		"changes, wrapped": {fmt.Errorf("plan: %w", ErrChanges), 1},
		"an error":         {errors.New("boom"), 2},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}
