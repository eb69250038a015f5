// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
)

// outdated knows a revision as it was, even if it is gone.
type outdated struct {
	packages.Known
	was revision.Revision
}

func (o *outdated) Find(ctx context.Context, namespace string, by packages.Index, value string) ([]revision.Revision,
	error) {
	found, err := o.Known.Find(ctx, namespace, by, value)
	found = slices.DeleteFunc(found, func(r revision.Revision) bool { return r.Name == o.was.Name })
	if values := packages.Indexes[by]; values == nil || slices.Contains(values(&o.was), value) {
		found = append(found, o.was)
	}
	slices.SortFunc(found, revision.ByName)
	return found, err
}

func (o *outdated) Named(ctx context.Context, namespace, name string) (revision.Revision, error) {
	if name == o.was.Name {
		return o.was, nil
	}
	return o.Known.Named(ctx, namespace, name)
}

// refusing is a home that does not answer a request for a revision by its name.
type refusing struct{ packages.Home }

func (refusing) Get(context.Context, string, string) (revision.Revision, error) {
	return revision.Revision{}, &packages.Error{Kind: packages.ErrUnsure, Err: errors.New("no answer")}
}

// TestGone checks that a draft that the cache still has although it was deleted is made anew, once, and what was
// decided then stays when the cache learns of the deletion. While Porch does not say that the draft is gone, it is not.
func TestGone(t *testing.T) {
	t.Parallel()
	onCaches(t, func(t *testing.T, c *cluster) {
		gone := c.Revision(first)
		c.Removes(first)
		c.edits(zone("b"))
		c.reconciler.Known = &outdated{c.client.Packages, *gone}
		drafts := func() (names []string) {
			for _, r := range c.Revisions() {
				if r.Package.Repo == "edge" {
					names = append(names, r.Name)
				}
			}
			return names
		}

		c.reconciler.Packages = refusing{c.client.Packages}
		c.reconcile("web")
		if got := drafts(); got != nil || c.Errs["web"] == nil {
			t.Errorf("Porch does not answer: there are %v, the error is %v", got, c.Errs["web"])
		}
		c.reconciler.Packages = c.client.Packages
		delete(c.Errs, "web")
		for range 5 {
			c.Pass()
			c.reconcile("web")
		}
		got := drafts()
		if len(got) != 1 || got[0] == first || c.Errs["web"] != nil {
			t.Errorf("there are %v, the error is %v", got, c.Errs["web"])
		}
		c.reconciler.Known = c.client.Packages
		c.Run()
		if now := drafts(); !slices.Equal(now, got) {
			t.Errorf("once the cache knows, there are %v, before there were %v", now, got)
		}
		pv := c.variants()[0]
		if !meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady) {
			t.Errorf("the status is %v", statusOf(&pv))
		}
	})
}

// TestDeletedOutdated checks that a variant that is deleted disposes of its revision as it is, where the cache still
// has the draft that the revision was: here and in a package that the variant had before.
func TestDeletedOutdated(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string]bool{"in its package": false, "in another package": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onCaches(t, func(t *testing.T, c *cluster) {
				was := c.Revision(first)
				c.Publishes(first)
				if moves {
					c.edits(func(s *variant.Spec) { s.Downstream.Package = "shop" })
				}
				c.reconciler.Known = &outdated{c.client.Packages, *was}
				c.deletes()
				for range 3 {
					c.Pass()
					c.reconcile("web")
				}
				if got := c.Revision(first).Lifecycle; got != revision.DeletionProposed {
					t.Errorf("the revision is %s, the error is %v", got, c.Errs["web"])
				}
				if left := c.variants(); len(left) != 0 {
					t.Errorf("the variant is there: %v", statusOf(&left[0]))
				}
			})
		})
	}
}
