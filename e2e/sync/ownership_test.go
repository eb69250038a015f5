// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// claimedBy fails the test unless the variant is stalled because its downstream belongs to another.
func (w *world) claimedBy(name, other string) {
	w.t.Helper()
	if message := w.message(name, "DownstreamClaimed"); !strings.Contains(message, other) {
		w.t.Errorf("message of %s: %s, want one with %s", name, message, other)
	}
	w.expectCondition(name, v1alpha1.ConditionStalled, "True", "DownstreamClaimed")
}
