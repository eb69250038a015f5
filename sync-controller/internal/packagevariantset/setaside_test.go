// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestSetAside has the controller die of the expansion of a set, which is then put off, set aside and tried alone. The
// first time it comes through; later it does not, and is tried again after it has changed.
func TestSetAside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, deadly := newFleet(t), memorytest.NewDeadly(t)
		f.runtime = deadly
		start := func() {
			f.Start()
			f.reconciler.inHand = deadly.Ledger()
			f.Run()
		}
		dies := func() {
			t.Helper()
			deadly.Die(func() { f.reconcile("fleet") })
			start()
		}
		expect := func(condition, reason string, again time.Duration) {
			t.Helper()
			conditions := f.sets()[0].Status.Conditions
			if ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady); ready.Reason != reason ||
				!meta.IsStatusConditionTrue(conditions, condition) {
				t.Errorf("the conditions are %+v, want %s: %s", conditions, condition, reason)
			}
			if f.Errs["fleet"] != nil || f.again["fleet"] != again {
				t.Errorf("it is reconciled again after %s, want %s, error %v", f.again["fleet"], again, f.Errs["fleet"])
			}
		}
		start()
		f.sites("env=prod", "edge-1", "edge-2")
		f.applies(latest, prods)
		dies()
		expect("Reconciling", "Pending", 10*time.Second)
		time.Sleep(10 * time.Second)
		dies()
		expect("Stalled", "SetAside", 30*time.Second)
		if n := len(f.made()); n > 0 {
			t.Errorf("%d variants were made", n)
		}
		time.Sleep(30 * time.Second)
		f.Run()
		expect("Ready", "VariantsReady", 0)

		f.edits(func(set *v1alpha2.PackageVariantSet) { set.Spec.MaxDeletions = new(intstr.FromInt32(7)) })
		for _, wait := range []time.Duration{10 * time.Second, 30 * time.Second, 0} {
			dies()
			time.Sleep(wait)
		}
		expect("Stalled", "SetAside", 0)
		f.edits(func(set *v1alpha2.PackageVariantSet) { set.Spec.MaxDeletions = nil })
		f.Run()
		expect("Ready", "VariantsReady", 0)
	})
}
