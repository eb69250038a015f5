// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// verbs are the rights that steps need.
var verbs = map[action]string{create: "create", update: "patch", remove: "delete"}

// missingRight says that the controller may not write PackageVariants.
type missingRight struct{ verb string }

func (e *missingRight) Error() string {
	return fmt.Sprintf("nothing is wrong with this set, but the controller may not %s packagevariants in this namespace, "+
		"and tries again: an administrator has to bind its ServiceAccount to the ClusterRole %s", e.verb, access.Role)
}

// nameMissingRights replaces the errors of steps that fail because the controller lacks a right. Policies and quotas
// forbid writes, too: the errors of those stay as they are. Each right is asked for once.
func (r *Reconciler) nameMissingRights(ctx context.Context, namespace string, steps []step) {
	missing := map[string]error{}
	for i := range steps {
		s := &steps[i]
		if !apierrors.IsForbidden(s.err) {
			continue
		}
		verb := verbs[s.do]
		if _, asked := missing[verb]; !asked {
			may, err := access.May(ctx, r.client, &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb,
				Group: v1alpha1.GroupVersion.Group, Resource: "packagevariants"})
			if missing[verb] = nil; err == nil && !may {
				missing[verb] = &missingRight{verb}
			}
		}
		if err := missing[verb]; err != nil {
			s.err = err
		}
	}
}
