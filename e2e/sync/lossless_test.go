// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// withoutContext publishes an upstream without a package context, and returns an option that puts a variant of it into
// a Repository that is not for deployments, where Porch adds no context to packages.
func (w *world) withoutContext() func(*variant.Spec) {
	w.t.Helper()
	w.Repository("stock", nil, false)
	files := simple()
	files["package-context.yaml"] = ""
	w.Publish("blueprints", "web", "v1", files)
	return func(s *variant.Spec) { s.Injectors, s.Downstream.Repo = nil, "stock" }
}

// TestContextOfDeployment has an upstream without a package context. Porch adds one to what is cloned into a deployment
// Repository, and to nothing else.
func TestContextOfDeployment(t *testing.T) {
	w := newWorld(t)
	stocked := w.withoutContext()
	w.Apply(newVariant("deployed", func(s *variant.Spec) { s.Injectors = nil }), newVariant("stocked", stocked))
	w.start()
	w.waitFile(w.target("deployed"), "package-context.yaml", "region: eu")
	if message := w.message("stocked", "FunctionFailed"); !strings.Contains(message, "kptfile.kpt.dev") {
		t.Errorf("message %q", message)
	}
	if left := w.Revisions("stock", "stocked"); len(left) > 0 {
		t.Errorf("there is the draft %s", left[0].Name)
	}
}
