// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "github.com/package-variants/package-variants/api/v1alpha1/variant"

// Finalizer keeps a PackageVariant from going before its package revisions are dealt with. It is the one that Porch's
// controller sets.
const Finalizer = variant.GroupName + "/packagevariants"
