// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestDryRun checks that a dry run writes nothing, and is refused where the real request would be.
func TestDryRun(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	w := memory.New(types, nil, nil, nil)
	w.AskFirst(refuse)
	made := func(pkg string) *v1alpha1.PackageVariant {
		return &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "fleet"}, Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
			Downstream: &variant.Downstream{Repo: "edge", Package: pkg}}}
	}
	refused := func(doing string, err error) {
		t.Helper()
		const begins = `PackageVariant.config.porch.kpt.dev "a" is invalid: spec.`
		if !apierrors.IsInvalid(err) || !strings.HasPrefix(err.Error(), begins) {
			t.Errorf("%s: %v, want that it is refused", doing, err)
		}
	}
	ctx := context.Background()
	const wrong = ""
	refused("a dry creation", w.Create(ctx, made(wrong), client.DryRunAll))
	refused("a creation", w.Create(ctx, made(wrong)))
	if err := w.Create(ctx, made("web"), client.DryRunAll); err != nil || w.Version() != 0 {
		t.Fatalf("a dry creation that is not refused: %v, after %d writes", err, w.Version())
	}
	pv := made("web")
	if err := w.Create(ctx, pv); err != nil || w.Version() != 1 {
		t.Fatalf("a creation: %v, after %d writes", err, w.Version())
	}
	patch := func(pkg string, opts ...client.PatchOption) error {
		changed := pv.DeepCopy()
		changed.Spec.Downstream.Package = pkg
		return w.Patch(ctx, changed, client.MergeFrom(pv), opts...)
	}
	refused("a dry patch", patch(wrong, client.DryRunAll))
	refused("a patch", patch(wrong))
	if err := patch("shop", client.DryRunAll); err != nil || w.Version() != 1 {
		t.Errorf("a dry patch that is not refused: %v, after %d writes", err, w.Version())
	}
	if err := patch("shop"); err != nil || w.Version() != 2 {
		t.Errorf("a patch: %v, after %d writes", err, w.Version())
	}
}
