// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
)

// TestConflictNotSaved checks that a conflict of a merge that was not saved ends when the variant asks for the former
// upstream again, or for another one that has the former value.
func TestConflictNotSaved(t *testing.T) {
	t.Parallel()
	for then, back := range map[string]func(*cluster){"the former one": to(1), "another one": toThird("red")} {
		t.Run(then, func(t *testing.T) {
			t.Parallel()
			c := begin(t, true)
			for _, do := range []func(*cluster){
				func(c *cluster) { c.applies() },
				func(c *cluster) { c.SavesFiles(first, settings("blue")) },
				func(c *cluster) {
					c.Fault = &memorytest.Fault{At: 1, Err: memorytest.Failing.Err, Of: memorytest.Call.IsSave}
					toSecond(c)
				},
				back,
			} {
				do(c)
				c.Run()
			}
			status := c.variants()[0].Status
			if len(status.Conflicts) > 0 || meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted) {
				t.Errorf("conflicts %v, conditions %v", status.Conflicts, status.Conditions)
			}
		})
	}
}

// TestConflictOfUpgradeThroughAKill checks that a conflict of the upgrade of a published package is named if the
// controller is killed when the draft is made, and what was merged is gone afterwards.
func TestConflictOfUpgradeThroughAKill(t *testing.T) {
	t.Parallel()
	for cache, git := range caches {
		c := begin(t, git)
		for _, do := range []func(*cluster){
			func(c *cluster) { c.applies() },
			func(c *cluster) { c.SavesFiles(first, settings("blue")) },
			func(c *cluster) { c.Publishes(first) },
		} {
			do(c)
			c.Run()
		}
		toSecond(c)
		c.Fault = &memorytest.Fault{At: 1, Of: memorytest.Call.OfPackage, Done: true, Err: memorytest.ErrKilled}
		for tries := 0; !c.client.Killed() && tries < 10; tries++ {
			c.reconcile("web")
		}
		if got := c.Revision(second).Lifecycle; got != revision.Draft {
			t.Fatalf("%s: the draft is %s", cache, got)
		}
		c.Removes("blueprints.web.v1")
		c.Start()
		c.Run()
		status := c.variants()[0].Status
		want := []v1alpha1.Conflict{{File: "settings.yaml", Resource: `ConfigMap "settings"`, Field: "data.color",
			Original: "red", Local: "blue", Updated: "green", Taken: v1alpha1.TakenLocal}}
		if diff := cmp.Diff(want, status.Conflicts); diff != "" {
			t.Errorf("%s: conflicts, -want +got:\n%s", cache, diff)
		}
		if !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted) {
			t.Errorf("%s: the condition is not True", cache)
		}
	}
}

// TestConflictWithoutRepository checks that a conflict is still named when its draft comes back with the Repository.
func TestConflictWithoutRepository(t *testing.T) {
	t.Parallel()
	c := begin(t, true)
	var draft *revision.Revision
	var content map[string]string
	for _, do := range []func(*cluster){
		func(c *cluster) { c.applies() },
		func(c *cluster) { c.SavesFiles(first, settings("blue")) },
		toSecond,
		func(c *cluster) {
			draft, content = c.Revision(first), c.FilesOf(first)
			c.Unregisters("edge")
			c.Removes(first)
		},
		func(c *cluster) {
			c.has("edge", "packagevariant-1", 0, content, func(r *revision.Revision) {
				r.Task, r.Lock = draft.Task, draft.Lock
			})
			c.repositories("edge")
		},
	} {
		do(c)
		c.Run()
	}
	status := c.variants()[0].Status
	if len(status.Conflicts) != 1 || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted) {
		t.Errorf("conflicts %v, conditions %v", status.Conflicts, status.Conditions)
	}
	if status.OpenDraft == nil || status.OpenDraft.Name != first {
		t.Errorf("the open draft is %v", status.OpenDraft)
	}
}

// TestConflictOfMergeThroughAKill kills the controller just after Porch has saved a merge with a conflict into an open
// draft: the conflict is in the status, and once another controller runs, its merge is not pending any more.
func TestConflictOfMergeThroughAKill(t *testing.T) {
	t.Parallel()
	for policy, taken := range map[variant.OnConflict]string{variant.OnConflictTakeUpstream: v1alpha1.TakenUpstream,
		variant.OnConflictKeepLocal: v1alpha1.TakenLocal} {
		for cache, git := range caches {
			c := begin(t, git)
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Upgrade = &variant.Upgrade{OnConflict: policy} })
			c.Run()
			c.SavesFiles(first, settings("blue"))
			c.Run()
			toSecond(c)
			c.killedAfter(memorytest.Call.IsSave)
			want := v1alpha1.Conflict{File: "settings.yaml", Resource: `ConfigMap "settings"`, Field: "data.color",
				Original: "red", Local: "blue", Updated: "green", Taken: taken}
			for _, pending := range []string{"blueprints.web.v2", ""} {
				want.PendingMerge = pending
				if diff := cmp.Diff([]v1alpha1.Conflict{want}, c.variants()[0].Status.Conflicts); diff != "" {
					t.Errorf("%s, %s: conflicts, -want +got:\n%s", cache, policy, diff)
				}
				c.Run()
			}
		}
	}
}
