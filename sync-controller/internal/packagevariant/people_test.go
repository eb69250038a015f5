// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// repositories registers Repositories.
func (c *cluster) repositories(names ...string) {
	c.T.Helper()
	for _, name := range names {
		c.Repository(name, nil)
	}
}

// registers adds a Repository in a namespace over a directory of the git repository of the Repository edge. It is younger
// than the others.
func (c *cluster) registers(namespace, name, directory string) {
	c.T.Helper()
	r := &configapi.Repository{
		ObjectMeta: memorytest.Meta(name),
		Spec: configapi.RepositorySpec{Deployment: true, Git: &configapi.GitRepository{
			Repo: "https://git.example.com/edge.git", Branch: "main", Directory: directory}},
		Status: configapi.RepositoryStatus{Conditions: []metav1.Condition{
			{Type: configapi.RepositoryReady, Status: metav1.ConditionTrue, Reason: "Ready"}}},
	}
	r.Namespace, r.CreationTimestamp = namespace, metav1.Now()
	c.Must(c.Add(r))
}

// becomes gives a Repository its condition Ready.
func (c *cluster) becomes(repository string, status metav1.ConditionStatus, reason string) {
	c.T.Helper()
	memorytest.Edit(c.Cluster, repository, &configapi.Repository{}, func(r *configapi.Repository) {
		r.Status.Conditions[0].Status, r.Status.Conditions[0].Reason = status, reason
	})
}

// files are the files of the package web, with a value in its settings.
func files(value string) map[string]string { return memorytest.Files("web", value) }

// has adds a revision of the package web that was never written to.
func (c *cluster) has(repo, workspace string, number int, files map[string]string,
	edits ...func(*porchapi.PackageRevision)) {
	c.T.Helper()
	c.Has(revision.Package{Repo: repo, Name: "web"}, workspace, number, files, edits...)
}

// blueprint adds a published revision of the upstream.
func (c *cluster) blueprint(number int, files map[string]string) {
	c.T.Helper()
	c.Blueprint("web", number, files)
}

// applies adds the variant web, of the first revision of the blueprint.
func (c *cluster) applies(edits ...func(*v1alpha1.PackageVariant)) {
	c.T.Helper()
	pv := &v1alpha1.PackageVariant{
		ObjectMeta: memorytest.Meta("web"),
		Spec: variant.Spec{
			Upstream:       &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
			Downstream:     &variant.Downstream{Repo: "edge", Package: "web"},
			PackageContext: &variant.PackageContext{Data: map[string]string{"zone": "a"}},
		},
		Status: v1alpha1.PackageVariantStatus{ObservedGeneration: -1},
	}
	for _, edit := range edits {
		edit(pv)
	}
	c.Must(c.Add(pv))
}

// edits changes the variant web.
func (c *cluster) edits(edit func(*variant.Spec)) {
	c.T.Helper()
	memorytest.Edit(c.Cluster, "web", &v1alpha1.PackageVariant{},
		func(pv *v1alpha1.PackageVariant) { edit(&pv.Spec) })
}

// remembers changes what the status of the variant web says.
func (c *cluster) remembers(edit func(*v1alpha1.PackageVariantStatus)) {
	c.T.Helper()
	c.remembersOf("web", edit)
}

// remembersOf changes what the status of a variant says.
func (c *cluster) remembersOf(name string, edit func(*v1alpha1.PackageVariantStatus)) {
	c.T.Helper()
	var pv v1alpha1.PackageVariant
	c.Must(c.Get(c.T.Context(), memorytest.Key(name), &pv))
	before := pv.DeepCopy()
	edit(&pv.Status)
	c.Must(c.World.Status().Patch(c.T.Context(), &pv, client.MergeFrom(before)))
}

// deletes deletes the variant web.
func (c *cluster) deletes() {
	c.T.Helper()
	c.Must(c.Delete(c.T.Context(), &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}}))
}

// loses has Porch lose sight of revisions.
func (c *cluster) loses(names ...string) {
	c.T.Helper()
	for _, name := range names {
		c.lost = append(c.lost, lost{c.Revision(name), c.FilesOf(name)})
	}
	for _, name := range names {
		c.Removes(name)
	}
}

// finds has Porch find the revisions that it lost, without their owners.
func (c *cluster) finds() {
	c.T.Helper()
	for _, l := range c.lost {
		c.has(l.Spec.RepositoryName, l.Spec.WorkspaceName, l.Spec.Revision, l.files, func(pr *porchapi.PackageRevision) {
			pr.Spec, pr.Status = l.Spec, l.Status
		})
	}
	c.lost = nil
}
