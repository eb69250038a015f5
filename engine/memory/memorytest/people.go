// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Key returns the key of an object in the cluster.
func Key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: Namespace, Name: name}
}

// Meta returns the metadata of an object that people add.
func Meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: Namespace, Name: name, UID: types.UID(name), ResourceVersion: "1", Generation: 1}
}

// Variant returns a PackageVariant.
func (c *Cluster) Variant(name string) *v1alpha1.PackageVariant {
	c.T.Helper()
	return found(c, name, c.Objects.Variant)
}

// found returns an object that has to be there.
func found[O any](c *Cluster, name string, get func(ctx context.Context, namespace, name string) (*O, error)) *O {
	c.T.Helper()
	o, err := get(c.T.Context(), Namespace, name)
	if c.Must(err); o == nil {
		c.T.Fatalf("there is no %T %s", o, name)
	}
	return o
}

// EditVariant changes a PackageVariant, as people do.
func (c *Cluster) EditVariant(name string, edit func(*v1alpha1.PackageVariant)) {
	c.T.Helper()
	pv := c.Variant(name)
	edit(pv)
	c.Objects.Apply(pv)
}

// EditSet changes a PackageVariantSet, as people do.
func (c *Cluster) EditSet(name string, edit func(*v1alpha2.PackageVariantSet)) {
	c.T.Helper()
	set := found(c, name, c.Objects.Set)
	edit(set)
	c.Objects.Apply(set)
}

// EditRepository changes a Repository, as people or the home do.
func (c *Cluster) EditRepository(name string, edit func(*objects.Repository)) {
	c.T.Helper()
	r := found(c, name, c.Objects.Repository)
	edit(r)
	c.Objects.Apply(r)
}

// EditRevision changes the metadata or the lifecycle of a package revision, as people do.
func (c *Cluster) EditRevision(name string, edit func(*revision.Revision)) {
	c.T.Helper()
	c.Must(c.Packages.Patch(c.T.Context(), Namespace, name, edit))
}

// Repository registers a Repository: one for deployments, unless it is that of the blueprints.
func (c *Cluster) Repository(name string, labels map[string]string) {
	c.T.Helper()
	r := &objects.Repository{ObjectMeta: Meta(name), Repository: revision.Repository{Ready: true,
		Deployment: name != "blueprints", Address: "https://git.example.com/" + name + ".git", Branch: "main"}}
	r.Labels = labels
	c.Objects.Add(r)
}

// Unregisters deletes a Repository.
func (c *Cluster) Unregisters(name string) {
	c.Objects.Drop(revision.RepositoryKind.GroupKind(), Key(name))
}

// Files are the files of a package, with a value in its settings.
func Files(name, color string) map[string]string {
	return map[string]string{
		"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n",
		"settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: " + color +
			"\n  size: small\n",
	}
}

// Has adds a revision of a package that was never written to: a published one with a number, or else a draft.
func (c *Cluster) Has(pkg revision.Package, workspace string, number int, files map[string]string,
	edits ...func(*revision.Revision)) {
	c.T.Helper()
	r := revision.Revision{Namespace: Namespace, Name: pkg.NameOf(workspace), Package: pkg, Workspace: workspace,
		Number: number, Lifecycle: revision.Published}
	r.Version = c.versionOf(r.Name)
	if number == 0 {
		r.Lifecycle = revision.Draft
	}
	for _, edit := range edits {
		edit(&r)
	}
	if r.InParts = !c.git; c.git {
		r.Commit = r.Version
	}
	if files == nil {
		files = map[string]string{}
	}
	c.Packages.Add(r, files)
}

// versionOf returns the version of a revision that was never written to, as the home's cache has it.
func (c *Cluster) versionOf(name string) string {
	if c.git {
		return fmt.Sprintf("%040x", []byte(name[max(len(name)-20, 0):]))
	}
	return name + ".1"
}

// Blueprint adds a published revision of a package in the Repository blueprints.
func (c *Cluster) Blueprint(name string, number int, files map[string]string, edits ...func(*revision.Revision)) {
	c.T.Helper()
	c.Has(revision.Package{Repo: "blueprints", Name: name}, fmt.Sprintf("v%d", number), number, files, edits...)
}

// Revision returns a package revision.
func (c *Cluster) Revision(name string) *revision.Revision {
	c.T.Helper()
	r, err := c.Packages.Get(c.T.Context(), Namespace, name)
	c.Must(err)
	return &r
}

// Revisions returns all package revisions, in the order of their names.
func (c *Cluster) Revisions() []revision.Revision {
	c.T.Helper()
	all, err := c.Packages.Find(c.T.Context(), "", packages.All, "")
	c.Must(err)
	return all
}

// content returns the content of a package revision.
func (c *Cluster) content(name string) packages.Content {
	c.T.Helper()
	content, err := c.Packages.Read(c.T.Context(), Namespace, name)
	if !errors.Is(err, packages.ErrNoFiles) {
		c.Must(err)
	}
	return content
}

// FilesOf returns the files of a package revision.
func (c *Cluster) FilesOf(name string) map[string]string {
	c.T.Helper()
	return c.content(name).Files
}

// SavesFiles changes files of a draft.
func (c *Cluster) SavesFiles(name string, files map[string]string) {
	c.T.Helper()
	content := c.content(name)
	all := maps.Clone(content.Files)
	maps.Copy(all, files)
	_, err := c.Packages.Save(c.T.Context(), content, all)
	c.Must(err)
}

// Moves gives a package revision another lifecycle, or several in turn.
func (c *Cluster) Moves(name string, lifecycles ...revision.Lifecycle) {
	c.T.Helper()
	for _, lifecycle := range lifecycles {
		c.EditRevision(name, func(r *revision.Revision) { r.Lifecycle = lifecycle })
	}
}

// Publishes publishes a draft, as people do it.
func (c *Cluster) Publishes(name string) {
	c.T.Helper()
	c.Moves(name, revision.Proposed, revision.Published)
}

// Removes deletes a package revision.
func (c *Cluster) Removes(name string) {
	c.T.Helper()
	c.Packages.Drop(Namespace, c.Revision(name).Name)
}
