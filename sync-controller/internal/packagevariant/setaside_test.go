// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
)

// TestSetAside has the controller die of the functions of a variant, which is then put off, set aside and tried alone.
// The first time it comes through; later it does not, and is tried again after it has changed.
func TestSetAside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, deadly := begin(t, true), memorytest.NewDeadly(t)
		c.runtime = deadly
		start := func() {
			c.Start()
			c.reconciler.inHand = deadly.Ledger()
			c.Run()
		}
		dies := func() {
			t.Helper()
			deadly.Die(func() { c.reconcile("web") })
			start()
		}
		expect := func(condition, reason, message string) {
			t.Helper()
			pv := c.variants()[0]
			ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
			if !meta.IsStatusConditionTrue(pv.Status.Conditions, condition) || ready.Reason != reason ||
				!strings.HasPrefix(ready.Message, message) || c.Errs["web"] != nil {
				t.Errorf("the conditions are %+v, want %s %s: %s", pv.Status.Conditions, condition, reason, message)
			}
			c.Writes()
			if c.Run(); len(c.Writes()) > 0 {
				t.Error("the controller does not rest")
			}
		}
		start()
		c.applies()
		dies()
		expect("Reconciling", "Pending", "will try again: the controller was killed")
		time.Sleep(10 * time.Second)
		dies()
		expect("Stalled", "SetAside", "not worked on for now")
		if result, err := c.reconciler.Reconcile(t.Context(), request("web")); err != nil || result.RequeueAfter == 0 {
			t.Errorf("it is looked at again after %s, error %v", result.RequeueAfter, err)
		}
		time.Sleep(30 * time.Second)
		c.Run()
		expect("Ready", "UpToDate", "")

		c.edits(zone("b"))
		for _, wait := range []time.Duration{10 * time.Second, 30 * time.Second, time.Hour} {
			dies()
			time.Sleep(wait)
		}
		c.Run()
		expect("Stalled", "SetAside", "not worked on any more")
		start()
		time.Sleep(time.Hour)
		c.Run()
		expect("Stalled", "SetAside", "not worked on any more")
		c.edits(zone("c"))
		c.Run()
		expect("Ready", "UpToDate", "")
	})
}

func request(name string) ctrl.Request { return ctrl.Request{NamespacedName: memorytest.Key(name)} }

// TestSetAsideDraft has the controller die of the functions over a draft that it has just made. The draft stays, and is
// completed when the functions have been tried alone.
func TestSetAsideDraft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, deadly := begin(t, true), memorytest.NewDeadly(t)
		c.runtime = deadly
		drafts := func() (n int) {
			for name := range c.Is() {
				if strings.HasPrefix(name, "edge.web.") {
					n++
				}
			}
			return n
		}
		deadly.When = func() bool { return drafts() > 0 }
		c.applies()
		for _, wait := range []time.Duration{0, 10 * time.Second, 30 * time.Second} {
			c.Start()
			c.reconciler.inHand = deadly.Ledger()
			if wait > 0 {
				c.Run()
				time.Sleep(wait)
			}
			if wait < 30*time.Second {
				deadly.Die(func() { c.Run() })
			}
			if n := drafts(); n != 1 {
				t.Errorf("there are %d drafts, want one", n)
			}
		}
		c.Run()
		if pv := c.variants()[0]; !meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady) || drafts() != 1 {
			t.Errorf("there are %d drafts, and the conditions are %+v", drafts(), pv.Status.Conditions)
		}
	})
}
