// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/bench/simulation"

	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// publishedPercent, suspendedPercent and awayPercent limit how much of the fleet is published, suspended, or outside
	// of all sets, so that the fleet keeps its size.
	publishedPercent = 5
	suspendedPercent = 1
	awayPercent      = 2
)

// change is a change with its targets.
type change struct {
	kind    string
	targets []int
	// do makes the change, while no other change has its targets.
	do func(context.Context) error
	// also returns another fault of a target, "" if there is none; nil if there is nothing else to check.
	also func(target int) string
	// waits says to wait for targets that are in another change.
	waits bool
}

// kind is a kind of change.
type kind struct {
	name string
	// of100 is how many of a hundred changes are of this kind.
	of100 int
	// draw chooses a change; nil if there is nothing to change.
	draw func(*rand.Rand) *change
}

// The kinds of changes.
const (
	published  = "an upstream revision is published"
	template   = "the template of a set is edited"
	facts      = "an object that is injected changes"
	left       = "a Repository leaves its set"
	joined     = "a Repository joins its set"
	edited     = "the spec of a variant is edited"
	suspended  = "a variant is suspended"
	resumed    = "a variant is resumed"
	approved   = "a draft is approved"
	recreation = "a variant is deleted, and created again"
)

// kinds returns the kinds of changes to a world.
func (w *world) kinds() []kind {
	return []kind{
		{published, 1, w.drawPublished}, {template, 1, w.drawTemplate}, {facts, 10, w.drawFacts},
		{left, 6, w.drawMoved}, {edited, 26, w.drawEdited}, {suspended, 26, w.drawSuspended},
		{approved, 15, w.drawApproved}, {recreation, 15, w.drawRecreated},
	}
}

// patch sends a merge patch.
func (w *world) patch(ctx context.Context, object client.Object, name string, patch any) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	object.SetNamespace(namespace)
	object.SetName(name)
	return w.client.Patch(ctx, object, client.RawPatch(types.MergePatchType, data))
}

// object is a part of an object as JSON.
type object = map[string]any

func (w *world) drawPublished(random *rand.Rand) *change {
	u := random.IntN(w.upstreams())
	return &change{kind: published, targets: w.following(u), waits: true, do: func(context.Context) error {
		return w.publish(u, w.next(w.versions, u))
	}}
}

func (w *world) drawTemplate(random *rand.Rand) *change {
	cell := random.IntN(w.cells())
	return &change{kind: template, targets: w.ofCell(cell), waits: true, do: func(ctx context.Context) error {
		set, err := w.set(cell)
		if err != nil {
			return err
		}
		targets := set.Spec.Targets
		targets[0].Template.PackageContext.Data["tier"] = tierOf(w.next(w.tiers, cell))
		return w.patch(ctx, &v1alpha2.PackageVariantSet{}, set.Name, object{"spec": object{"targets": targets}})
	}}
}

func (w *world) drawFacts(random *rand.Rand) *change {
	site := random.IntN(w.sites())
	made, own := w.ofSite(site)
	return &change{kind: facts, targets: append(made, own), do: func(ctx context.Context) error {
		payment := paymentOf(site, w.next(w.payments, site))
		return w.patch(ctx, &corev1.ConfigMap{}, factsName(site), object{"data": object{"payment": payment}})
	}}
}

// drawMoved removes a Repository from its set, or puts one back.
func (w *world) drawMoved(random *rand.Rand) *change {
	_, gone := w.counts()
	most := max(1, w.sites()*awayPercent/100)
	takeBack := gone >= most || gone > 0 && random.IntN(2) == 0
	site := w.find(random, w.sites(), func(site int) bool { return w.isAway(site) == takeBack })
	if site < 0 {
		return nil
	}
	made, _ := w.ofSite(site)
	for _, v := range made {
		if w.isSuspended(v) {
			return nil // its deletion would have to wait
		}
	}
	name, label := left, "none"
	if takeBack {
		name, label = joined, cellName(w.cellOf(site))
	}
	return &change{kind: name, targets: made, do: func(ctx context.Context) error {
		w.move(site, !takeBack)
		return w.patch(ctx, &porchconfig.Repository{}, siteName(site),
			object{"metadata": object{"labels": object{groupLabel: label}}})
	}}
}

