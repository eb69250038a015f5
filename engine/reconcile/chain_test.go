// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/types"
)

// TestChainWithoutClock has ten variants each depend on the one before, in a controller whose clock stands still: what
// asks to be looked at after a time never is. Once people have published the first one, events alone publish the whole
// chain. The last one tells no more of what it waits for than that it is not ready, and then not published.
func TestChainWithoutClock(t *testing.T) {
	t.Parallel()
	for cache, git := range map[string]bool{"git": true, "PostgreSQL": false} {
		t.Run(cache, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, git)
			c.repositories("blueprints", "edge")
			c.blueprint(1, files("red"))
			c.work(func() {
				for i := range 10 {
					c.applies(policy(variant.ApprovalPolicyAutomatic), linked(i))
				}
			})
			c.work(func() { c.Publishes("edge.c0.packagevariant-1") })
			waits := 0
			for _, event := range c.Events {
				if strings.HasPrefix(event, "Event Warning of c9 Dependency") {
					waits++
				}
			}
			if waits < 1 || waits > 3 {
				t.Errorf("the last one tells %d times that it waits: %q", waits, c.Events)
			}
			for i := range 10 {
				name := fmt.Sprintf("edge.c%d.packagevariant-1", i)
				if got := c.Revision(name).Lifecycle; got != revision.Published {
					t.Errorf("%s is %s", name, got)
				}
			}
		})
	}
}

// linked makes a variant a link of a chain: it depends on the link before.
func linked(i int) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) {
		pv.Name = fmt.Sprintf("c%d", i)
		pv.UID, pv.Spec.Downstream.Package = "", pv.Name
		if i == 0 {
			pv.Spec.ApprovalPolicy = ""
		} else {
			pv.Spec.DependsOn = []variant.Dependency{{Name: fmt.Sprintf("c%d", i-1)}}
		}
	}
}

// work has people do something, and then the variants reconcile that events wake, in the order of the events, until
// there are no more. The time at which a variant is to be looked at again never comes.
func (c *cluster) work(people func()) {
	c.T.Helper()
	known := c.now()
	people()
	queue := c.woken(known, c.now())
	for len(queue) > 0 {
		known = c.now()
		name := queue[0].Name
		if c.reconcile(name); c.Errs[name] != nil {
			c.T.Fatalf("%s fails: %v", name, c.Errs[name])
		}
		queue = append(queue[1:], c.woken(known, c.now())...)
	}
}

// moment has the variants and the package revisions at a moment, by name.
type moment struct {
	variants  map[string]v1alpha1.PackageVariant
	revisions map[string]revision.Revision
}

// now returns what there is now.
func (c *cluster) now() moment {
	c.T.Helper()
	m := moment{map[string]v1alpha1.PackageVariant{}, map[string]revision.Revision{}}
	for _, pv := range c.variants() {
		m.variants[pv.Name] = pv
	}
	for _, r := range c.Revisions() {
		m.revisions[r.Name] = r
	}
	return m
}

// woken returns the variants that the changes between two moments wake.
func (c *cluster) woken(before, after moment) (all []types.NamespacedName) {
	affected := &reconcile.Affected{Variants: c.reconciler.Variants, Known: c.reconciler.Known}
	wake := func(found []types.NamespacedName, err error) {
		c.Must(err)
		all = append(all, found...)
	}
	for _, name := range slices.Sorted(maps.Keys(after.variants)) {
		now := after.variants[name]
		was, known := before.variants[name]
		if !known || was.Generation != now.Generation {
			wake(affected.ByClaim(c.T.Context(), &now))
		}
		if !known || reconcile.ChangedForOthers(&was, &now) {
			wake(affected.ByDependency(c.T.Context(), &now))
		}
		if !known || reconcile.Changed(&was, &now) {
			wake([]types.NamespacedName{memorytest.Key(name)}, nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after.revisions)) {
		if now := after.revisions[name]; !reflect.DeepEqual(before.revisions[name], now) {
			wake(affected.ByRevision(c.T.Context(), now))
		}
	}
	return all
}
