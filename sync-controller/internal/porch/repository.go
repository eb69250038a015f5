// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"cmp"
	"context"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewRepository returns an empty Repository, for functions that take an object to name a kind.
func NewRepository() client.Object { return &configapi.Repository{} }

// RepositoryOf returns what is read from a Repository, and false for an object of another kind.
func RepositoryOf(o client.Object) (objects.Repository, bool) {
	repository, ok := o.(*configapi.Repository)
	if !ok {
		return objects.Repository{}, false
	}
	return repositoryOf(repository), true
}

func repositoryOf(repository *configapi.Repository) objects.Repository {
	out := objects.Repository{ObjectMeta: repository.ObjectMeta, Repository: revision.Repository{
		Deleting: !repository.DeletionTimestamp.IsZero(), Deployment: repository.Spec.Deployment,
		Migrated: isMigrated(repository), Message: "Porch has not read it yet",
	}}
	if git := repository.Spec.Git; git != nil {
		out.Address, out.Branch, out.Directory = git.Repo, cmp.Or(git.Branch, "main"), git.Directory
	}
	if ready := meta.FindStatusCondition(repository.Status.Conditions, configapi.RepositoryReady); ready != nil {
		out.Ready, out.Reading, out.Message = ready.Status == metav1.ConditionTrue, isReading(ready), ready.Message
	}
	return out
}

// GetRepository returns the Repository of that name. The error satisfies apierrors.IsNotFound if there is none.
func GetRepository(ctx context.Context, reader client.Reader, namespace, name string) (objects.Repository, error) {
	var repository configapi.Repository
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &repository); err != nil {
		return objects.Repository{}, err
	}
	return repositoryOf(&repository), nil
}

// ListRepositories returns the Repositories that the options select, to be read only.
func ListRepositories(ctx context.Context, reader client.Reader, options ...client.ListOption) (
	[]objects.Repository, error) {
	var list configapi.RepositoryList
	if err := reader.List(ctx, &list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, err
	}
	out := make([]objects.Repository, len(list.Items))
	for i := range list.Items {
		out[i] = repositoryOf(&list.Items[i])
	}
	return out, nil
}

// RepositoriesAround returns the Repositories in all namespaces in whose directory another one of the git repository
// with an address lies, is, or which lie in that one, from a cache that has the indexes of AddIndexes.
func RepositoriesAround(ctx context.Context, cache client.Reader, address, directory string) ([]objects.Repository,
	error) {
	var all []objects.Repository
	for _, key := range revision.KeysAround(address, directory) {
		found, err := ListRepositories(ctx, cache, client.MatchingFields{locationIndex: key})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
