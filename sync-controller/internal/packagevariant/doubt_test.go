// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"errors"
	"fmt"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestDoubtful holds when Porch is asked what there is although nothing is to be written.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	const there, elsewhere, gone = "edge.web.packagevariant-1", "before.web.packagevariant-1", "edge.web.packagevariant-2"
	for name, c := range map[string]struct {
		edit func(*observation)
		want bool
	}{
		"nothing is named": {func(*observation) {}, false},
		"all that is named is there": {func(o *observation) {
			o.pv.Status.OwnedRevisions = []string{there, elsewhere}
			o.pv.Status.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: there}}
		}, false},
		"an owned one is not": {func(o *observation) { o.pv.Status.OwnedRevisions = []string{there, gone} }, true},
		"a target is not": {func(o *observation) {
			o.pv.Status.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: gone}}
		}, true},
		"the variant is being deleted": {func(o *observation) { o.Deleting = true }, true},
	} {
		o := observed()
		if c.edit(o); o.doubtful() != c.want {
			t.Errorf("%s: doubtful is %t", name, !c.want)
		}
	}
}

// TestOutdated holds which conflicts say that the cache is behind: not those that Porch tells of.
func TestOutdated(t *testing.T) {
	t.Parallel()
	of := func(group, resource string) error {
		return fmt.Errorf("cannot write: %w", apierrors.NewConflict(schema.GroupResource{Group: group, Resource: resource},
			"web", errors.New("modified")))
	}
	for want, errs := range map[bool][]error{
		true: {of("config.porch.kpt.dev", "packagevariants")},
		false: {nil, errors.New("conflict"), of("porch.kpt.dev", "packagerevisions"),
			apierrors.NewNotFound(schema.GroupResource{Resource: "packagevariants"}, "web")},
	} {
		for _, err := range errs {
			if got := outdated(err); got != want {
				t.Errorf("%v: %t", err, got)
			}
		}
	}
}

// TestAnnounced holds when a draft need not be announced once more.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	asked := decide.Draft{Package: revision.Package{Repo: "edge", Name: "web"}, Workspace: "packagevariant-2",
		Task: revision.Task{Type: revision.Upgrade, Source: "blueprints.web.v2"}}
	status := func(edit func(*v1alpha1.PackageVariant)) *v1alpha1.PackageVariant {
		pv := observed().pv
		pv.Status.ObservedGeneration = pv.Generation
		v1alpha1.Reconciling(v1alpha1.ReasonPending, "").Set(&pv.Status.Conditions, pv.Generation)
		pv.Status.RequestedDraft = &v1alpha1.RequestedDraft{Repo: "edge", Package: "web", WorkspaceName: "packagevariant-2",
			Task: string(revision.Upgrade), Source: "blueprints.web.v2"}
		edit(pv)
		return pv
	}
	for name, c := range map[string]struct {
		edit func(*v1alpha1.PackageVariant)
		want bool
	}{
		"the same":    {func(*v1alpha1.PackageVariant) {}, true},
		"none":        {func(pv *v1alpha1.PackageVariant) { pv.Status.RequestedDraft = nil }, false},
		"another":     {func(pv *v1alpha1.PackageVariant) { pv.Status.RequestedDraft.Source = "blueprints.web.v1" }, false},
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
