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
	// Git is the name of the repository on the git server, which makes it; the default is Name. Two Repositories of one
	// git repository see the same packages.
	Git string
	// Address, if set, is where Porch finds the git repository, in place of its place on the git server.
	Address string
	// Directory is where the packages are in the git repository. The default is its root.
	Directory string
	// Labels are the labels of the Repository object.
	Labels map[string]string
	// Deployment tells that the packages are meant to be deployed.
	Deployment bool
}

// RegisterRepository registers a git repository with Porch, or makes a registered one what r says, and waits until
// Porch has read it.
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

// repositoryRead returns no error if Porch has read a repository as it is registered. The condition of a Porch that was
// built elsewhere can be True before that; its observedGeneration says it.
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
