// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unlisted is a cache that lacks a revision that exists.
type unlisted struct {
	porch.API
	name string
}

func (u *unlisted) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	err := u.API.List(ctx, into, options...)
	if list, is := into.(*porchapi.PackageRevisionList); is && err == nil {
		list.Items = slices.DeleteFunc(list.Items,
			func(pr porchapi.PackageRevision) bool { return pr.Name == u.name })
	}
	return err
}

// TestUnlisted checks that a rollout does not begin again with an earlier revision while the cache lacks the one that
// the status names.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	synctest.Test(t, func(t *testing.T) {
		f.T = t
		f.secondRevision()
		f.rollsOut(inWaves, canaryThenSites)
		f.Run()
		before := f.made()
		f.reconciler.Known = porch.Cache{Reader: &unlisted{f.client, "blueprints.web.v2"}}
		f.reconcile("fleet")
		if got := f.sets()[0].Status.Rollout.Revision.Name; got != "blueprints.web.v2" || f.Errs["fleet"] != nil {
			t.Errorf("the rollout is of %s, the error is %v", got, f.Errs["fleet"])
		}
		if diff := cmp.Diff(before, f.made()); diff != "" {
			t.Errorf("the variants, -before +after:\n%s", diff)
		}
	})
}
