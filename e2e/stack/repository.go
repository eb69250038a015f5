// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Repository is a git repository that Porch keeps packages in.
type Repository struct {
	// Namespace and Name are those of the Repository object.
	Namespace, Name string
	// Git is the name of the repository on the git server, which creates it; the default is Name. Two Repositories with
	// the same git repository have the same packages.
	Git string
	// Address, if set, is the git address for Porch, in place of the repository on the git server.
	Address string
	// Directory is the directory of the packages in the git repository. The default is its root.
	Directory string
	// Labels are the labels of the Repository object.
	Labels map[string]string
	// Deployment says that the packages are meant to be deployed.
	Deployment bool
}

// RegisterRepository registers a git repository with Porch, or updates its registration, and waits until Porch has read
// it.
func (s *Stack) RegisterRepository(ctx context.Context, r Repository) error {
	git := r.Git
	if git == "" {
		git = r.Name
	}
	address := r.Address
	if address == "" {
		address = s.GitURL(git)
	}
	labels := map[string]any{}
	for key, value := range r.Labels {
		labels[key] = value
	}
	err := s.apply(ctx, object{resource: repositories, namespace: r.Namespace, name: r.Name, content: map[string]any{
		"apiVersion": repositories.GroupVersion().String(), "kind": "Repository",
		"metadata": map[string]any{"labels": labels},
		"spec": map[string]any{
			"type": "git", "content": "Package", "deployment": r.Deployment,
			"git": map[string]any{"repo": address, "branch": "main", "directory": cmp.Or(r.Directory, "/")},
		},
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	reader := Porch
	if s.porch.foreign {
		reader = PorchControllers
	}
	return s.process(reader).Await(ctx, "it had read repository "+r.Namespace+"/"+r.Name,
		func(ctx context.Context) error { return s.repositoryRead(ctx, r.Namespace, r.Name) })
}

// repositoryRead returns nil if Porch has read a repository as registered. With a Porch that was built elsewhere the
// condition can be True earlier, so its observedGeneration counts.
func (s *Stack) repositoryRead(ctx context.Context, namespace, name string) error {
	u, err := s.get(ctx, repositories, namespace, name)
	if err != nil {
		return err
	}
	if s.porch.foreign {
		observed, _, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
		if err != nil {
			return err
		}
		if observed != u.GetGeneration() {
			return fmt.Errorf("repository %s: generation %d is read, not %d", name, observed, u.GetGeneration())
		}
	}
	return conditionOf(u, "Ready")
}
