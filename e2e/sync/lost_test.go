// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"github.com/package-variants/package-variants/e2e/stack"
)

// keepsDrafts says why a Porch does not lose sight of drafts; "" if it does.
func keepsDrafts(s *stack.Stack) string {
	switch {
	case s.Cache() == stack.DBCache:
		return "drafts are in the database, which does not lose sight of them"
	case s.Foreign():
		return "newer Porch's API server does not look for branches that others have pushed or removed"
	}
	return ""
}
