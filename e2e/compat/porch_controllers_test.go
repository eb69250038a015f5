// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	porchvariant "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	porchvariantctl "github.com/nephio-project/porch/controllers/packagevariants/pkg/controllers/packagevariant"
	porchset "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	porchsetctl "github.com/nephio-project/porch/controllers/packagevariantsets/pkg/controllers/packagevariantset"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var request = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "fleet", Name: "sample"}}

// variantRefusal returns the errors for which Porch's controller stalls a PackageVariant, and nothing if it goes on to
// look for the upstream, which is not there.
func variantRefusal(t *testing.T, object []byte) string {
	t.Helper()
	cluster := &oneObject{content: object}
	_, err := (&porchvariantctl.PackageVariantReconciler{Client: cluster}).Reconcile(t.Context(), request)
	if err != nil {
		if !strings.Contains(err.Error(), "could not find upstream package revision") {
			t.Fatalf("cannot reconcile: %v", err)
		}
		return ""
	}
	pv, ok := cluster.written.(*porchvariant.PackageVariant)
	if !ok {
		t.Fatalf("status written to %T", cluster.written)
	}
	stalled := meta.FindStatusCondition(pv.Status.Conditions, porchvariantctl.ConditionTypeStalled)
	if stalled == nil || stalled.Status != metav1.ConditionTrue {
		t.Fatalf("stalled is %v", stalled)
	}
	return stalled.Message
}

// setRefusal is variantRefusal for a PackageVariantSet.
func setRefusal(t *testing.T, object []byte) string {
	t.Helper()
	cluster := &oneObject{content: object}
	if _, err := (&porchsetctl.PackageVariantSetReconciler{Client: cluster}).Reconcile(t.Context(), request); err != nil {
		t.Fatalf("cannot reconcile: %v", err)
	}
	set, ok := cluster.written.(*porchset.PackageVariantSet)
	if !ok {
		t.Fatalf("status written to %T", cluster.written)
	}
	stalled := meta.FindStatusCondition(set.Status.Conditions, porchsetctl.ConditionTypeStalled)
	switch {
	case stalled == nil:
		t.Fatal("there is no condition Stalled")
	case stalled.Reason == "ValidationError":
		return stalled.Message
	case stalled.Reason != "UpstreamNotFound":
		t.Fatalf("stalled is %v", stalled)
	}
	return ""
}

// oneObject is a cluster with a single object, as far as a controller that gets no further than to validate it needs
// one. It keeps what the controller writes to the status.
type oneObject struct {
	client.Client
	content []byte
	written client.Object
}

func (c *oneObject) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	return json.Unmarshal(c.content, obj)
}

func (c *oneObject) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

func (c *oneObject) Update(context.Context, client.Object, ...client.UpdateOption) error {
	return nil
}

func (c *oneObject) Status() client.SubResourceWriter {
	return statusWriter{cluster: c}
}

type statusWriter struct {
	client.SubResourceWriter
	cluster *oneObject
}

func (w statusWriter) Update(_ context.Context, obj client.Object, _ ...client.SubResourceUpdateOption) error {
	w.cluster.written = obj
	return nil
}
