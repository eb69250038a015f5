// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Is implements memorytest.Player: what the sets report, what they ask of their variants, and which packages there are.
func (f *fleet) Is() map[string]string {
	f.T.Helper()
	all := map[string]string{}
	for _, set := range f.sets() {
		all["set "+set.Name] = strings.Join(append(statusOf(&set), f.comesBack(set.Name)...), "\n  ")
	}
	for _, pv := range f.made() {
		all[pv.Name] = strings.Join(f.variant(&pv), "\n  ")
	}
	for _, r := range f.Revisions() {
		if r.Package.Repo != "blueprints" {
			all[r.Name] = fmt.Sprintf("%s, revision %d, owned by %v", r.Lifecycle, r.Number, revision.Variants(r.Owners))
		}
	}
	return all
}

// comesBack says after how long a set is reconciled again although nothing changes.
func (f *fleet) comesBack(name string) []string {
	if after := f.again[name]; after > 0 {
		return []string{"reconciled again after " + after.String()}
	}
	return nil
}

// statusOf returns what a set reports: those of its conditions that are True, and Ready.
func statusOf(set *v1alpha2.PackageVariantSet) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	status := &set.Status
	for _, c := range status.Conditions {
		if c.Type == v1alpha1.ConditionReady || c.Status == metav1.ConditionTrue {
			add("%s %s %s: %s", c.Type, c.Status, c.Reason, c.Message)
		}
	}
	add("desired %d, current %d, ready %d", status.Desired, status.Current, status.Ready)
	if c := status.Counts; c != nil {
		add("upToDate %d, updated %d, pendingApproval %d, suspended %d, failed %d", c.UpToDate, c.Updated, c.PendingApproval,
			c.Suspended, c.Failed)
		for _, w := range c.Waiting {
			add("waiting %s: %s", w.Variant, w.Reason)
		}
	}
	for _, failure := range status.Failures {
		add("failed %s: %s since %s", failure.Variant, failure.Reason, failure.Since.UTC().Format("15:04:05"))
	}
	if r := status.Rollout; r != nil {
		add("rollout of %s: %s, wave %q", r.Revision.Name, r.Phase, r.Wave)
		if r.PreviousRevision != nil {
			add("previous revision %s", r.PreviousRevision.Name)
		}
		for _, w := range r.Waves {
			add("wave %s: %s since %s, targets %d, updated %d, reached %d, failed %d, suspended %d. %s", w.Name, w.State,
				w.Since.UTC().Format("15:04:05"), w.Targets, w.Updated, w.Reached, w.Failed, w.Suspended, w.Message)
		}
	}
	if set.Spec.Rollout == nil { // one with a rollout is planned each time
		add("settled %t", status.ObservedInputs != "")
	}
	return lines
}

// variant returns what is asked of a variant, whose it is, and how it stands.
func (f *fleet) variant(pv *v1alpha1.PackageVariant) []string {
	f.T.Helper()
	spec := pv.Spec.DeepCopy()
	spec.Upstream, spec.Downstream = nil, nil
	rest, err := json.Marshal(spec)
	f.Must(err)
	var owners []string
	for _, ref := range pv.OwnerReferences {
		owners = append(owners, ref.Name)
	}
	u, d := pv.Spec.Upstream, pv.Spec.Downstream
	lines := []string{fmt.Sprintf("%s/%s@%s%s in %s/%s, owned by %v (%q)", u.Repo, u.Package, u.Revision.String(),
		u.WorkspaceName, d.Repo, d.Package, owners, pv.Labels[v1alpha2.OwnerLabel])}
	if string(rest) != "{}" {
		lines = append(lines, string(rest))
	}
	if at := pv.Annotations[v1alpha2.OpenedAtAnnotation]; at != "" {
		lines = append(lines, "opened at "+at)
	}
	if !pv.DeletionTimestamp.IsZero() {
		lines = append(lines, "being deleted")
	}
	ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != pv.Generation {
		ready = &metav1.Condition{Reason: v1alpha1.ReasonPending}
	}
	return append(lines, fmt.Sprintf("Ready {ready:%t injected:%t reason:%s}", ready.Status == metav1.ConditionTrue,
		ready.Reason != v1alpha1.ReasonPending &&
			meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionConfigInjected), ready.Reason))
}
