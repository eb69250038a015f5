// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rolloutSet is a set over the Repositories with the label wave, which publishes its drafts by itself.
const rolloutSet = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositorySelector: {matchExpressions: [{key: wave, operator: Exists}]}
    template: {approvalPolicy: Automatic}
  rollout:
`

const canaryThenSites = `    waves:
    - {name: canary, selector: {matchLabels: {wave: canary}}, after: {approval: true}}
    - {name: sites, selector: {matchLabels: {wave: sites}}, maxConcurrent: 1}
`

// site registers a Repository of a wave.
func (w *world) site(name, wave string) {
	w.t.Helper()
	w.Repository(name, map[string]string{"wave": wave}, false)
}

// approveWave approves a wave of the set as kubectl annotate does.
func (w *world) approveWave(approval string) {
	w.t.Helper()
	w.kubectl("annotate", "packagevariantset", "fleet", "--namespace="+w.Namespace, "--overwrite",
		v1alpha2.ApproveWaveAnnotation+"="+approval)
}

// waitRollout waits until the set has a phase, a reason of its condition Ready, and these waves, each with its state
// and its targets, updated, reached, and failed.
func (w *world) waitRollout(phase, reason string, waves ...string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the rollout is %s, with the waves %v", phase, waves), func() error {
		set := w.set()
		if set.Status.Rollout == nil {
			return fmt.Errorf("there is none: %+v", set.Status.Conditions)
		}
		var got []string
		for _, s := range set.Status.Rollout.Waves {
			got = append(got, fmt.Sprintf("%s %s %d/%d/%d/%d", s.Name, s.State, s.Targets, s.Updated, s.Reached, s.Failed))
		}
		if diff := cmp.Diff(waves, got); diff != "" {
			return fmt.Errorf("waves (-want +got):\n%s%s", diff, w.standing())
		}
		ready := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionReady)
		if got := string(set.Status.Rollout.Phase); got != phase || ready == nil || ready.Reason != reason ||
			ready.ObservedGeneration != set.Generation {
			return fmt.Errorf("it is %s, and the condition Ready is %+v", got, ready)
		}
		return nil
	})
	w.atRest()
}

// on returns the upstream revisions in the specs of the set's variants, by their Repositories.
func (w *world) on() map[string]string {
	w.t.Helper()
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, pv := range list.Items {
		out[pv.Spec.Downstream.Repo] = pv.Spec.Upstream.Revision.String()
	}
	return out
}

func (w *world) expectOn(want map[string]string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.on()); diff != "" {
		w.t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

// TestRollout brings two revisions to a canary and, once that is approved, to two sites, one after the other.
func TestRollout(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.site("alpha", "canary")
	w.site("north", "sites")
	w.site("south", "sites")
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newSet(t, rolloutSet+canaryThenSites))
	c := w.start()
	w.waitRollout("AwaitingApproval", "RolloutAwaitingApproval", "canary AwaitingApproval 1/1/1/0", "sites Pending 2/0/0/0")
	w.expectOn(map[string]string{"alpha": "1"})
	w.approveWave("canary@v1")
	w.waitRollout("Complete", "VariantsReady", "canary Complete 1/1/1/0", "sites Complete 2/2/2/0")
	w.expectOn(map[string]string{"alpha": "1", "north": "1", "south": "1"})

	// The approval was for the first revision: the second one stops at the canary again.
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitRollout("AwaitingApproval", "RolloutAwaitingApproval", "canary AwaitingApproval 1/1/1/0", "sites Pending 2/0/0/0")
	w.expectOn(map[string]string{"alpha": "2", "north": "1", "south": "1"})
	w.quiet(c)
	w.approveWave("canary@blueprints.web.v2")
	w.waitRollout("Complete", "VariantsReady", "canary Complete 1/1/1/0", "sites Complete 2/2/2/0")
	status := w.set().Status
	if diff := cmp.Diff(&v1alpha2.VariantCounts{Desired: 3, UpToDate: 3, Updated: 3}, status.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	want := &v1alpha2.RolloutRevision{Name: "blueprints.web.v1", Revision: 1}
	if diff := cmp.Diff(want, status.Rollout.PreviousRevision); diff != "" {
		t.Errorf("previous revision (-want +got):\n%s", diff)
	}
	w.quiet(c)

	// Going back is a rollout like any other.
	w.Apply(newSet(t, strings.Replace(rolloutSet+canaryThenSites, "revision: latest", "revision: 1", 1)))
	w.waitRollout("AwaitingApproval", "RolloutAwaitingApproval", "canary AwaitingApproval 1/1/1/0", "sites Pending 2/0/0/0")
	w.expectOn(map[string]string{"alpha": "1", "north": "2", "south": "2"})
}

// standing returns the state of the set's variants.
func (w *world) standing() string {
	w.t.Helper()
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	var out strings.Builder
	for _, pv := range list.Items {
		fmt.Fprintf(&out, "%s:\n", pv.Name)
		for _, c := range pv.Status.Conditions {
			fmt.Fprintf(&out, "  %s %s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
		}
	}
	return out.String()
}
