// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The events that a delivery measures, named as in a wave's until.
const (
	untilReady     = "Ready"
	untilPublished = "Published"
)

// delivery is the first time that a downstream package is ready, or published, with an upstream revision.
type delivery struct {
	until string
	// took is the time since the upstream revision was published, or since the variant was created, if that was later.
	took time.Duration
}

// resolved returns the status of an upstream with a digest of its content, and the known times of the same revision. If
// its content was not read, the digest is "", and what identifies it stays.
func resolved(u *revision.Revision, content string, known *v1alpha1.ResolvedUpstream) *v1alpha1.ResolvedUpstream {
	out := &v1alpha1.ResolvedUpstream{Name: u.Name, Revision: u.Number, Commit: u.Commit}
	same := known != nil && known.Name == u.Name
	if same {
		out.ReadyAt, out.DeliveredAt = known.ReadyAt, known.DeliveredAt
	}
	switch {
	case u.KeptInGit:
	case content != "":
		out.Version, out.Content, out.Replaced = u.Version, content, u.Replaced
	case same:
		out.Commit, out.Version, out.Content, out.Replaced = known.Commit, known.Version, known.Content, known.Replaced
	}
	return out
}

// deliver writes to the status when the downstream package was first ready and first published with the upstream, and
// returns the deliveries that are new since the earlier status. A time is set once and measured when it is set, so
// nothing is measured twice, even by another process.
func (out *result) deliver(before, status *v1alpha1.PackageVariantStatus, now metav1.Time) (all []delivery) {
	if out.Upstream == nil || out.Upstream.Number < 1 || status.Upstream == nil ||
		status.Upstream.Name != out.Upstream.Name { // it is gone
		return nil
	}
	since := out.Upstream.PublishedAt
	if created := out.pv.CreationTimestamp.Time; !since.IsZero() && created.After(since) {
		since = created
	}
	measure := func(until string, at metav1.Time) {
		if !since.IsZero() {
			all = append(all, delivery{until: until, took: max(at.Sub(since), 0)}) // clocks differ
		}
	}
	u := status.Upstream
	if u.ReadyAt == nil && meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionReady) {
		at, isNew := out.readyAt(before, now)
		if u.ReadyAt = &at; isNew {
			measure(untilReady, at)
		}
	}
	if first := out.firstPublished(); u.DeliveredAt == nil && first != nil {
		at := metav1.NewTime(first.PublishedAt)
		if at.IsZero() {
			at = now
		}
		if u.DeliveredAt = &at; wasOpen(before, first.Name) {
			measure(untilPublished, at)
		}
	}
	return all
}

// readyAt returns since when a variant has been ready with its upstream, and whether that is new. It is new if the
// variant was not ready with this upstream before, and no older revision was made from it. There is an older one after
// an edit, or if the variant returns to an earlier upstream.
func (out *result) readyAt(before *v1alpha1.PackageVariantStatus, now metav1.Time) (at metav1.Time, isNew bool) {
	ready := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionReady)
	if ready != nil && ready.Status == metav1.ConditionTrue && before.Upstream != nil &&
		before.Upstream.Name == out.Upstream.Name {
		return ready.LastTransitionTime, false
	}
	targets := decide.Targets(&out.Input)
	return now, !slices.ContainsFunc(out.Revisions, func(r revision.Revision) bool {
		return !r.Main() && decide.OnUpstream(&out.Input, &r) &&
			!slices.ContainsFunc(targets, func(t revision.Revision) bool { return t.Name == r.Name })
	})
}

// firstPublished returns the first published revision of the variant's downstream that was made from the upstream
// revision; nil if there is none.
func (out *result) firstPublished() *revision.Revision {
	var first *revision.Revision
	for i := range out.Revisions {
		r := &out.Revisions[i]
		if owned, _ := r.Of(out.Owner); owned && r.Published() && !r.Main() && decide.OnUpstream(&out.Input, r) &&
			(first == nil || r.Number < first.Number) {
			first = r
		}
	}
	return first
}

// wasOpen reports whether a status names a downstream revision that was not published yet.
func wasOpen(status *v1alpha1.PackageVariantStatus, name string) bool {
	return slices.ContainsFunc(status.DownstreamTargets, func(d v1alpha1.DownstreamTarget) bool {
		return d.Name == name && (d.Lifecycle == string(revision.Draft) || d.Lifecycle == string(revision.Proposed))
	})
}