func (w *world) drawEdited(random *rand.Rand) *change {
	site := random.IntN(w.sites())
	_, own := w.ofSite(site)
	return &change{kind: edited, targets: []int{own}, do: func(ctx context.Context) error {
		note := noteOf(w.next(w.notes, site))
		return w.patch(ctx, &v1alpha1.PackageVariant{}, ownName(site),
			object{"spec": object{"packageContext": object{"data": object{"note": note}}}})
	}}
}

// drawSuspended suspends a variant, or resumes one.
func (w *world) drawSuspended(random *rand.Rand) *change {
	held, _ := w.counts()
	most := max(1, w.variants*suspendedPercent/100)
	resume := held >= most || held > 0 && random.IntN(2) == 0
	v := w.find(random, w.variants, func(v int) bool {
		return w.isSuspended(v) == resume && !w.of(v).gone
	})
	if v < 0 {
		return nil
	}
	name := suspended
	if resume {
		name = resumed
	}
	return &change{kind: name, targets: []int{v}, do: func(ctx context.Context) error {
		var files map[string]string
		if !resume {
			files = current(w.revisions(v)).Files
		}
		w.suspend(v, files)
		return w.patch(ctx, &v1alpha1.PackageVariant{}, w.known.get(w.pairOf(v)).Name,
			object{"spec": object{"suspend": !resume}})
	}}
}

// drawApproved approves a draft. It is of a package without published revisions while few packages have one.
func (w *world) drawApproved(random *rand.Rand) *change {
	enough := w.published() >= w.variants*publishedPercent/100
	v := w.find(random, w.variants, func(v int) bool {
		revisions := w.revisions(v)
		now := current(revisions)
		return now != nil && now.Open() && (!enough || len(revisions) > 1) && w.of(v).frozen == nil
	})
	if v < 0 {
		return nil
	}
	number := 0
	return &change{kind: approved, targets: []int{v}, do: func(context.Context) error {
		if err := w.approve(current(w.revisions(v)).Name); err != nil {
			return err
		}
		number = current(w.revisions(v)).Number
		return nil
	}, also: func(int) string {
		pv := w.known.get(w.pairOf(v))
		if pv == nil || pv.Status.Downstream == nil || pv.Status.Downstream.Revision != number {
			return fmt.Sprintf("status.downstream is not of revision %d", number)
		}
		return ""
	}}
}

// drawRecreated deletes a variant, one with a published package if there are enough of those. A set makes its deleted
// variant again.
func (w *world) drawRecreated(random *rand.Rand) *change {
	enough := w.published() >= w.variants*publishedPercent/100
	v := w.find(random, w.variants, func(v int) bool {
		want := w.of(v)
		return !want.gone && want.frozen == nil && (!enough || hasPublished(w.revisions(v)))
	})
	if v < 0 {
		return nil
	}
	var before types.UID
	return &change{kind: recreation, targets: []int{v}, do: func(ctx context.Context) error {
		old := w.known.get(w.pairOf(v))
		before = old.UID
		if err := w.client.Delete(ctx, &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: old.Name}}); err != nil || !w.own(v) {
			return err
		}
		for judge(wanted{gone: true}, w.known.get(w.pairOf(v)), w.revisions(v)) != "" {
			select {
			case <-ctx.Done():
				return fmt.Errorf("the variant is not gone: %w", context.Cause(ctx))
			case <-time.After(glance):
			}
		}
		return w.createOwn(ctx, w.siteOf(v))
	}, also: func(int) string {
		if pv := w.known.get(w.pairOf(v)); pv == nil || pv.UID == before {
			return "it is the variant that was deleted"
		}
		return ""
	}}
}

// find returns a random number below n for which so is true; -1 if it is false for all numbers tried.
func (w *world) find(random *rand.Rand, n int, so func(int) bool) int {
	const draws = 200
	for range draws {
		if i := random.IntN(n); so(i) {
			return i
		}
	}
	return -1
}

func (w *world) revisions(v int) []simulation.Revision {
	of := w.pairOf(v)
	return w.look(namespace, of.repo, of.pkg)
}

func hasPublished(revisions []simulation.Revision) bool {
	for i := range revisions {
		if !revisions[i].Open() {
			return true
		}
	}
	return false
}

// published returns how many variants' packages have a published revision; those have a placeholder.
func (w *world) published() int {
	return w.porch.Placeholders(namespace)
}
