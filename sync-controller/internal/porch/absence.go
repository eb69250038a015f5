// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// complete adds the known revisions that a list lacks although they were not deleted: Porch leaves out of a list what
// it cannot read at the time, without an error (docs/limits.md). Each missing revision is requested by name. If Porch
// does not find it, it is gone. If Porch fails, all revisions of that Repository stay as they were.
func (r *relisting) complete(ctx context.Context, list *porchapi.PackageRevisionList) error {
	if r.reader == nil {
		return nil
	}
	known := r.known()
	if len(list.Items) == 0 && len(known) == 0 {
		return r.probe(ctx)
	}
	listed := map[types.NamespacedName]bool{}
	for i := range list.Items {
		listed[client.ObjectKeyFromObject(&list.Items[i])] = true
	}
	fails, gone := map[types.NamespacedName]bool{}, map[types.NamespacedName]bool{} // by Repository
	for _, was := range known {
		repository := types.NamespacedName{Namespace: was.Namespace, Name: was.Spec.RepositoryName}
		if listed[client.ObjectKeyFromObject(was)] || gone[repository] {
			continue
		}
		if !fails[repository] {
			var now porchapi.PackageRevision
			err := r.reader().Get(ctx, client.ObjectKeyFromObject(was), &now)
			switch {
			case err == nil:
				list.Items = append(list.Items, now)
				continue
			case apierrors.IsNotFound(err):
				gone[repository] = isOfRepository(err)
				continue
			}
			fails[repository] = true
		}
		list.Items = append(list.Items, *was.DeepCopy())
	}
	return nil
}

// known returns the revisions that the informer has.
func (r *relisting) known() (all []*porchapi.PackageRevision) {
	if r.store == nil {
		return nil
	}
	for _, o := range r.store.List() {
		if pr, ok := o.(*porchapi.PackageRevision); ok {
			all = append(all, pr)
		}
	}
	return all
}

// isOfRepository reports whether an error says that the Repository, not the revision, is missing.
func isOfRepository(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == "repositories"
}

// probe asks for a revision that does not exist, to tell a Porch without revisions from one whose database is down.
func (r *relisting) probe(ctx context.Context) error {
	for _, namespace := range r.namespaces {
		var repositories configapi.RepositoryList
		err := r.reader().List(ctx, &repositories, client.InNamespace(namespace), client.Limit(1))
		if err != nil {
			return fmt.Errorf("cannot list Repositories: %w", err)
		}
		if len(repositories.Items) == 0 {
			continue
		}
		repository := &repositories.Items[0]
		key := client.ObjectKey{Namespace: repository.Namespace, Name: repository.Name + ".none.none"}
		if err = r.reader().Get(ctx, key, &porchapi.PackageRevision{}); isDatabaseDown(err) {
			return fmt.Errorf("cannot list package revisions: %w", err)
		}
		return nil // another failure concerns only that Repository
	}
	return nil
}
