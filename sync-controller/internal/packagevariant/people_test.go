// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"fmt"
	"maps"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// must ends the test if something that people do fails.
func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// repositories registers Repositories for deployments.
func (c *cluster) repositories(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.must(c.Add(&configapi.Repository{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), ResourceVersion: "1"},
			Spec: configapi.RepositorySpec{Deployment: name != "blueprints",
				Git: &configapi.GitRepository{Repo: "https://git.example.com/" + name + ".git", Branch: "main"}},
			Status: configapi.RepositoryStatus{Conditions: []metav1.Condition{
				{Type: configapi.RepositoryReady, Status: metav1.ConditionTrue, Reason: "Ready"}}},
		}))
	}
}

// files are the files of the package web, with a value in its settings.
func files(value string) map[string]string {
	return map[string]string{
		"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n",
		"settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: " + value +
			"\n  size: small\n",
	}
}

// has adds a revision of the package web that was never written to.
func (c *cluster) has(repo, workspace string, number int, files map[string]string,
	edits ...func(*porchapi.PackageRevision)) {
	c.t.Helper()
	name := revision.Package{Repo: repo, Name: "web"}.NameOf(workspace)
	pr := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name),
			ResourceVersion: c.versionOf(name)},
		Spec: porchapi.PackageRevisionSpec{RepositoryName: repo, PackageName: "web", WorkspaceName: workspace,
			Revision: number, Lifecycle: porchapi.PackageRevisionLifecyclePublished},
	}
	if number == 0 {
		pr.Spec.Lifecycle = porchapi.PackageRevisionLifecycleDraft
	}
	for _, edit := range edits {
		edit(pr)
	}
	c.contents[name] = files
	c.must(c.Add(pr))
}

// versionOf returns the version of a revision that was never written to, as Porch's cache has it.
func (c *cluster) versionOf(name string) string {
	if c.git {
		return fmt.Sprintf("%040x", []byte(name[max(len(name)-20, 0):]))
	}
	return name + ".1"
}

// blueprint adds a published revision of the upstream.
func (c *cluster) blueprint(number int, files map[string]string) {
	c.t.Helper()
	c.has("blueprints", fmt.Sprintf("v%d", number), number, files)
}

// applies adds the variant web, of the first revision of the blueprint.
func (c *cluster) applies(edits ...func(*v1alpha1.PackageVariant)) {
	c.t.Helper()
	pv := &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", UID: "web", ResourceVersion: "1", Generation: 1},
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
	c.must(c.Add(pv))
}

// edits changes the variant web.
func (c *cluster) edits(edit func(*variant.Spec)) {
	c.t.Helper()
	var pv v1alpha1.PackageVariant
	c.must(c.Get(c.t.Context(), types.NamespacedName{Namespace: namespace, Name: "web"}, &pv))
	before := pv.DeepCopy()
	edit(&pv.Spec)
	c.must(c.Patch(c.t.Context(), &pv, client.MergeFrom(before)))
}

// deletes deletes the variant web.
func (c *cluster) deletes() {
	c.t.Helper()
	c.must(c.Delete(c.t.Context(), &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}}))
}

// revision returns a package revision.
func (c *cluster) revision(name string) *porchapi.PackageRevision {
	c.t.Helper()
	var pr porchapi.PackageRevision
	c.must(c.Get(c.t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, &pr))
	return &pr
}

// filesOf returns the files of a package revision.
func (c *cluster) filesOf(name string) map[string]string {
	c.t.Helper()
	var content porchapi.PackageRevisionResources
	c.must(c.Get(c.t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, &content))
	return content.Spec.Resources
}

// writes changes files of a draft.
func (c *cluster) writes(name string, files map[string]string) {
	c.t.Helper()
	var content porchapi.PackageRevisionResources
	c.must(c.Get(c.t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, &content))
	content.Spec.Resources = maps.Clone(content.Spec.Resources)
	maps.Copy(content.Spec.Resources, files)
	c.must(c.Update(c.t.Context(), &content))
}

// moves gives a package revision another lifecycle.
func (c *cluster) moves(name string, lifecycles ...porchapi.PackageRevisionLifecycle) {
	c.t.Helper()
	for _, lifecycle := range lifecycles {
		pr := c.revision(name)
		before := pr.DeepCopy()
		pr.Spec.Lifecycle = lifecycle
		c.must(c.Patch(c.t.Context(), pr, client.MergeFrom(before)))
	}
}

// publishes publishes a draft, as people do it.
func (c *cluster) publishes(name string) {
	c.t.Helper()
	c.moves(name, porchapi.PackageRevisionLifecycleProposed, porchapi.PackageRevisionLifecyclePublished)
}

// removes deletes a package revision.
func (c *cluster) removes(name string) {
	c.t.Helper()
	c.must(c.Delete(c.t.Context(), c.revision(name)))
}
