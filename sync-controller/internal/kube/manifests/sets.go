// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Sets implements objects.Sets by a client as Variants has it, and by a reader that asks the API server.
type Sets struct {
	Variants
	live   client.Reader
	rights rights
}

var _ objects.Sets = (*Sets)(nil)

// NewSets returns Sets.
func NewSets(cached porch.API, live client.Reader) *Sets {
	return &Sets{Variants{cached}, live, newRights(cached)}
}

// Set implements objects.Sets.
func (c *Sets) Set(ctx context.Context, namespace, name string) (*v1alpha2.PackageVariantSet, error) {
	var set v1alpha2.PackageVariantSet
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &set)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return &set, err
}

// Sets implements objects.Sets.
func (c *Sets) Sets(ctx context.Context, namespace string) ([]v1alpha2.PackageVariantSet, error) {
	var list v1alpha2.PackageVariantSetList
	err := c.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy)
	return list.Items, err
}

// Repositories implements objects.Sets.
func (c *Sets) Repositories(ctx context.Context, namespace string) ([]objects.Repository, error) {
	return porch.ListRepositories(ctx, c, client.InNamespace(namespace))
}

// WriteSetStatus implements objects.Sets.
func (c *Sets) WriteSetStatus(ctx context.Context, before, set *v1alpha2.PackageVariantSet) error {
	return written(c.Status().Patch(ctx, set, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

// Create implements objects.Sets.
func (c *Sets) Create(ctx context.Context, pv *v1alpha1.PackageVariant, how objects.How) error {
	var options []client.CreateOption
	if how.Try {
		options = append(options, client.DryRunAll)
	}
	return c.said(ctx, "create", pv, c.API.Create(ctx, pv, options...))
}

// Update implements objects.Sets.
func (c *Sets) Update(ctx context.Context, before, pv *v1alpha1.PackageVariant, how objects.How) error {
	patch, options := client.MergeFrom(before), []client.PatchOption(nil)
	if how.Exact {
		patch = sinceThen(before)
	}
	if how.Try {
		options = append(options, client.DryRunAll)
	}
	return c.said(ctx, "patch", pv, c.Patch(ctx, pv, patch, options...))
}

// Delete implements objects.Sets.
func (c *Sets) Delete(ctx context.Context, pv *v1alpha1.PackageVariant) error {
	err := c.API.Delete(ctx, pv, client.Preconditions{UID: &pv.UID})
	return c.said(ctx, "delete", pv, client.IgnoreNotFound(err))
}

// LiveVariants implements objects.Sets.
func (c *Sets) LiveVariants(ctx context.Context, namespace string, set types.UID) ([]v1alpha1.PackageVariant, error) {
	var list v1alpha1.PackageVariantList
	err := c.live.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{v1alpha2.OwnerLabel: string(set)})
	return list.Items, err
}

// LiveVariant implements objects.Sets.
func (c *Sets) LiveVariant(ctx context.Context, namespace, name string) (*v1alpha1.PackageVariant, error) {
	var pv v1alpha1.PackageVariant
	err := c.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &pv)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return &pv, err
}

// said returns the error of a write to a variant as the port has it.
func (c *Sets) said(ctx context.Context, verb string, pv *v1alpha1.PackageVariant, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		return &packages.Error{Kind: packages.ErrStale, Err: err}
	case apierrors.IsForbidden(err) && c.lacks(ctx, verb, pv.Namespace):
		missing := fmt.Sprintf("nothing is wrong with this set, but the controller may not %s packagevariants in this "+
			"namespace, and tries again: an administrator has to bind its ServiceAccount to the ClusterRole %s", verb,
			access.Role)
		return &packages.Error{Kind: packages.ErrRefused, Err: errors.New(missing),
			Condition: v1alpha1.Stalled(v1alpha2.ReasonPermissionMissing, missing)}
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err):
		return &packages.Error{Kind: packages.ErrRefused, Err: err}
	}
	return err
}

// lacks reports whether the controller lacks a right to write variants, as far as the cluster says. Policies and quotas
// forbid writes, too.
func (c *Sets) lacks(ctx context.Context, verb, namespace string) bool {
	may, err := c.rights.mayWrite(ctx, verb, namespace)
	return err == nil && !may
}
