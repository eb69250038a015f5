// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// Finalizer keeps a PackageVariant from going before its package revisions are dealt with. It is the one that Porch's
// controller sets.
const Finalizer = variant.GroupName + "/packagevariants"

// SuspendReasonAnnotation on a PackageVariant or a PackageVariantSet says why it is suspended. The condition Suspended
// repeats it; without spec.suspend it means nothing.
const SuspendReasonAnnotation = variant.GroupName + "/suspend-reason"

// SuspendReason returns what the annotations of a suspended object say of why it is, as one line that is short enough
// for messages; "" if they say nothing.
func SuspendReason(annotations map[string]string) string {
	return ShortenNote(strings.Join(strings.Fields(annotations[SuspendReasonAnnotation]), " "))
}

// Because returns what would be done with an object that is suspended, after the reason for which it is, if there is
// one.
func Because(reason, would string) string {
	if reason == "" {
		return would
	}
	return reason + "; " + would
}
