// SPDX-License-Identifier: Apache-2.0

package world

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// TestDelete checks what goes with an object that is deleted, and which deletions are refused.
func TestDelete(t *testing.T) {
	t.Parallel()
	const (
		v1, v2    = "apiVersion: " + ours + "\n", "apiVersion: config.porch.kpt.dev/v1alpha2\n"
		set       = v2 + "kind: PackageVariantSet\nmetadata: {name: web, namespace: fleet, uid: s1}\nspec: {}\n---\n"
		owner     = "ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, name: web, uid: s1}]"
		variant   = v1 + "kind: PackageVariant\nmetadata: {name: NAME, namespace: fleet, uid: u-NAME, MORE}\nspec: {}\n---\n"
		facts     = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts, namespace: fleet}\n---\n"
		held      = "finalizers: [config.porch.kpt.dev/packagevariants]"
		edge      = v1 + "kind: Repository\nmetadata: {name: edge, namespace: fleet}\n---\n"
		published = "apiVersion: " + theirs + "\nkind: PackageRevision\nmetadata: {name: REPO.web.v1, namespace: fleet, resourceVersion: a}\n" +
			"spec: {repository: REPO, packageName: web, workspaceName: v1, lifecycle: Published, revision: 1}\n---\n"
	)
	named := func(name, more string) string {
		return strings.NewReplacer("NAME", name, "MORE", more).Replace(variant)
	}
	snap := set + named("owned", owner) + named("held", held+", "+owner) + named("alone", held) + named("free", "") + facts + edge +
		strings.ReplaceAll(published, "REPO", "edge") + strings.ReplaceAll(published, "REPO", "other")
	for name, c := range map[string]struct {
		manifest string
		want     []string // what is gone, or being deleted
		message  string
	}{
		"a set":                {set, []string{"web", "owned", "deleting held"}, ""},
		"a variant":            {named("free", ""), []string{"free"}, ""},
		"one that is held":     {named("alone", ""), []string{"deleting alone"}, ""},
		"a Repository":         {edge, []string{"edge", "edge.web.v1"}, ""},
		"a ConfigMap":          {facts, []string{"facts"}, ""},
		"a missing ConfigMap":  {strings.Replace(facts, "facts", "nowhere", 1), nil, ""},
		"a missing Repository": {strings.Replace(edge, "edge", "nowhere", 1), nil, "FILE, line 1: cannot delete nowhere: it is not there"},
		"a missing variant":    {named("nowhere", ""), nil, "FILE, line 1: cannot delete nowhere: it is not there"},
		"of Porch": {strings.ReplaceAll(published, "REPO", "edge"), nil, "FILE, line 1: a PackageRevision is made by Porch, and its " +
			"deletion is not planned: leave it out of -f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			w := cluster(t, snap)
			before := inWorld(t, w)
			file := fileOf(t, c.manifest)
			manifests, err := manifestfile.ReadFiles(known, file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Delete(t.Context(), manifests.Objects, "fleet")
			message := ""
			if err != nil {
				message = strings.ReplaceAll(err.Error(), file, "FILE")
			}
			if message != c.message {
				t.Errorf("got %q, want %q", message, c.message)
			}
			after := inWorld(t, w)
			for _, name := range c.want {
				bare, deleting := strings.CutPrefix(name, "deleting ")
				if before[bare] = deleting; !deleting {
					delete(before, bare)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("what is there, and is being deleted (-want +got):\n%s", diff)
			}
		})
	}
}

// inWorld returns the names of what is in the world, and whether it is being deleted.
func inWorld(t *testing.T, w *World) map[string]bool {
	t.Helper()
	is := map[string]bool{}
	for _, pv := range w.Objects.AllVariants() {
		is[pv.Name] = pv.DeletionTimestamp != nil
	}
	for _, set := range w.Objects.AllSets() {
		is[set.Name] = false
	}
	for _, o := range []struct {
		kind schema.GroupVersionKind
		key  types.NamespacedName
	}{
		{schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, types.NamespacedName{Namespace: "fleet", Name: "facts"}},
		{revision.RepositoryKind, types.NamespacedName{Namespace: "fleet", Name: "edge"}},
	} {
		found, err := w.Objects.Object(t.Context(), o.kind, o.key.Namespace, o.key.Name)
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			is[o.key.Name] = false
		}
	}
	revisions, err := w.Packages.Find(t.Context(), "fleet", packages.All, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range revisions {
		is[revisions[i].Name] = false
	}
	return is
}
