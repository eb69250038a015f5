// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Content is the content of a package revision.
type Content struct {
	// Files are the files, by their path.
	Files map[string]string
	// Version identifies the state of the revision with these files. Do not read anything else from it.
	Version string
	// RenderStatus is what the functions of the package's pipeline reported when the content was saved.
	RenderStatus v1alpha1.RenderStatus
	object       *porchapi.PackageRevisionResources
}

func contentOf(prr *porchapi.PackageRevisionResources) Content {
	return Content{Files: prr.Spec.Resources, Version: prr.ResourceVersion,
		RenderStatus: renderStatus(&prr.Status.RenderStatus), object: prr}
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

// port returns a content as the port packages has it.
func (c *Content) port() packages.Content {
	if c.object == nil {
		return packages.Content{}
	}
	of := &c.object.Spec
	return packages.Content{Namespace: c.object.Namespace, Name: c.object.Name,
		Package: revision.Package{Repo: of.RepositoryName, Name: of.PackageName}, Workspace: of.WorkspaceName,
		Files: c.Files, Version: c.Version, AtCommit: c.AtCommit(), RenderStatus: c.RenderStatus}
}

// contentFrom returns a content of the port packages, without its files: Save replaces them all, unless the draft has
// changed since.
func contentFrom(read *packages.Content) Content {
	return contentOf(&porchapi.PackageRevisionResources{
		ObjectMeta: metav1.ObjectMeta{Namespace: read.Namespace, Name: read.Name, ResourceVersion: read.Version},
		Spec: porchapi.PackageRevisionResourcesSpec{
			RepositoryName: read.Package.Repo, PackageName: read.Package.Name, WorkspaceName: read.Workspace,
		},
	})
}

// ErrNoFiles says that a package revision has no files.
var ErrNoFiles = errors.New("it has no files: Porch may have failed to read its repository")

// Content reads the content of a package revision. For a revision without any file, it returns the version and the
// error ErrNoFiles.
func (c *Client) Content(ctx context.Context, namespace, name string) (Content, error) {
	var prr porchapi.PackageRevisionResources
	if err := timed(read, func() error {
		return c.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &prr)
	}); err != nil {
		return Content{}, fmt.Errorf("cannot read the content of %s: %w", name, err)
	}
	if len(prr.Spec.Resources) == 0 {
		return contentOf(&prr), fmt.Errorf("cannot use the package revision %s: %w", name, ErrNoFiles)
	}
	return contentOf(&prr), nil
}
