// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// atRest records that the controller has finished what was applied, which is compared with the prediction.
func (w *world) atRest() {
	w.t.Helper()
	w.busy = false
	w.cameTrue()
}

// cameTrue waits until each variant and each set that the plan names is as predicted.
func (w *world) cameTrue() {
	w.t.Helper()
	p := w.planned
	if p == nil {
		return
	}
	w.planned, w.busy = nil, false
	for i := range p.Variants {
		w.variantCame(p, &p.Variants[i])
	}
	for i := range p.Sets {
		w.setCame(&p.Sets[i])
	}
	w.came++
}

// comparedPlans fails a smoke test that has compared no plan.
func (w *world) comparedPlans() {
	if smoke[w.test()] && w.came == 0 && runtime == "" && !w.t.Failed() {
		w.t.Error("no plan was compared with what came")
	}
}

// variantCame waits until a variant is as predicted, with its drafts, file for file.
func (w *world) variantCame(p *plan, v *plannedVariant) {
	w.t.Helper()
	if v.Error != "" {
		return // the plan says nothing about it
	}
	for _, d := range v.Drafts {
		if len(v.Unforeseen) == 0 { // a plan does not predict what other pipelines do
			w.draftCame(p, d.Name)
		}
	}
	w.Eventually("what becomes of "+v.Name+" is what was planned", func() error {
		var pv v1alpha1.PackageVariant
		err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: v.Name}, &pv)
		switch held := v.Condition.Reason == "WaveNotOpen"; {
		case v.Condition.Reason == "" && apierrors.IsNotFound(err), held && client.IgnoreNotFound(err) == nil:
			return nil
		case err != nil:
			return err
		}
		if ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady); ready != nil &&
			len(v.Unforeseen) > 0 && slices.Contains([]string{ready.Reason, v.Condition.Reason}, v1alpha1.ReasonRenderFailed) {
			return nil // a plan does not predict whether other pipelines fail
		}
		if diff := cmp.Diff(unmetOf(pv.Status.Conditions), v.Unmet); diff != "" {
			return fmt.Errorf("what is unmet (-came +planned):\n%s", diff)
		}
		return v.Condition.diff(pv.Generation, pv.Status.Conditions)
	})
	w.t.Logf("planned and came true: %s of %s", v.Action, v.Name)
}

// draftCame waits until a draft has the predicted files.
func (w *world) draftCame(p *plan, name string) {
	w.t.Helper()
	want := map[string]string(tree.Load(w.t, p.dir, name))
	w.Eventually("the files of "+name+" are those planned", func() error { // a variant can be ready before a step
		var prr porchapi.PackageRevisionResources
		key := client.ObjectKey{Namespace: w.Namespace, Name: name}
		if err := w.Client.Get(w.t.Context(), key, &prr); err != nil {
			return err
		}
		if len(prr.Spec.Resources) == 0 {
			return errors.New("it has none")
		}
		if w.stack.Cache() == stack.DBCache { // a plan does not know the commit of an upstream
			prr.Spec.Resources["Kptfile"] = lockedCommit.ReplaceAllString(prr.Spec.Resources["Kptfile"], "")
			want["Kptfile"] = lockedCommit.ReplaceAllString(want["Kptfile"], "")
		}
		if w.stack.Foreign() {
			prr.Spec.Resources["Kptfile"] = plainKptfile(prr.Spec.Resources["Kptfile"])
			want["Kptfile"] = plainKptfile(want["Kptfile"])
		}
		if diff := cmp.Diff(prr.Spec.Resources, want); diff != "" {
			return fmt.Errorf("(-came +planned):\n%s", diff)
		}
		return nil
	})
}

// setCame waits until the status of a set is the predicted one.
func (w *world) setCame(s *plannedSet) {
	w.t.Helper()
	if s.Error != "" {
		return
	}
	w.Eventually("what is said of the set "+s.Name+" is what was planned", func() error {
		var set v1alpha2.PackageVariantSet
		key := client.ObjectKey{Namespace: w.Namespace, Name: s.Name}
		if err := w.Client.Get(w.t.Context(), key, &set); err != nil {
			return err
		}
		if diff := cmp.Diff(wavesOf(&set), s.Waves); diff != "" {
			return fmt.Errorf("waves (-came +planned):\n%s", diff)
		}
		c := s.Condition // a plan does not know the uid of a set that it creates
		c.Message = strings.Replace(c.Message, "its uid, once it exists", fmt.Sprintf("%q", set.UID), 1)
		return c.diff(set.Generation, set.Status.Conditions)
	})
	w.t.Logf("planned and came true: %s of the set %s", s.Condition.Reason, s.Name)
}

// diff returns an error unless the conditions of a generation are the predicted ones.
func (c plannedCondition) diff(generation int64, conditions []metav1.Condition) error {
	var got plannedCondition
	if ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady); ready != nil {
		if ready.ObservedGeneration != generation {
			return fmt.Errorf("it is of generation %d, and not yet of %d", ready.ObservedGeneration, generation)
		}
		got = plannedCondition{Reason: ready.Reason, Message: ready.Message}
	}
	for _, typ := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling} {
		if meta.IsStatusConditionTrue(conditions, typ) {
			got.Type = typ
		}
	}
	if diff := cmp.Diff(got, c); diff != "" {
		return fmt.Errorf("(-came +planned):\n%s", diff)
	}
	return nil
}

// void drops the prediction: something it depends on changes before it has come true.
func (w *world) void() { w.planned = nil }

// Repository registers a git repository, as Fleet.Repository does, which no plan knew of.
func (w *world) Repository(name string, labels map[string]string, deployment bool) {
	w.t.Helper()
	w.void()
	w.Fleet.Repository(name, labels, deployment)
}

// voiding is a client that calls void at each write.
type voiding struct {
	client.Client
	void func()
}

// Create implements client.Writer.
func (c voiding) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	c.void()
	return c.Client.Create(ctx, o, opts...)
}

// Update implements client.Writer.
func (c voiding) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	c.void()
	return c.Client.Update(ctx, o, opts...)
}

// Patch implements client.Writer.
func (c voiding) Patch(ctx context.Context, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
	c.void()
	return c.Client.Patch(ctx, o, patch, opts...)
}

// Apply implements client.Writer.
func (c voiding) Apply(ctx context.Context, o apiruntime.ApplyConfiguration, opts ...client.ApplyOption) error {
	c.void()
	return c.Client.Apply(ctx, o, opts...)
}

// Delete implements client.Writer.
func (c voiding) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	c.void()
	return c.Client.Delete(ctx, o, opts...)
}

// SubResource implements client.Client. Tests ask for one to write to it.
func (c voiding) SubResource(name string) client.SubResourceClient {
	c.void()
	return c.Client.SubResource(name)
}

// Status implements client.StatusClient.
func (c voiding) Status() client.SubResourceWriter {
	c.void()
	return c.Client.Status()
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
