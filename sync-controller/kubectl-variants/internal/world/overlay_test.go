// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const there = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata:
  name: edge
  namespace: fleet
  labels: {applied: "1", gone: "1", others: "1"}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"metadata":{"labels":{"applied":"1","gone":"1"}}}'
`

const applied = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: edge, labels: {applied: "2"}}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: other}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: web}
spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge, package: web}}
`

// TestOverlay checks that manifests are applied as kubectl apply does: labels that the manifest no longer has are
// removed, labels of others stay. A new Repository is assumed to be ready, with a note.
func TestOverlay(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"there.yaml": there, "applied.yaml": applied} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := FromFiles(types, filepath.Join(dir, "there.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := snapshot.ReadFiles(types, filepath.Join(dir, "applied.yaml"), true)
	if err != nil {
		t.Fatal(err)
	}
	named, err := Overlay(t.Context(), w, manifests.Objects, "fleet")
	if err != nil {
		t.Fatal(err)
	}
	want := Named{Variants: named.Variants, Known: 2, Notes: []string{
		"Assumes that Porch can read these new Repositories and finds no packages in them: other"}}
	if diff := cmp.Diff(want, named); diff != "" || len(named.Variants) != 1 {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	for name, c := range map[string]struct {
		labels map[string]string
		ready  int
	}{
		"edge":  {map[string]string{"applied": "2", "others": "1"}, 0},
		"other": {nil, 1},
	} {
		var got configapi.Repository
		if err := w.Get(t.Context(), client.ObjectKey{Namespace: "fleet", Name: name}, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.labels, got.Labels); diff != "" || len(got.Status.Conditions) != c.ready {
			t.Errorf("%s: %v, labels (-want +got):\n%s", name, got.Status.Conditions, diff)
		}
	}
}

// TestOverlayElsewhere checks the note about a Repository that a manifest points to other packages, of which a plan knows
// nothing.
func TestOverlayElsewhere(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	const repository = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: edge, namespace: fleet}\n" +
		"spec: {type: TYPE, SPEC}\n"
	const git = "git: {repo: https://git.example.com/edge, branch: main, directory: /, secretRef: {name: a}}"
	const note = "These Repositories point elsewhere in -f, and what Porch finds there is not known: the plan takes their packages " +
		"to be as they are: edge"
	for name, c := range map[string]struct {
		kind, spec string
		want       []string
	}{
		"as it is":          {"git", git, nil},
		"its defaults":      {"git", "git: {repo: https://git.example.com/edge, secretRef: {name: b}}", nil},
		"no place":          {"git", "", nil},
		"another git":       {"git", strings.Replace(git, "edge", "other", 1), []string{note}},
		"another branch":    {"git", strings.Replace(git, "main", "next", 1), []string{note}},
		"another directory": {"git", strings.Replace(git, "/,", "sites,", 1), []string{note}},
		"of another type":   {"oci", "oci: {registry: registry.example.com/edge}", []string{note}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := FromFiles(types, fileOf(t, strings.NewReplacer("TYPE", "git", "SPEC", git).Replace(repository)), nil)
			if err != nil {
				t.Fatal(err)
			}
			file := fileOf(t, strings.NewReplacer("TYPE", c.kind, "SPEC", c.spec).Replace(repository))
			manifests, err := snapshot.ReadFiles(types, file, true)
			if err != nil {
				t.Fatal(err)
			}
			named, err := Overlay(t.Context(), w, manifests.Objects, "fleet")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, named.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
