// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestExcludedElsewhere checks that no variant is deleted where targets fail after their packages were renamed: the
// variants with the old names still belong to them.
func TestExcludedElsewhere(t *testing.T) {
	t.Parallel()
	c := newCluster(t, func(s *v1alpha2.PackageVariantSetSpec) { s.ErrorPolicy = v1alpha2.ErrorPolicyContinue })
	c.reconcile(false)
	key, lacking, pkg := "site", "repository.labels.site", "new"
	c.edits(func(s *v1alpha2.PackageVariantSetSpec) {
		s.AllowEmpty = true
		s.Targets[0].Template = &v1alpha2.PackageVariantTemplate{
			Downstream: &v1alpha2.DownstreamTemplate{Package: &pkg},
			LabelExprs: []v1alpha2.MapExpr{{Key: &key, ValueExpr: &lacking}},
		}
	})
	writes, ready := c.reconcile(false)
	if diff := cmp.Diff([]string{status}, writes); diff != "" || ready != "2/0/0 ExpansionFailed" {
		t.Errorf("%s; writes (-want +got):\n%s", ready, diff)
	}
	kept := "2 variants that no target makes are kept until that is corrected, for any of them may belong to what fails: " +
		expansion.Name("web", "a", "web") + ", " + expansion.Name("web", "b", "web")
	if got := c.message(); !strings.HasSuffix(got, kept) {
		t.Errorf("the message does not say what is kept:\n%s", got)
	}
}

// TestRefused checks that a variant which the API server refuses holds up no other: it is left out before anything is
// written, in a rollout and without one.
func TestRefused(t *testing.T) {
	t.Parallel()
	webA, webB := expansion.Name("web", "a", "web"), expansion.Name("web", "b", "web")
	const creates = "create packagevariants "
	const message = "1 of 2 variants are refused by the API server and stay as they are: a/web: cannot create " +
		"PackageVariant web-a: not here"
	one := intstr.FromInt32(1)
	for name, test := range map[string]struct {
		rollout *v1alpha2.Rollout
		ready   string
		writes  []string
		message string
		waves   []v1alpha2.WaveStatus
	}{
		"without a rollout": {
			ready:   "2/1/0 VariantRefused",
			writes:  []string{creates + webB, status},
			message: message,
		},
		"in a rollout, one after the other": {
			rollout: &v1alpha2.Rollout{Waves: []v1alpha2.Wave{{Name: "all", Selector: &metav1.LabelSelector{}, MaxConcurrent: &one}}},
			ready:   "2/1/0 RolloutProgressing",
			writes:  []string{creates + webB, status, status},
			message: "wave all (1 of 1): 0 of 1 targets are Published with blueprints.web.v2; " + message,
			waves:   []v1alpha2.WaveStatus{{Name: "all", State: "Progressing", Targets: 1, Updated: 1, Message: "0 of 1 targets are Published with blueprints.web.v2"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, func(s *v1alpha2.PackageVariantSetSpec) {
				s.ErrorPolicy, s.Rollout = v1alpha2.ErrorPolicyContinue, test.rollout
			})
			c.Objects.Admit = func(_ context.Context, pv *v1alpha1.PackageVariant) error {
				if pv.Name == webA {
					return errors.New("not here")
				}
				return nil
			}
			writes, ready := c.reconcile(false)
			if diff := cmp.Diff(test.writes, writes); diff != "" || ready != test.ready {
				t.Errorf("ready %q; writes (-want +got):\n%s", ready, diff)
			}
			if diff := cmp.Diff(strings.ReplaceAll(test.message, "web-a", webA), c.message()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			set := c.set()
			if diff := cmp.Diff([]string{webA + " VariantRefused"}, failureNames(set.Status.Failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
			var waves []v1alpha2.WaveStatus
			if set.Status.Rollout != nil {
				waves = set.Status.Rollout.Waves
			}
			if diff := cmp.Diff(test.waves, waves, cmpopts.IgnoreTypes(metav1.Time{}, &metav1.Time{})); diff != "" {
				t.Errorf("waves (-want +got):\n%s", diff)
			}
			c.Objects.Admit = nil
			if writes, _ := c.reconcile(false); !slices.Contains(writes, creates+webA) && test.rollout == nil {
				t.Errorf("it is not refused any more, and not made: %v", writes)
			}
		})
	}
}

func failureNames(failures []v1alpha2.VariantFailure) (names []string) {
	for _, f := range failures {
		names = append(names, f.Variant+" "+f.Reason)
	}
	return names
}
