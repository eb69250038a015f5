// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Eventually waits until check returns no error. After Timeout, the test fails with the last error.
func (f *Fleet) Eventually(what string, check func() error) {
	f.t.Helper()
	pauses := polling
	for deadline := time.Now().Add(f.Timeout); ; time.Sleep(pauses.Step()) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%s: not within %s: %v", what, f.Timeout, err)
		}
	}
}

// Never checks for some time that something does not happen. The test fails if check returns an error.
func (f *Fleet) Never(during time.Duration, what string, check func() error) {
	f.t.Helper()
	began, pauses := time.Now(), polling
	for deadline := began.Add(during); ; time.Sleep(pauses.Step()) {
		if err := check(); err != nil {
			f.t.Fatalf("%s: happened after %s: %v", what, time.Since(began).Round(time.Millisecond), err)
		}
		if time.Now().After(deadline) {
			return
		}
	}
}

// Variant returns a PackageVariant.
func (f *Fleet) Variant(name string) *v1alpha1.PackageVariant {
	f.t.Helper()
	variant, err := f.variant(name)
	if err != nil {
		f.t.Fatal(err)
	}
	return variant
}

// variant is Variant for use in a retry.
func (f *Fleet) variant(name string) (*v1alpha1.PackageVariant, error) {
	variant := &v1alpha1.PackageVariant{}
	if err := f.Client.Get(f.t.Context(), f.key(name), variant); err != nil {
		return nil, fmt.Errorf("cannot get PackageVariant %s: %w", name, err)
	}
	return variant, nil
}

// Condition returns a condition of a PackageVariant; the zero value if it has none of that type.
func (f *Fleet) Condition(name, typ string) metav1.Condition {
	f.t.Helper()
	return condition(f.Variant(name), typ)
}

// condition is Condition for a PackageVariant that was read.
func condition(variant *v1alpha1.PackageVariant, typ string) metav1.Condition {
	if found := meta.FindStatusCondition(variant.Status.Conditions, typ); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// Ready waits until a PackageVariant is ready for its current spec, and returns it.
func (f *Fleet) Ready(name string) *v1alpha1.PackageVariant {
	f.t.Helper()
	return f.await(name, "is ready", func(ready metav1.Condition) bool { return ready.Status == metav1.ConditionTrue })
}

// WaitReason waits until the condition Ready of a PackageVariant has a reason for its current spec, and returns the
// PackageVariant.
func (f *Fleet) WaitReason(name, reason string) *v1alpha1.PackageVariant {
	f.t.Helper()
	return f.await(name, "has the reason "+reason, func(ready metav1.Condition) bool { return ready.Reason == reason })
}

// await waits until the condition Ready of a PackageVariant is for its current spec and as wanted.
func (f *Fleet) await(name, what string, wanted func(metav1.Condition) bool) *v1alpha1.PackageVariant {
	f.t.Helper()
	var variant *v1alpha1.PackageVariant
	f.Eventually("PackageVariant "+name+" "+what, func() error {
		var err error
		if variant, err = f.variant(name); err != nil {
			return err
		}
		ready := condition(variant, v1alpha1.ConditionReady)
		if ready.ObservedGeneration == variant.Generation && wanted(ready) {
			return nil
		}
		return fmt.Errorf("generation %d, Ready is %q because of %q as of generation %d: %s",
			variant.Generation, ready.Status, ready.Reason, ready.ObservedGeneration, ready.Message)
	})
	return variant
}
