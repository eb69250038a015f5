// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"strings"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/life"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// TestChainWithoutClock has ten variants each depend on the one before, in a controller whose clock stands still: what
// asks to be looked at after a time never is. Events alone publish the whole chain. The last one tells no more of what it
// waits for than that it is not ready, and then not published.
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
				var pr porchapi.PackageRevision
				if err := c.Get(t.Context(), memorytest.Key(name), &pr); err != nil {
					t.Fatal(err)
				}
				if pr.Spec.Lifecycle != porchapi.PackageRevisionLifecyclePublished {
					t.Errorf("%s is %s", name, pr.Spec.Lifecycle)
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
		if i > 0 {
			pv.Spec.DependsOn = []variant.Dependency{{Name: fmt.Sprintf("c%d", i-1)}}
		}
	}
}

// work has people do something, and then the variants reconcile that events wake, in the order of the events, until
// there are no more. The time at which a variant is to be looked at again never comes.
func (c *cluster) work(people func()) {
	c.T.Helper()
	known := c.objects()
	people()
	queue := c.woken(known, c.objects())
	for len(queue) > 0 {
		known = c.objects()
		name := queue[0].Name
		if c.reconcile(name); c.Errs[name] != nil {
			c.T.Fatalf("%s fails: %v", name, c.Errs[name])
		}
		queue = append(queue[1:], c.woken(known, c.objects())...)
	}
}

// objects returns the variants and package revisions, in order.
func (c *cluster) objects() []client.Object {
	c.T.Helper()
	var out []client.Object
	for _, pv := range c.variants() {
		out = append(out, &pv)
	}
	var revisions porchapi.PackageRevisionList
	c.Must(c.List(c.T.Context(), &revisions))
	for i := range revisions.Items {
		out = append(out, &revisions.Items[i])
	}
	return out
}

// woken returns the requests that a queue gets by the changes between two states of the cluster.
func (c *cluster) woken(before, after []client.Object) []ctrl.Request {
	itself := trigger{&v1alpha1.PackageVariant{}, onUpdate(life.Changed), func(_ context.Context, o client.Object) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
	}}
	was := map[string]client.Object{}
	for _, o := range before {
		was[fmt.Sprintf("%T %s", o, o.GetName())] = o
	}
	var requests []ctrl.Request
	for _, o := range after {
		for _, t := range append(triggers(&life.Affected{Variants: c.reconciler.Variants, Known: c.reconciler.Known}), itself) {
			if fmt.Sprintf("%T", t.kind) != fmt.Sprintf("%T", o) {
				continue
			}
			old := was[fmt.Sprintf("%T %s", o, o.GetName())]
			passes := old == nil && t.passes.Create(event.CreateEvent{Object: o}) ||
				old != nil && old.GetResourceVersion() != o.GetResourceVersion() &&
					t.passes.Update(event.UpdateEvent{ObjectOld: old, ObjectNew: o})
			if passes {
				requests = append(requests, t.affected(c.T.Context(), o)...)
			}
		}
	}
	return requests
}
