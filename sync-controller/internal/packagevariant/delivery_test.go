// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDeliver checks when a downstream package is first ready, and first published, with an upstream revision, and what
// is measured: the upstream is published at 0s, the report is made at 100s.
func TestDeliver(t *testing.T) {
	t.Parallel()
	const draft = "edge.web.packagevariant-2"
	zero := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s int) metav1.Time { return metav1.NewTime(zero.Add(time.Duration(s) * time.Second)) }
	ready := func(status metav1.ConditionStatus, s int) []metav1.Condition {
		return []metav1.Condition{{Type: "Ready", Status: status, LastTransitionTime: at(s)}}
	}
	// world is the state: the draft of the second revision is ready now, and was not before.
	type world struct {
		out           *result
		draft         *revision.Revision
		before, after v1alpha1.PackageVariantStatus
	}
	publish := func(w *world) {
		w.draft.Lifecycle, w.draft.Number, w.draft.PublishedAt = "Published", 2, at(90).Time
	}
	wasDraft := func(w *world) {
		w.before.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: draft, Lifecycle: "Draft"}}
	}
	noted := func(w *world) {
		readyAt := at(40)
		w.before.Conditions, w.before.Upstream = ready("True", 40), &v1alpha1.ResolvedUpstream{Name: "blueprints.web.v2",
			ReadyAt: &readyAt}
	}
	wasReady := func(w *world) { noted(w); w.before.Upstream.ReadyAt = nil }
	type want struct {
		ReadyAt, DeliveredAt string
		Measured             map[string]string
	}
	for name, c := range map[string]struct {
		edit []func(*world)
		want want
	}{
		"a draft is ready": {nil, want{"1m40s", "", map[string]string{"Ready": "1m40s"}}},
		"not yet":          {[]func(*world){func(w *world) { w.after.Conditions = ready("False", 0) }}, want{}},
		"it was ready with the older revision until now": {[]func(*world){wasReady, func(w *world) {
			w.before.Upstream.Name = "blueprints.web.v1"
		}}, want{"1m40s", "", map[string]string{"Ready": "1m40s"}}},
		"it was ready, and is so again": {[]func(*world){noted, func(w *world) { w.before.Conditions = ready("False", 60) }},
			want{"40s", "", nil}},
		"it was ready when another version of the controller ran": {[]func(*world){wasReady}, want{"40s", "", nil}},
		"the variant is newer than the upstream": {[]func(*world){func(w *world) {
			w.out.pv.CreationTimestamp = at(70)
		}}, want{"1m40s", "", map[string]string{"Ready": "30s"}}},
		"the variant is older": {[]func(*world){func(w *world) { w.out.pv.CreationTimestamp = at(-70) }},
			want{"1m40s", "", map[string]string{"Ready": "1m40s"}}},
		"the clock of Porch is ahead": {[]func(*world){func(w *world) { w.out.Upstream.PublishedAt = at(101).Time }},
			want{"1m40s", "", map[string]string{"Ready": "0s"}}},
		"Porch does not say when the upstream was published": {[]func(*world){wasDraft, publish, func(w *world) {
			w.out.Upstream.PublishedAt = time.Time{}
		}}, want{"1m40s", "1m30s", nil}},
		"the upstream is a branch": {[]func(*world){wasDraft, publish, func(w *world) { w.out.Upstream.Number = -1 }}, want{}},
		"there is no upstream":     {[]func(*world){func(w *world) { w.out.Upstream = nil }}, want{}},

		"a person publishes it": {[]func(*world){noted, wasDraft, publish},
			want{"40s", "1m30s", map[string]string{"Published": "1m30s"}}},
		"a proposed one is published": {[]func(*world){noted, wasDraft, publish, func(w *world) {
			w.before.DownstreamTargets[0].Lifecycle = "Proposed"
		}}, want{"40s", "1m30s", map[string]string{"Published": "1m30s"}}},
		"it is published before it was reported ready": {[]func(*world){wasDraft, publish},
			want{"1m40s", "1m30s", map[string]string{"Ready": "1m40s", "Published": "1m30s"}}},
		"it is published and not ready any more": {[]func(*world){noted, wasDraft, publish, func(w *world) {
			w.after.Conditions = ready("False", 95)
		}}, want{"40s", "1m30s", map[string]string{"Published": "1m30s"}}},
		"Porch does not say when it was published": {[]func(*world){noted, wasDraft, publish, func(w *world) {
			w.draft.PublishedAt = time.Time{}
		}}, want{"40s", "1m40s", map[string]string{"Published": "1m40s"}}},
		"it was published when it was seen first": {[]func(*world){noted, publish}, want{"40s", "1m30s", nil}},
		"it was published, and its deletion is not": {[]func(*world){noted, publish, func(w *world) {
			w.before.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: draft, Lifecycle: "DeletionProposed"}}
		}}, want{"40s", "1m30s", nil}},
		"the published one is another variant's": {[]func(*world){noted, wasDraft, publish, func(w *world) {
			w.draft.Owners = owners("web-us", "u")
		}}, want{"40s", "", nil}},
		"the status still names an upstream that is gone": {[]func(*world){publish, func(w *world) {
			w.after.Upstream = &v1alpha1.ResolvedUpstream{Name: "blueprints.web.v3"}
		}}, want{}},
		"a second draft of the same revision, by an edit": {[]func(*world){func(w *world) {
			w.out.Revisions[1].Lock.Commit, w.out.Revisions[1].PublishedAt = "b2", at(50).Time
		}}, want{"1m40s", "50s", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := observed()
			made := o.Revisions[1]
			made.Name, made.Workspace, made.Lifecycle, made.Number = draft, "packagevariant-2", "Draft", 0
			lock := *made.Lock
			lock.Commit, lock.Ref = "b2", "web/v2"
			made.Lock = &lock
			o.Revisions = append(o.Revisions, made)
			o.Upstream.PublishedAt = zero
			w := &world{out: &result{pv: o.pv, Input: o.Input}, draft: &o.Revisions[2],
				after: v1alpha1.PackageVariantStatus{Conditions: ready("True", 100)}}
			for _, edit := range c.edit {
				edit(w)
			}
			if u := w.out.Upstream; u != nil && w.after.Upstream == nil {
				w.after.Upstream = resolved(u, "", w.before.Upstream)
			}
			var got want
			for _, d := range w.out.deliver(&w.before, &w.after, at(100)) {
				if got.Measured == nil {
					got.Measured = map[string]string{}
				}
				got.Measured[d.until] = d.took.String()
			}
			if u := w.after.Upstream; u != nil {
				for from, to := range map[*metav1.Time]*string{u.ReadyAt: &got.ReadyAt, u.DeliveredAt: &got.DeliveredAt} {
					if from != nil {
						*to = from.Sub(zero).String()
					}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
