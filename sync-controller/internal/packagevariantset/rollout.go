// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/rollout"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rollOut plans the rollout of a set, and holds back in the input what is not to be written yet. Of a set without one,
// the variants are counted. Nothing is opened by a cache that may be behind: the variants are read from the API server
// then.
func (r *Reconciler) rollOut(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) error {
	view, places := in.rolloutInput(set)
	if set.Spec.Rollout == nil {
		in.rolled.Counts, in.rolled.Failures = rollout.Count(view)
		return nil
	}
	in.rolled = rollout.Plan(view)
	if in.rolled.ReadLive {
		var err error
		if in.existing, err = r.liveVariants(ctx, set.Namespace, in); err != nil {
			return err
		}
		view, places = in.rolloutInput(set)
		view.Live = true
		in.rolled = rollout.Plan(view)
	}
	if !set.Spec.Suspend { // what a suspended set would do is told as if there were no waves
		in.holdBack(places)
	}
	return nil
}

// rolloutInput returns what a rollout depends on, and where each of its variants is among those that are wanted.
func (in *input) rolloutInput(set *v1alpha2.PackageVariantSet) (view *rollout.Input, places []int) {
	view = &rollout.Input{
		Namespace: set.Namespace, Name: set.Name, Spec: set.Spec.Rollout, Suspended: set.Spec.Suspend,
		Approvals: set.Annotations[v1alpha2.ApproveWaveAnnotation], Status: set.Status.Rollout,
		Failures: set.Status.Failures, Now: time.Now(),
	}
	find := in.finder()
	seen := map[v1alpha1.ResolvedUpstream]bool{}
	add := func(v rollout.Variant, place int) {
		v.Upstream = find(v.Want.Upstream)
		if !seen[v.Upstream] {
			seen[v.Upstream] = true
			view.Upstreams = append(view.Upstreams, v.Upstream)
		}
		view.Variants, places = append(view.Variants, v), append(places, place)
	}
	owned := in.owned()
	if in.settled {
		for _, pv := range owned {
			add(rollout.Variant{Name: pv.Name, Want: &pv.Spec, Have: pv}, 0)
		}
		return view, nil
	}
	for _, x := range in.excluded {
		view.Excluded = append(view.Excluded, rollout.Excluded{Name: cmp.Or(x.Name, x.Target),
			Reason: v1alpha2.ReasonExpansionFailed})
	}
	matches, _ := in.match(owned)
	names := in.names()
	in.waves = map[string]string{}
	for i := range in.wanted {
		want := &in.wanted[i]
		v := rollout.Variant{Name: want.Name, Wave: want.Annotations[v1alpha2.WaveAnnotation], Want: &want.Spec,
			Have: matches[i]}
		switch {
		case v.Have != nil:
			v.Name = v.Have.Name
		case names[want.Name] != nil:
			view.Excluded = append(view.Excluded, rollout.Excluded{Name: want.Name, Reason: v1alpha2.ReasonNameTaken})
			continue
		}
		add(v, i)
		in.waves[v.Name] = v.Wave
	}
	return view, places
}

// finder returns a function that finds the package revision that an upstream stands for, once for each.
func (in *input) finder() func(*variant.Upstream) v1alpha1.ResolvedUpstream {
	found := map[variant.Upstream]v1alpha1.ResolvedUpstream{}
	return func(u *variant.Upstream) v1alpha1.ResolvedUpstream {
		if u == nil {
			return v1alpha1.ResolvedUpstream{}
		}
		if known, is := found[*u]; is {
			return known
		}
		var resolved v1alpha1.ResolvedUpstream
		if pr := expansion.FindUpstream(u, in.revisions); pr != nil {
			number, _ := strconv.Atoi(pr.Revision) // of a draft there is none
			resolved = v1alpha1.ResolvedUpstream{Name: pr.Name, Revision: number}
		}
		found[*u] = resolved
		return resolved
	}
}

// holdBack makes the wanted variants what the steps of the rollout say: those that are held are as they are, or not
// wanted yet.
func (in *input) holdBack(places []int) {
	in.heldBack = map[string]bool{}
	later := map[int]bool{}
	for k := range in.rolled.Steps {
		s, i := &in.rolled.Steps[k], places[k]
		in.wanted[i].Annotations = nil
		if s.Held {
			in.heldBack[s.Variant] = true
		}
		if s.Spec == nil {
			later[i] = true
			continue
		}
		in.wanted[i].Spec = *s.Spec.DeepCopy()
		if s.Action == rollout.Open {
			in.wanted[i].Annotations = map[string]string{v1alpha2.OpenedAtAnnotation: in.rolled.OpenedAt}
		}
	}
	var now []v1alpha1.PackageVariant
	for i := range in.wanted {
		if !later[i] {
			now = append(now, in.wanted[i])
		}
	}
	in.wanted = now
}

// liveVariants returns the existing variants as they are now. Those that the cache has and that lack the set's label
// are read one by one.
func (r *Reconciler) liveVariants(ctx context.Context, namespace string,
	in *input) ([]v1alpha1.PackageVariant, error) {
	var list v1alpha1.PackageVariantList
	if err := r.live.List(ctx, &list, client.InNamespace(namespace),
		client.MatchingLabels{v1alpha2.OwnerLabel: string(in.owner.uid)}); err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(list.Items))
	for i := range list.Items {
		known[list.Items[i].Name] = true
	}
	for i := range in.existing {
		if known[in.existing[i].Name] {
			continue
		}
		var pv v1alpha1.PackageVariant
		err := r.live.Get(ctx, client.ObjectKeyFromObject(&in.existing[i]), &pv)
		if err == nil {
			list.Items = append(list.Items, pv)
		} else if !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return list.Items, nil
}

// writeRollout writes where the rollout is going to stand, before anything is opened, unless the set has changed since
// it was read: of several writers one opens.
func (r *Reconciler) writeRollout(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) error {
	before := set.DeepCopy()
	set.Status.Rollout = nil
	if set.Spec.Rollout != nil {
		set.Status.Rollout = in.rolled.Status.DeepCopy()
	}
	if equality.Semantic.DeepEqual(before.Status, set.Status) {
		return nil
	}
	if err := r.client.Status().Patch(ctx, set, client.MergeFromWithOptions(before,
		client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot write where the rollout stands: %w", err)
	}
	return nil
}
