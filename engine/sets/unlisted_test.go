// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// unlisted lacks a revision that exists.
type unlisted struct {
	packages.Known
	name string
}

func (u *unlisted) Find(ctx context.Context, namespace string, by packages.Index, value string) ([]revision.Revision,
	error) {
	found, err := u.Known.Find(ctx, namespace, by, value)
	return slices.DeleteFunc(found, func(r revision.Revision) bool { return r.Name == u.name }), err
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
		f.reconciler.Known = &unlisted{f.client.Packages, "blueprints.web.v2"}
		f.reconcile("fleet")
		if got := f.sets()[0].Status.Rollout.Revision.Name; got != "blueprints.web.v2" || f.Errs["fleet"] != nil {
			t.Errorf("the rollout is of %s, the error is %v", got, f.Errs["fleet"])
		}
		if diff := cmp.Diff(before, f.made()); diff != "" {
			t.Errorf("the variants, -before +after:\n%s", diff)
		}
	})
}
