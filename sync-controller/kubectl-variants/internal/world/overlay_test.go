// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
// removed, labels of others stay. A new Repository is assumed to be ready, with a note. What is applied as it is does
// not change.
func TestOverlay(t *testing.T) {
	t.Parallel()
	w, named := overlaid(t, there, applied)
	want := Named{Keys: plans.Keys{Variants: []types.NamespacedName{{Namespace: "fleet", Name: "web"}}}, Known: 2,
		Notes: []string{"Assumes that Porch can read these new Repositories and finds no packages in them: other"}}
	if diff := cmp.Diff(want, named); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	for name, c := range map[string]struct {
		labels map[string]string
		ready  bool
	}{
		"edge":  {map[string]string{"applied": "2", "others": "1"}, false},
		"other": {nil, true},
	} {
		got, err := w.Objects.Repository(t.Context(), "fleet", name)
		if got == nil || err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.labels, got.Labels); diff != "" || got.Ready != c.ready {
			t.Errorf("%s is ready: %t, labels (-want +got):\n%s", name, got.Ready, diff)
		}
	}
	is := func(w *World) *v1alpha1.PackageVariant {
		pv, err := w.Objects.Variant(t.Context(), "fleet", "one")
		if pv == nil || err != nil {
			t.Fatal(err)
		}
		return pv
	}
	variant := object(ours, "PackageVariant", "fleet")
	read := strings.Replace(variant, "  name: one\n", "  name: one\n  uid: u1\n  generation: 3\n  resourceVersion: \"7\"\n", 1)
	w, _ = overlaid(t, there+read, variant)
	if pv := is(w); pv.Generation != 3 || pv.ResourceVersion != "7" {
		t.Errorf("one that is applied as it is is at %s, of generation %d", pv.ResourceVersion, pv.Generation)
	}
	w, _ = overlaid(t, there+read, strings.Replace(variant, "revision: 1", "revision: 2", 1))
	if pv := is(w); pv.Generation != 4 || pv.ResourceVersion == "7" || pv.UID != "u1" {
		t.Errorf("one that changes is at %s, of generation %d and UID %s", pv.ResourceVersion, pv.Generation, pv.UID)
	}
}

// overlaid returns the world of a snapshot with manifests laid over it.
func overlaid(t *testing.T, snap, manifests string) (*World, Named) {
	t.Helper()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	w := cluster(t, snap)
	read, err := manifestfile.ReadFiles(types, fileOf(t, manifests))
	if err != nil {
		t.Fatal(err)
	}
	named, err := w.Overlay(t.Context(), read.Objects, "fleet")
	if err != nil {
		t.Fatal(err)
	}
	return w, named
}

// TestTwice checks that an object that is twice in manifests is an error that names both places, unless both are equal.
func TestTwice(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	const want = "PackageVariant one is twice in what -f names, with different content, in FILE, line 2, and FILE, line 8: " +
		"remove one of them"
	variant := object(ours, "PackageVariant", "")
	for again, want := range map[string]string{
		strings.Replace(object(ours, "PackageVariant", "fleet"), "edge", "other", 1): want,
		object(ours, "PackageVariant", "fleet"):                                      "",
	} {
		file := fileOf(t, variant+again)
		manifests, err := manifestfile.ReadFiles(types, file)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := newWorld(nil, nil, nil).Overlay(t.Context(), manifests.Objects, "fleet"); err != nil {
			got = strings.ReplaceAll(err.Error(), file, "FILE")
		}
		if got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestAdmit checks that the world refuses what an API server refuses, also where that is only tried.
func TestAdmit(t *testing.T) {
	t.Parallel()
	w := newWorld(nil, nil, nil)
	made := func(pkg string) *v1alpha1.PackageVariant {
		return &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "fleet"}, Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
			Downstream: &variant.Downstream{Repo: "edge", Package: pkg}}}
	}
	pv := made("web")
	patch := func(pkg string) func(objects.How) error {
		return func(how objects.How) error {
			changed := pv.DeepCopy()
			changed.Spec.Downstream.Package = pkg
			return w.Objects.Update(t.Context(), pv, changed, how)
		}
	}
	const begins = `PackageVariant.config.porch.kpt.dev "a" is invalid: spec.`
	for _, c := range []struct {
		do      func(objects.How) error
		refused bool
	}{
		{func(how objects.How) error { return w.Objects.Create(t.Context(), made(""), how) }, true},
		{func(how objects.How) error { return w.Objects.Create(t.Context(), pv, how) }, false},
		{patch(""), true},
		{patch("shop"), false},
	} {
		for _, how := range []objects.How{{Try: true}, {}} {
			before := w.Version()
			err := c.do(how)
			refused := errors.Is(err, packages.ErrRefused) && strings.HasPrefix(err.Error(), begins)
			if refused != c.refused || !refused && err != nil {
				t.Errorf("%+v: %v, want refused %t", how, err, c.refused)
			}
			if written := w.Version() != before; written != (!how.Try && !c.refused) {
				t.Errorf("%+v: written %t", how, written)
			}
		}
	}
}
