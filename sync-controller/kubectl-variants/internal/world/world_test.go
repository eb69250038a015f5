// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world/worldtest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	ours   = "config.porch.kpt.dev/v1alpha1"
	theirs = "porch.kpt.dev/v1alpha1"
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

// cluster returns the world of a cluster with the objects of a text.
func cluster(t *testing.T, text string) *World {
	t.Helper()
	c, err := worldtest.New(fileOf(t, text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := FromCluster(t.Context(), c, metav1.NamespaceAll, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
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
			manifests, err := manifestfile.ReadFiles(types, file)
			if err != nil {
				t.Fatal(err)
			}
			_, laid := newWorld(nil, nil, nil).Overlay(t.Context(), manifests.Objects, "shop")
			there := cluster(t, object(ours, "PackageVariant", "shop")+object(ours, "Repository", "shop"))
			_, deleted := there.Delete(t.Context(), manifests.Objects, "shop")
			for what, err := range map[string]error{"overlay": laid, "delete": deleted} {
				got := ""
				if err != nil {
					got = strings.ReplaceAll(err.Error(), file, "FILE")
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}
