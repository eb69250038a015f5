// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// contentOf returns the content of a package revision.
func contentOf(prr *porchapi.PackageRevisionResources) packages.Content {
	of := &prr.Spec
	return packages.Content{Namespace: prr.Namespace, Name: prr.Name,
		Package: revision.Package{Repo: of.RepositoryName, Name: of.PackageName}, Workspace: of.WorkspaceName,
		Files: of.Resources, Version: prr.ResourceVersion,
		RenderStatus: renderStatus(&prr.Status.RenderStatus)}
}

// renderStatus returns Porch's render status as this project's, which has the same JSON.
func renderStatus(from *porchapi.RenderStatus) (to v1alpha1.RenderStatus) {
	if from.Err == "" && equality.Semantic.DeepEqual(from.Result, porchapi.ResultList{}) {
		return to
	}
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, &to)
	}
	if err != nil { // the types no longer match, which a test would have found
		to.Err = fmt.Sprintf("cannot read what Porch says of the render: %v", err)
	}
	to.Result.Metadata = metav1.ObjectMeta{} // the API does not store it
	return to
}

// resourcesOf returns what to save in place of a content that was read.
func resourcesOf(read *packages.Content, files map[string]string) *porchapi.PackageRevisionResources {
	return &porchapi.PackageRevisionResources{
		ObjectMeta: metav1.ObjectMeta{Namespace: read.Namespace, Name: read.Name, ResourceVersion: read.Version},
		Spec: porchapi.PackageRevisionResourcesSpec{RepositoryName: read.Package.Repo, PackageName: read.Package.Name,
			WorkspaceName: read.Workspace, Resources: maps.Clone(files)},
	}
}

// ErrNoFiles says that a package revision has no files.
var ErrNoFiles = errors.New("it has no files: Porch may have failed to read its repository")

// content reads the content of a package revision. For a revision without any file, it returns the version and the
// error ErrNoFiles.
func (h *Home) content(ctx context.Context, namespace, name string) (packages.Content, error) {
	var prr porchapi.PackageRevisionResources
	if err := timed(read, func() error {
		return h.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &prr)
	}); err != nil {
		return packages.Content{}, fmt.Errorf("cannot read the content of %s: %w", name, err)
	}
	if len(prr.Spec.Resources) == 0 {
		return contentOf(&prr), fmt.Errorf("cannot use the package revision %s: %w", name, ErrNoFiles)
	}
	return contentOf(&prr), nil
}
