// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/rollout"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"k8s.io/apimachinery/pkg/api/equality"
)

// rollOut matches wanted and existing variants, plans the rollout of the set, and holds back in the pairs what must not
// be written yet. Without a rollout, it counts the variants. Before it opens targets, it reads the variants from the
// API server, as the cache may be behind.
func (r *Reconciler) rollOut(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) ([]pair, error) {
	pairs := in.match()
	view, rolled := in.rolloutInput(set, pairs)
	if set.Spec.Rollout == nil {
		in.rolled.Counts, in.rolled.Failures = rollout.Count(view)
		return pairs, nil
	}
	in.rolled = rollout.Plan(view)
	if in.rolled.ReadLive {
		var err error
		if in.existing, err = r.liveVariants(ctx, set.Namespace, in); err != nil {
			return nil, fmt.Errorf("cannot read the set's PackageVariants: %w", err)
		}
		in.live = true
		return r.rollOut(ctx, set, in)
	}
	in.holdBack(rolled)
	return pairs, nil
}

// rolloutInput returns what a rollout depends on, and the pair of each of its variants.
func (in *input) rolloutInput(set *v1alpha2.PackageVariantSet, pairs []pair) (view *rollout.Input, rolled []*pair) {
	view = &rollout.Input{
		Namespace: set.Namespace, Name: set.Name, Spec: set.Spec.Rollout, Suspended: set.Spec.Suspend,
		Approvals: set.Annotations[v1alpha2.ApproveWaveAnnotation], Status: set.Status.Rollout,
		Failures: set.Status.Failures, Live: in.live, Now: time.Now(),
	}
	find := in.finder()
	seen := map[v1alpha1.ResolvedUpstream]bool{}
	add := func(v rollout.Variant) {
		v.Upstream = find(v.Want.Upstream)
		if !seen[v.Upstream] {
			seen[v.Upstream] = true
			view.Upstreams = append(view.Upstreams, v.Upstream)
		}
		view.Variants = append(view.Variants, v)
	}
	if in.settled {
		for _, pv := range in.owned() {
			add(rollout.Variant{Name: pv.Name, Want: &pv.Spec, Have: pv})
		}
		return view, nil
	}
	exclude := func(name, reason string) {
		view.Excluded = append(view.Excluded, rollout.Excluded{Name: name, Reason: reason})
	}
	in.waves = map[string]string{}
	for _, x := range in.excluded {
		exclude(cmp.Or(x.Name, x.Target), v1alpha2.ReasonExpansionFailed)
	}
	for _, x := range in.refused {
		exclude(x.Name, v1alpha2.ReasonVariantRefused)
	}
	for i := range pairs {
		p := &pairs[i]
		v := rollout.Variant{Name: p.want.Name, Wave: p.want.Annotations[v1alpha2.WaveAnnotation], Want: &p.want.Spec,
			Have: p.have}
		if p.namesake != nil {
			exclude(v.Name, v1alpha2.ReasonNameTaken)
			continue
		}
		if p.have != nil {
			v.Name = p.have.Name
		}
		add(v)
		in.waves[v.Name] = v.Wave
		rolled = append(rolled, p)
	}
	return view, rolled
}

// finder returns a function that finds the package revision of an upstream, and remembers it.
func (in *input) finder() func(*variant.Upstream) v1alpha1.ResolvedUpstream {
	found := map[variant.Upstream]v1alpha1.ResolvedUpstream{}
	return func(u *variant.Upstream) v1alpha1.ResolvedUpstream {
		if u == nil {
			return v1alpha1.ResolvedUpstream{}
		}
		if known, ok := found[*u]; ok {
			return known
		}
		var resolved v1alpha1.ResolvedUpstream
		if pr := expansion.FindUpstream(u, in.revisions); pr != nil {
			number, _ := strconv.Atoi(pr.Revision) // a draft has no number
			resolved = v1alpha1.ResolvedUpstream{Name: pr.Name, Revision: number}
		}
		found[*u] = resolved
		return resolved
	}
}

// holdBack sets what to write now for each pair, from the steps of the rollout: variants that are held stay as they
// are, or are not made yet. What a suspended set would do about them is reported as if there were no waves.
func (in *input) holdBack(rolled []*pair) {
	in.heldBack = map[string]bool{}
	for i := range in.rolled.Steps {
		s, p := &in.rolled.Steps[i], rolled[i]
		if s.Held && in.spec.Suspend {
			continue
		}
		if s.Held {
			in.heldBack[s.Variant] = true
		}
		if p.now = nil; s.Spec == nil {
			continue
		}
		now := *p.want
		now.Annotations = nil
		now.Spec = *s.Spec.DeepCopy()
		if s.Action == rollout.Open {
			now.Annotations = map[string]string{v1alpha2.OpenedAtAnnotation: in.rolled.OpenedAt}
		}
		p.now = &now
	}
}

// liveVariants returns the existing variants as they are now. Those that the cache has and that lack the set's label
// are read one by one.
func (r *Reconciler) liveVariants(ctx context.Context, namespace string,
	in *input) ([]v1alpha1.PackageVariant, error) {
	live, err := r.Sets.LiveVariants(ctx, namespace, in.owner.uid)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(live))
	for i := range live {
		known[live[i].Name] = true
	}
	for i := range in.existing {
		if known[in.existing[i].Name] {
			continue
		}
		pv, err := r.Sets.LiveVariant(ctx, namespace, in.existing[i].Name)
		if err != nil {
			return nil, err
		}
		if pv != nil {
			live = append(live, *pv)
		}
	}
	return live, nil
}

// writeRollout writes the next state of the rollout before any target is opened, with the failures, which count on when
// their wave is complete. It fails if the set has changed since it was read, so only one of several writers opens
// targets. A write that fails leaves set as it is, because the next one is a patch of it.
func (r *Reconciler) writeRollout(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) error {
	after := set.DeepCopy()
	after.Status.Rollout = nil
	if set.Spec.Rollout != nil && in.rolled.Status.Phase != "" {
		after.Status.Rollout, after.Status.Failures = in.rolled.Status.DeepCopy(), in.rolled.Failures
	}
	if equality.Semantic.DeepEqual(set.Status, after.Status) {
		return nil
	}
	if err := r.Sets.WriteSetStatus(ctx, set, after); err != nil {
		return fmt.Errorf("cannot write where the rollout stands: %w", err)
	}
	*set = *after
	return nil
}
