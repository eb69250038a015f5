// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// States that are no condition's.
const (
	statePending   = "Pending"
	stateSuspended = v1alpha1.ConditionSuspended
	stateBranch    = "Branch"
)

// set returns the node of a set with the given variants. Variants of a rollout are grouped by wave where the waves are
// known.
func (b *builder) set(set *v1alpha2.PackageVariantSet, variants []*v1alpha1.PackageVariant) *Node {
	n := &Node{Kind: naming.Set.Name, Name: set.Name}
	b.stand(n, set.Status.Conditions, set.Generation, set.Status.ObservedGeneration)
	waves := map[string]*Node{}
	if set.Status.Rollout != nil {
		for i := range set.Status.Rollout.Waves {
			w := wave(&set.Status.Rollout.Waves[i])
			waves[w.Name] = w
			n.Children = append(n.Children, w)
		}
	}
	for _, pv := range variants {
		if w := waves[b.Waves[set.Name].Of(pv)]; w != nil {
			w.Children = append(w.Children, b.variant(pv))
		} else {
			n.Children = append(n.Children, b.variant(pv))
		}
	}
	return n
}

func wave(w *v1alpha2.WaveStatus) *Node {
	return &Node{Kind: "Wave", Name: w.Name, State: string(w.State), Message: w.Message, Since: &w.Since,
		Reason: fmt.Sprintf("%d/%d", w.Reached, w.Targets)}
}

// variant returns the node of a variant with its downstream revisions: the latest published one, the open ones, and
// those proposed for deletion. Packages made from it appear below the first of them.
func (b *builder) variant(pv *v1alpha1.PackageVariant) *Node {
	n := &Node{Kind: naming.Variant.Name, Name: pv.Name}
	b.stand(n, pv.Status.Conditions, pv.Generation, pv.Status.ObservedGeneration)
	switch u := pv.Status.Upstream; {
	case u != nil && u.Revision > 0:
		n.Revision = fmt.Sprintf("v%d", u.Revision)
	case u != nil && u.Revision < 0:
		n.Revision = "main"
	}
	if pv.Spec.Downstream == nil {
		return n
	}
	pkg := revision.DownstreamOf(&pv.Spec)
	var of []revision.Revision
	for i := range b.Revisions {
		if r := &b.Revisions[i]; r.Package == pkg && !r.Main() {
			of = append(of, *r)
		}
	}
	below := n
	latest := revision.LatestPublished(of)
	for i := range of {
		if of[i].Lifecycle == revision.Published && of[i].Name != latest.Name {
			continue
		}
		child := downstreamNode(pv, &of[i])
		if latest != nil && child.Name == latest.Name {
			below = child
		}
		n.Children = append(n.Children, child)
	}
	below.Children = append(below.Children, b.derived(pkg)...)
	return n
}

// downstreamNode returns the node of a downstream revision of a variant, with the upstream that it is on now.
func downstreamNode(pv *v1alpha1.PackageVariant, r *revision.Revision) *Node {
	n := revisionNode(r)
	if now := upstreamNow(pv, n.Name); n.Message != "" && now != "" && now != r.Task.Source {
		n.Message += ", and is on " + now
	}
	return n
}

// upstreamNow returns the upstream that a variant's target is on; "" while the target is being updated.
func upstreamNow(pv *v1alpha1.PackageVariant, target string) string {
	isTarget := func(t v1alpha1.DownstreamTarget) bool { return t.Name == target }
	if pv.Status.Upstream == nil || pv.Status.ObservedGeneration < pv.Generation ||
		!meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady) ||
		!slices.ContainsFunc(pv.Status.DownstreamTargets, isTarget) {
		return ""
	}
	return pv.Status.Upstream.Name
}

func revisionNode(r *revision.Revision) *Node {
	n := &Node{Kind: naming.Revision.Name, Name: r.Name, Revision: number(r), State: string(r.Lifecycle), Since: since(r)}
	if !r.Open() {
		return n
	}
	n.Reason = string(r.Task.Type)
	if r.Task.Source != "" {
		n.Message = "made from " + r.Task.Source
	}
	return n
}

// Stand returns a node with the state of one of our objects, from its conditions and the generations of it.
func Stand(in *Input, conditions []metav1.Condition, generation, observed int64) *Node {
	n := &Node{}
	(&builder{Input: in}).stand(n, conditions, generation, observed)
	return n
}

// stand sets the state of one of our objects from its conditions.
func (b *builder) stand(n *Node, conditions []metav1.Condition, generation, observed int64) {
	if len(conditions) == 0 || observed < generation {
		n.State, n.Message = statePending, b.Controller+" has not looked at it yet"
		if len(conditions) > 0 {
			n.Message = fmt.Sprintf("%s has not looked at its generation %d yet", b.Controller, generation)
		}
		return
	}
	for _, kind := range []string{v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling, v1alpha1.ConditionReady} {
		c := meta.FindStatusCondition(conditions, kind)
		if c == nil || c.Status != metav1.ConditionTrue {
			continue
		}
		n.State, n.Reason, n.Since = kind, c.Reason, &c.LastTransitionTime
		if kind != v1alpha1.ConditionReady {
			n.Message = c.Message
		}
		break
	}
	if c := meta.FindStatusCondition(conditions, v1alpha1.ConditionSuspended); c != nil {
		n.State, n.Message, n.Since = stateSuspended, c.Message, &c.LastTransitionTime
	}
	var more []string
	for _, aspect := range aspects {
		c := meta.FindStatusCondition(conditions, aspect.kind)
		if c != nil && c.Status == aspect.tells && n.State == v1alpha1.ConditionReady {
			more = append(more, fmt.Sprintf("%s (%s): %s", c.Type, c.Reason, c.Message))
		}
	}
	if len(more) > 0 {
		n.Message = strings.Join(more, "; ")
	}
}

// aspects are the conditions other than Ready that are shown when they have the given status.
var aspects = []struct {
	kind  string
	tells metav1.ConditionStatus
}{
	{v1alpha1.ConditionConflicted, metav1.ConditionTrue},
	{v1alpha1.ConditionConfigInjected, metav1.ConditionFalse},
	{v1alpha1.ConditionApproved, metav1.ConditionFalse},
}
