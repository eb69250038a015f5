// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"slices"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// outdated is a cache that has a revision as it was, even if it is gone.
type outdated struct {
	porch.API
	was *porchapi.PackageRevision
}

func (o *outdated) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	err := o.API.List(ctx, into, options...)
	list, ok := into.(*porchapi.PackageRevisionList)
	if !ok || err != nil {
		return err
	}
	for i := range list.Items {
		if list.Items[i].Name == o.was.Name {
			list.Items[i] = *o.was
			return nil
		}
	}
	asked := new(client.ListOptions).ApplyOptions(options)
	if fields := asked.FieldSelector; fields != nil {
		r, asks := porch.Revision(o.was), fields.Requirements()[0]
		switch packages.Index(asks.Field) {
		case packages.ByPackage, packages.ByOwner:
			if asks.Value != r.Package.String() && asks.Value != "web" {
				return nil
			}
		default:
			return nil
		}
	}
	list.Items = append(list.Items, *o.was)
	return nil
}

// refusing is a Porch that does not answer a request for a revision by its name.
type refusing struct{ client.Reader }

func (r refusing) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	if _, is := o.(*porchapi.PackageRevision); is {
		return errors.New("no answer")
	}
	return r.Reader.Get(ctx, key, o, options...)
}

// TestGone checks that a draft that the cache still has although it was deleted is made anew, once, and what was
// decided then stays when the cache learns of the deletion. While Porch does not say that the draft is gone, it is not.
func TestGone(t *testing.T) {
	t.Parallel()
	onCaches(t, func(t *testing.T, c *cluster) {
		gone := c.Revision(first)
		c.Removes(first)
		c.edits(zone("b"))
		c.reconciler.Known = porch.Cache{Reader: &outdated{c.client, gone}}
		drafts := func() (names []string) {
			var list porchapi.PackageRevisionList
			c.Must(c.List(t.Context(), &list))
			for i := range list.Items {
				if list.Items[i].Spec.RepositoryName == "edge" {
					names = append(names, list.Items[i].Name)
				}
			}
			return names
		}

		c.asks(refusing{c.client})
		c.reconcile("web")
		if got := drafts(); got != nil || c.Errs["web"] == nil {
			t.Errorf("Porch does not answer: there are %v, the error is %v", got, c.Errs["web"])
		}
		c.asks(c.client)
		delete(c.Errs, "web")
		for range 5 {
			c.Pass()
			c.reconcile("web")
		}
		got := drafts()
		if len(got) != 1 || got[0] == first || c.Errs["web"] != nil {
			t.Errorf("there are %v, the error is %v", got, c.Errs["web"])
		}
		c.reconciler.Known = porch.Cache{Reader: c.client}
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
				c.reconciler.Known = porch.Cache{Reader: &outdated{c.client, was}}
				c.deletes()
				for range 3 {
					c.Pass()
					c.reconcile("web")
				}
				if got := c.Revision(first).Spec.Lifecycle; got != porchapi.PackageRevisionLifecycleDeletionProposed {
					t.Errorf("the revision is %s, the error is %v", got, c.Errs["web"])
				}
				if left := c.variants(); len(left) != 0 {
					t.Errorf("the variant is there: %v", statusOf(&left[0]))
				}
			})
		})
	}
}
