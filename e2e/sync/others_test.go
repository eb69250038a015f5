// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// variantBefore is a variant when a plan was made.
type variantBefore struct {
	// asked is its spec and its metadata, as far as sets write them.
	asked string
	// ready is its condition Ready without the lifecycle of its target; empty unless that was True, and of its spec.
	ready plannedCondition
}

// noLifecycle takes the lifecycle out of a message: what a test has proposed and approved just before, the controller hears
// while the plan is made.
var noLifecycle = strings.NewReplacer(" (Draft)", "", " (Proposed)", "", " (Published)", "")

// variantsNow returns the variants of the namespace, without those that are being deleted.
func (w *world) variantsNow() map[string]variantBefore {
	w.t.Helper()
	out, err := w.listVariants()
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// listVariants is variantsNow for use in a retried check.
func (w *world) listVariants() (map[string]variantBefore, error) {
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		return nil, err
	}
	out := map[string]variantBefore{}
	for i := range list.Items {
		pv := &list.Items[i]
		if !pv.DeletionTimestamp.IsZero() {
			continue
		}
		asked, err := json.Marshal([]any{pv.Generation, pv.Labels, pv.Annotations, pv.OwnerReferences})
		if err != nil {
			return nil, err
		}
		v := variantBefore{asked: string(asked)}
		ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
		if ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == pv.Generation {
			v.ready = plannedCondition{Type: ready.Type, Reason: ready.Reason, Message: noLifecycle.Replace(ready.Message)}
		}
		out[pv.Name] = v
	}
	return out, nil
}

// written are the names of the variants that are written, as a plan says it of sets.
type written struct{ Created, Updated, Deleted []string }

// noOtherCame waits until sets have created, updated and deleted the variants that the plan says, and held back all
// others, and until a variant that was ready and is not in the plan is as it was.
func (w *world) noOtherCame(p *plan) {
	w.t.Helper()
	var want written
	for i := range p.Sets {
		s := &p.Sets[i]
		if s.Error != "" {
			return
		}
		want.Created, want.Updated = append(want.Created, s.Created...), append(want.Updated, s.Updated...)
		want.Deleted = append(want.Deleted, s.Deleted...)
	}
	slices.Sort(want.Created)
	slices.Sort(want.Updated)
	slices.Sort(want.Deleted)
	w.Eventually("nothing else is written", func() error {
		now, err := w.listVariants()
		if err != nil {
			return err
		}
		if diff := cmp.Diff(p.writtenUntil(now), want); diff != "" {
			return fmt.Errorf("variants of sets (-came +planned):\n%s", diff)
		}
		for name, was := range p.before {
			is, there := now[name]
			planned := slices.ContainsFunc(p.Variants, func(v plannedVariant) bool { return v.Name == name })
			if there && !planned && was.ready.Type != "" && was.ready != is.ready {
				return fmt.Errorf("%s is not in the plan, and was %v: now it is %v", name, was.ready, is.ready)
			}
		}
		return nil
	})
}

// writtenUntil returns the variants that were written since the plan was made, without those that the test wrote.
func (p *plan) writtenUntil(now map[string]variantBefore) written {
	var out written
	for name, is := range now {
		switch was, there := p.before[name]; {
		case slices.Contains(p.applied, name):
		case !there:
			out.Created = append(out.Created, name)
		case was.asked != is.asked:
			out.Updated = append(out.Updated, name)
		}
	}
	for name := range p.before {
		if _, there := now[name]; !there && !slices.Contains(p.applied, name) {
			out.Deleted = append(out.Deleted, name)
		}
	}
	slices.Sort(out.Created)
	slices.Sort(out.Updated)
	slices.Sort(out.Deleted)
	return out
}

// unmetOf returns the conditions besides Ready that are False, as a plan lists them.
func unmetOf(conditions []metav1.Condition) []plannedCondition {
	var out []plannedCondition
	for _, typ := range []string{v1alpha1.ConditionConfigInjected, v1alpha1.ConditionApproved} {
		c := meta.FindStatusCondition(conditions, typ)
		if c != nil && c.Status == metav1.ConditionFalse && c.Reason != v1alpha1.ReasonNotReady {
			out = append(out, plannedCondition{Type: c.Type, Reason: c.Reason, Message: c.Message})
		}
	}
	return out
}

// wavesOf returns the waves of a set's rollout, as a plan lists them.
func wavesOf(set *v1alpha2.PackageVariantSet) []plannedWave {
	if set.Status.Rollout == nil {
		return nil
	}
	var out []plannedWave
	for _, w := range set.Status.Rollout.Waves {
		out = append(out, plannedWave{Name: w.Name, State: string(w.State), Targets: int(w.Targets),
			Updated: int(w.Updated), Reached: int(w.Reached), Failed: int(w.Failed), Suspended: int(w.Suspended)})
	}
	return out
}
