// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestAnnounced checks when a draft need not be announced again.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	asked := decide.Draft{Package: revision.Package{Repo: "edge", Name: "web"}, Workspace: "packagevariant-2",
		Task: revision.Task{Type: revision.Upgrade, Source: "blueprints.web.v2"}}
	status := func(edit func(*v1alpha1.PackageVariant)) *v1alpha1.PackageVariant {
		pv := observed().pv
		pv.Status.ObservedGeneration = pv.Generation
		v1alpha1.Reconciling(v1alpha1.ReasonPending, "").Set(&pv.Status.Conditions, pv.Generation)
		pv.Status.Operation = &v1alpha1.Operation{Do: "upgrade", Revision: "edge.web.packagevariant-2",
			Source: "blueprints.web.v2"}
		edit(pv)
		return pv
	}
	for name, c := range map[string]struct {
		edit func(*v1alpha1.PackageVariant)
		want bool
	}{
		"the same":    {func(*v1alpha1.PackageVariant) {}, true},
		"none":        {func(pv *v1alpha1.PackageVariant) { pv.Status.Operation = nil }, false},
		"another":     {func(pv *v1alpha1.PackageVariant) { pv.Status.Operation.Source = "blueprints.web.v1" }, false},
		"an old spec": {func(pv *v1alpha1.PackageVariant) { pv.Generation++ }, false},
		"it is ready": {func(pv *v1alpha1.PackageVariant) {
			v1alpha1.Ready(v1alpha1.ReasonUpToDate, "").Set(&pv.Status.Conditions, pv.Generation)
		}, false},
	} {
		if got := announced(status(c.edit), &asked); got != c.want {
			t.Errorf("%s: announced is %t", name, got)
		}
	}
}
