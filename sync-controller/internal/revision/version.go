// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// versionSeparator stands between the commit and the hash in a resource version that Trim made.
const versionSeparator = "+"

// Trim is the transform of the cache of PackageRevisions: it keeps the fields that From reads, and completes the
// resource version. Porch's is the commit of the content and stays the same when labels, owners or the lifecycle of a
// published revision change; informers do not tell of an object that keeps its version.
func Trim(object any) (any, error) {
	pr, ok := object.(*porchapi.PackageRevision)
	if !ok {
		return object, nil
	}
	pr.ManagedFields, pr.Spec.Tasks, pr.Spec.ReadinessGates = nil, nil, nil
	pr.Status = porchapi.PackageRevisionStatus{UpstreamLock: pr.Status.UpstreamLock, PublishedAt: pr.Status.PublishedAt}
	h := fnv.New64a()
	for _, m := range []map[string]string{pr.Labels, pr.Annotations} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			_, _ = fmt.Fprintf(h, "%q=%q\n", key, m[key]) // a hash never fails
		}
		_, _ = fmt.Fprintln(h)
	}
	for _, owner := range pr.OwnerReferences {
		_, _ = fmt.Fprintf(h, "%q %q %q %q\n", owner.APIVersion, owner.Kind, owner.Name, owner.UID)
	}
	_, _ = fmt.Fprintf(h, "%s %d %v", pr.Spec.Lifecycle, pr.Spec.Revision, pr.DeletionTimestamp)
	pr.ResourceVersion = fmt.Sprintf("%s%s%x", pr.ResourceVersion, versionSeparator, h.Sum64())
	return pr, nil
}
