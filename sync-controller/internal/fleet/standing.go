// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// standing is what the conditions of an object say, as labels.
type standing struct{ namespace, state, reason string }

// standingOf returns the standing of an object of a generation. If the conditions are about an older generation, that
// counts as pending. A reason that the API does not define is Other.
func standingOf(namespace string, generation int64, conditions []metav1.Condition) standing {
	s := standing{namespace: namespace, state: v1alpha1.ConditionReconciling, reason: v1alpha1.ReasonPending}
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != generation {
		return s
	}
	for _, state := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled} {
		if meta.IsStatusConditionTrue(conditions, state) {
			s.state = state
			break
		}
	}
	if s.reason = ready.Reason; !slices.Contains(reasons, s.reason) {
		s.reason = other
	}
	return s
}

// phases are those of a rollout.
var phases = []v1alpha2.RolloutPhase{
	v1alpha2.RolloutProgressing, v1alpha2.RolloutAwaitingApproval, v1alpha2.RolloutPaused, v1alpha2.RolloutStopped,
	v1alpha2.RolloutComplete,
}

// ofSet returns the series of one set, from its status.
func ofSet(set *v1alpha2.PackageVariantSet) (all []prometheus.Metric) {
	if c := set.Status.Counts; c != nil {
		for _, s := range []count{
			{"Desired", c.Desired}, {"UpToDate", c.UpToDate}, {"Updated", c.Updated},
			{"PendingApproval", c.PendingApproval}, {"Conflicted", c.Conflicted}, {"Suspended", c.Suspended},
			{"Failed", c.Failed},
		} {
			all = append(all, gauge(targets, float64(s.count), set.Namespace, set.Name, s.state))
		}
	}
	r := set.Status.Rollout
	if r == nil {
		return all
	}
	for _, phase := range phases {
		is := 0.0
		if r.Phase == phase {
			is = 1
		}
		all = append(all, gauge(rollouts, is, set.Namespace, set.Name, string(phase)))
	}
	for i := range r.Waves {
		w := &r.Waves[i]
		for _, s := range []count{
			{"Desired", w.Targets}, {"Updated", w.Updated}, {"Reached", w.Reached}, {"Failed", w.Failed},
			{"Suspended", w.Suspended},
		} {
			all = append(all, gauge(waveTargets, float64(s.count), set.Namespace, set.Name, w.Name, s.state))
		}
	}
	return all
}

// count is how many targets are in a state.
type count struct {
	state string
	count int32
}
