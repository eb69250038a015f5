// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestUnapplied checks what a set reports whose rollout cannot go on because the API server fails: it was expanded, and
// nothing is wrong with its spec. Nothing but its status is written.
func TestUnapplied(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fails func(*cluster) // the first time
		ready string
		want  string
	}{
		"where the rollout stands is not written": {
			func(c *cluster) {
				c.Fault = &memorytest.Fault{At: 1, Err: errBoom, Of: func(call memorytest.Call) bool {
					return call.Subresource == "status"
				}}
			},
			"0/0/0 ApplyFailed", "will try again: cannot write where the rollout stands: boom",
		},
		"its variants are not listed": {
			func(c *cluster) { c.Sets = &unlistable{c.Sets} },
			"0/0/0 ApplyFailed", "will try again: cannot read the set's PackageVariants: boom",
		},
		"the controller may not create variants": {
			func(c *cluster) {
				c.Objects.Admit = func(context.Context, *v1alpha1.PackageVariant) error {
					return &packages.Error{Kind: packages.ErrRefused, Err: errBoom,
						Condition: v1alpha1.Stalled(v1alpha2.ReasonPermissionMissing, "the controller may not create variants")}
				}
			},
			"2/0/0 PermissionMissing", "the controller may not create variants",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, func(s *v1alpha2.PackageVariantSetSpec) {
				s.Rollout = &v1alpha2.Rollout{Waves: []v1alpha2.Wave{{Name: "all", Selector: &metav1.LabelSelector{}}}}
			})
			test.fails(c)
			writes, ready := c.reconcile(true)
			if diff := cmp.Diff(test.want, c.message()); diff != "" || ready != test.ready {
				t.Errorf("it is %s, the message (-want +got):\n%s", ready, diff)
			}
			if diff := cmp.Diff([]string{status}, slices.Compact(writes)); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// unlistable has variants that cannot be listed.
type unlistable struct{ ports }

type ports = objects.Sets

func (*unlistable) LiveVariants(context.Context, string, types.UID) ([]v1alpha1.PackageVariant, error) {
	return nil, errBoom
}
