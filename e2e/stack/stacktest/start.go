// SPDX-License-Identifier: Apache-2.0

package stacktest

import (
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
)

// Start starts a stack for one test and stops it at the end of the test. A failure ends the test.
func Start(t harness.T, options stack.Options) *stack.Stack {
	t.Helper()
	s, err := stack.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
