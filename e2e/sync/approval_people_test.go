// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// isProposal reports whether a request proposes a draft.
func isProposal(r proxy.Request) bool {
	return r.Resource == "packagerevisions" && r.Subresource == "" && r.Verb == "patch"
}
