// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	r := &objects.Repository{ObjectMeta: memorytest.Meta(name), Repository: revision.Repository{Ready: true,
		Deployment: true, Address: "https://git.example.com/edge.git", Branch: "main", Directory: directory}}
	r.Namespace, r.CreationTimestamp = namespace, metav1.Now()
	c.Objects.Add(r)
}

// becomes gives a Repository its condition Ready.
func (c *cluster) becomes(repository string, status metav1.ConditionStatus, reason string) {
	c.T.Helper()
	c.EditRepository(repository, func(r *objects.Repository) {
		r.Ready, r.Reading = status == metav1.ConditionTrue, status != metav1.ConditionTrue && reason == "Reconciling"
	})
}

// files are the files of the package web, with a value in its settings.
func files(value string) map[string]string { return memorytest.Files("web", value) }

// has adds a revision of the package web that was never written to.
func (c *cluster) has(repo, workspace string, number int, files map[string]string,
	edits ...func(*revision.Revision)) {
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
	c.Objects.Add(pv)
}

// edits changes the variant web.
func (c *cluster) edits(edit func(*variant.Spec)) {
	c.T.Helper()
	c.EditVariant("web", func(pv *v1alpha1.PackageVariant) { edit(&pv.Spec) })
}

// remembers changes what the status of the variant web says.
func (c *cluster) remembers(edit func(*v1alpha1.PackageVariantStatus)) {
	c.T.Helper()
	c.remembersOf("web", edit)
}

// remembersOf changes what the status of a variant says.
func (c *cluster) remembersOf(name string, edit func(*v1alpha1.PackageVariantStatus)) {
	c.T.Helper()
	c.EditVariant(name, func(pv *v1alpha1.PackageVariant) { edit(&pv.Status) })
}

// deletes deletes the variant web.
func (c *cluster) deletes() {
	c.T.Helper()
	c.Must(c.Objects.Delete(c.T.Context(), &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}}))
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
		c.has(l.Package.Repo, l.Workspace, l.Number, l.files, func(r *revision.Revision) {
			r.Lifecycle, r.Task, r.Lock, r.PublishedAt = l.Lifecycle, l.Task, l.Lock, l.PublishedAt
		})
	}
	c.lost = nil
}
