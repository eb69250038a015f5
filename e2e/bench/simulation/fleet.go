// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"embed"
	"io/fs"
	"path"
	"strings"

	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

//go:embed scenario
var scenario embed.FS

// firstImage is the image in the files of the blueprint.
const firstImage = "registry.example.com/web:1.4"

// Register makes a Repository that Porch has already read.
func Register(ctx context.Context, c client.Client, namespace, name string, labels map[string]string) error {
	content := porchconfig.RepositoryContentPackage
	r := &porchconfig.Repository{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels},
		Spec: porchconfig.RepositorySpec{
			Type: porchconfig.RepositoryTypeGit, Content: &content,
			Git: &porchconfig.GitRepository{Repo: address + name, Branch: "main", Directory: "/"},
		},
	}
	if err := c.Create(ctx, r); err != nil {
		return err
	}
	r.Status.Conditions = []metav1.Condition{{
		Type: porchconfig.RepositoryReady, Status: metav1.ConditionTrue, Reason: porchconfig.ReasonReady,
		Message: "Repository Ready", LastTransitionTime: metav1.Now(), ObservedGeneration: r.Generation,
	}}
	return c.Status().Update(ctx, r)
}

// Blueprint returns the files of an upstream package, which run an image.
func Blueprint(image string) (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(scenario, "scenario/blueprint", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := scenario.ReadFile(file)
		files[path.Base(file)] = strings.Replace(string(content), firstImage, image, 1)
		return err
	})
	return files, err
}
