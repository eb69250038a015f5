// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestUnapplied checks what a set reports whose rollout cannot go on because the API server fails: it was expanded, and
// nothing is wrong with its spec.
func TestUnapplied(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failing interceptor.Funcs // the first time
		want    string
	}{
		"where the rollout stands is not written": {
			interceptor.Funcs{SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch,
				...client.SubResourcePatchOption) error {
				return errBoom
			}},
			"will try again: cannot write where the rollout stands: boom",
		},
		"its variants are not listed": {
			interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
				return errBoom
			}},
			"will try again: cannot read the set's PackageVariants: boom",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := testObjects()
			set := all[0].(*v1alpha2.PackageVariantSet)
			set.Spec.Rollout = &v1alpha2.Rollout{Waves: []v1alpha2.Wave{{Name: "all", Selector: &metav1.LabelSelector{}}}}
			c := newCluster(t, all...)
			works := c.client.(client.WithWatch)
			fails := interceptor.NewClient(works, test.failing)
			live := works
			if test.failing.List != nil {
				live = fails
			}
			c.over(&statusOnce{WithWatch: works, first: fails}, live)
			c.reconcile(t, true)
			if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(set), set); err != nil {
				t.Fatal(err)
			}
			ready := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionReady)
			if diff := cmp.Diff(test.want, ready.Message); diff != "" || ready.Reason != v1alpha2.ReasonApplyFailed {
				t.Errorf("the reason is %s, the message (-want +got):\n%s", ready.Reason, diff)
			}
			if writes := strings.Join(c.writes, ", "); writes != status {
				t.Errorf("writes: %s", writes)
			}
		})
	}
}

// statusOnce writes the first status by another client.
type statusOnce struct {
	client.WithWatch
	first client.WithWatch
}

func (s *statusOnce) Status() client.SubResourceWriter {
	now := s.first
	s.first = s.WithWatch
	return now.Status()
}
