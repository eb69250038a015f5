// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// object returns a document of a kind with a name, in a namespace unless that is empty.
func object(apiVersion, kind, namespace string) string {
	text := "---\napiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata:\n  name: one\n"
	if namespace != "" {
		text += "  namespace: " + namespace + "\n"
	}
	if kind == "PackageRevision" {
		text += "  resourceVersion: abc\n"
	}
	if kind == "PackageVariant" {
		return text + "spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge, package: web}}\n"
	}
	return text + "spec: {}\n"
}

const (
	ours  = "config.porch.kpt.dev/v1alpha1"
	porch = "porch.kpt.dev/v1alpha1"
)

// fileOf writes a file.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNamespaceOf checks which namespace a plan over a snapshot is for, and that it is never guessed.
func TestNamespaceOf(t *testing.T) {
	t.Parallel()
	one, two := object(ours, "Repository", "shop"), object(ours, "Repository", "bank")
	revision := object(porch, "PackageRevision", "shop")
	for name, c := range map[string]struct{ text, asked, want, message string }{
		"the only one": {text: one + revision, want: "shop"},
		"one of two":   {text: one + two, asked: "bank", want: "bank"},
		"two": {text: one + two, message: "the snapshot FILE has Repositories in more than one namespace, bank, shop: set " +
			"--namespace"},
		"another": {text: one, asked: "other",
			message: `the snapshot FILE has no Repositories in the namespace "other", but in shop: set --namespace`},
		"no Repositories": {text: revision, message: "the snapshot FILE has no Repositories, but PackageRevisions in shop: " +
			"write them to it by: kubectl get repositories -o yaml, or set --namespace"},
		"no Repositories, asked": {text: revision, asked: "shop", want: "shop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			file := fileOf(t, c.text)
			w, err := FromFiles(types, file, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := NamespaceOf(t.Context(), w, c.asked, file)
			message := ""
			if err != nil {
				message = strings.ReplaceAll(err.Error(), file, "FILE")
			}
			if diff := cmp.Diff([]string{c.want, c.message}, []string{got, message}); diff != "" {
				t.Errorf("namespace and message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestKinds checks that objects of misspelled kinds or unknown versions are refused, even among good ones.
func TestKinds(t *testing.T) {
	t.Parallel()
	meant := func(kind, of, want string) string {
		return "FILE, line 9: there is no kind " + kind + " of " + of + ": did you mean " + want + "?"
	}
	for name, c := range map[string]struct{ apiVersion, kind, want string }{
		"variant":          {ours, "PackageVarient", meant("PackageVarient", ours, "PackageVariant of "+ours)},
		"set":              {"config.porch.kpt.dev/v1alpha2", "PackageVariantset", meant("PackageVariantset", "config.porch.kpt.dev/v1alpha2", "PackageVariantSet of config.porch.kpt.dev/v1alpha2")},
		"repository":       {ours, "Repositry", meant("Repositry", ours, "Repository of "+ours)},
		"lower case":       {ours, "packagevariant", meant("packagevariant", ours, "PackageVariant of "+ours)},
		"version":          {"config.porch.kpt.dev/v9", "PackageVariant", "FILE, line 9: PackageVariant one is of config.porch.kpt.dev/v9, which is another API: write it as " + ours},
		"group":            {"config.porch.ktp.dev/v1alpha1", "PackageVariant", meant("PackageVariant", "config.porch.ktp.dev/v1alpha1", "PackageVariant of "+ours)},
		"no group":         {"v1alpha1", "PackageVariant", meant("PackageVariant", "v1alpha1", "PackageVariant of "+ours)},
		"both":             {"config.porch.kpt.dev/v9", "PackageVarient", meant("PackageVarient", "config.porch.kpt.dev/v9", "PackageVariant of "+ours)},
		"of somebody else": {"ecr.example.com/v1", "Repository", ""},
		"far":              {"apps/v1", "Deployment", ""},
		"good":             {ours, "Repository", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			file := fileOf(t, object(ours, "PackageVariant", "shop")+object(c.apiVersion, c.kind, "shop"))
			manifests, err := snapshot.ReadFiles(types, file, true)
			if err != nil {
				t.Fatal(err)
			}
			_, laid := Overlay(t.Context(), memory.New(types, nil, nil, nil), manifests.Objects, "shop")
			there, err := FromFiles(types, fileOf(t, object(ours, "PackageVariant", "shop")+object(ours, "Repository", "shop")), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, deleted := Delete(t.Context(), there, manifests.Objects, "shop")
			snap := fileOf(t, object(ours, "Repository", "bank")+object(c.apiVersion, c.kind, "shop"))
			_, read := FromFiles(types, snap, nil)
			for what, err := range map[string]error{"overlay": laid, "delete": deleted, "snapshot": read} {
				got := ""
				if err != nil {
					got = strings.NewReplacer(file, "FILE", snap, "FILE").Replace(err.Error())
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

// TestVersions checks that snapshot objects that were stripped of their versions get one.
func TestVersions(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	w, err := FromFiles(types, fileOf(t, object(ours, "Repository", "shop")+object(porch, "PackageRevision", "shop")+
		object(porch, "PackageRevisionResources", "shop")), nil)
	if err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: "shop", Name: "one"}
	for _, o := range []client.Object{&configapi.Repository{}, &porchapi.PackageRevisionResources{}} {
		if err := w.Get(t.Context(), key, o); err != nil {
			t.Fatal(err)
		}
		if o.GetResourceVersion() == "" {
			t.Errorf("a %T has no version", o)
		}
	}
}
