// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"fmt"
	"maps"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key returns the key of an object in the cluster.
func Key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: Namespace, Name: name}
}

// Meta returns the metadata of an object that people add.
func Meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: Namespace, Name: name, UID: types.UID(name), ResourceVersion: "1", Generation: 1}
}

// Edit changes an object by name, as people do. The object is what it is read into.
func Edit[O client.Object](c *Cluster, name string, o O, edit func(O)) {
	c.T.Helper()
	c.Must(c.Get(c.T.Context(), Key(name), o))
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		c.T.Fatalf("the copy of a %T is no object", o)
	}
	edit(o)
	c.Must(c.Patch(c.T.Context(), o, client.MergeFrom(before)))
}

// Repository registers a Repository: one for deployments, unless it is that of the blueprints.
func (c *Cluster) Repository(name string, labels map[string]string) {
	c.T.Helper()
	r := &configapi.Repository{
		ObjectMeta: Meta(name),
		Spec: configapi.RepositorySpec{Deployment: name != "blueprints",
			Git: &configapi.GitRepository{Repo: "https://git.example.com/" + name + ".git", Branch: "main"}},
		Status: configapi.RepositoryStatus{Conditions: []metav1.Condition{
			{Type: configapi.RepositoryReady, Status: metav1.ConditionTrue, Reason: "Ready"}}},
	}
	r.Labels = labels
	c.Must(c.Add(r))
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
	edits ...func(*porchapi.PackageRevision)) {
	c.T.Helper()
	name := pkg.NameOf(workspace)
	pr := &porchapi.PackageRevision{
		ObjectMeta: Meta(name),
		Spec: porchapi.PackageRevisionSpec{RepositoryName: pkg.Repo, PackageName: pkg.Name, WorkspaceName: workspace,
			Revision: number, Lifecycle: porchapi.PackageRevisionLifecyclePublished},
	}
	pr.Generation, pr.ResourceVersion = 0, c.versionOf(name)
	if number == 0 {
		pr.Spec.Lifecycle = porchapi.PackageRevisionLifecycleDraft
	}
	for _, edit := range edits {
		edit(pr)
	}
	c.contents[name] = files
	c.Must(c.Add(pr))
}

// versionOf returns the version of a revision that was never written to, as Porch's cache has it.
func (c *Cluster) versionOf(name string) string {
	if c.git {
		return fmt.Sprintf("%040x", []byte(name[max(len(name)-20, 0):]))
	}
	return name + ".1"
}

// Blueprint adds a published revision of a package in the Repository blueprints.
func (c *Cluster) Blueprint(name string, number int, files map[string]string,
	edits ...func(*porchapi.PackageRevision)) {
	c.T.Helper()
	c.Has(revision.Package{Repo: "blueprints", Name: name}, fmt.Sprintf("v%d", number), number, files, edits...)
}

// Revision returns a package revision.
func (c *Cluster) Revision(name string) *porchapi.PackageRevision {
	c.T.Helper()
	var pr porchapi.PackageRevision
	c.Must(c.Get(c.T.Context(), Key(name), &pr))
	return &pr
}

// FilesOf returns the files of a package revision.
func (c *Cluster) FilesOf(name string) map[string]string {
	c.T.Helper()
	var content porchapi.PackageRevisionResources
	c.Must(c.Get(c.T.Context(), Key(name), &content))
	return content.Spec.Resources
}

// SavesFiles changes files of a draft.
func (c *Cluster) SavesFiles(name string, files map[string]string) {
	c.T.Helper()
	var content porchapi.PackageRevisionResources
	c.Must(c.Get(c.T.Context(), Key(name), &content))
	content.Spec.Resources = maps.Clone(content.Spec.Resources)
	maps.Copy(content.Spec.Resources, files)
	c.Must(c.Update(c.T.Context(), &content))
}

// Moves gives a package revision another lifecycle, or several in turn.
func (c *Cluster) Moves(name string, lifecycles ...porchapi.PackageRevisionLifecycle) {
	c.T.Helper()
	for _, lifecycle := range lifecycles {
		Edit(c, name, &porchapi.PackageRevision{}, func(pr *porchapi.PackageRevision) { pr.Spec.Lifecycle = lifecycle })
	}
}

// Publishes publishes a draft, as people do it.
func (c *Cluster) Publishes(name string) {
	c.T.Helper()
	c.Moves(name, porchapi.PackageRevisionLifecycleProposed, porchapi.PackageRevisionLifecyclePublished)
}

// Removes deletes a package revision.
func (c *Cluster) Removes(name string) {
	c.T.Helper()
	c.Must(c.Delete(c.T.Context(), c.Revision(name)))
}
