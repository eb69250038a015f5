// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/bench/simulation"

	"k8s.io/apimachinery/pkg/api/meta"
)

// judge returns what is wrong with a variant and the revisions of its package, "" if nothing is. pv is nil if the
// variant does not exist.
func judge(want wanted, pv *v1alpha1.PackageVariant, revisions []simulation.Revision) string {
	switch {
	case want.gone && pv != nil:
		return "the variant is there"
	case want.gone && len(revisions) > 0:
		return revisions[0].Name + " is there"
	case want.gone:
		return ""
	case pv == nil:
		return "there is no variant"
	case pv.DeletionTimestamp != nil:
		return "the variant is being deleted"
	case pv.Spec.Suspend != (want.frozen != nil):
		return fmt.Sprintf("spec.suspend is %t", pv.Spec.Suspend)
	case pv.Status.ObservedGeneration != pv.Generation:
		return fmt.Sprintf("generation %d of %d was observed", pv.Status.ObservedGeneration, pv.Generation)
	}
	now := current(revisions)
	if now == nil {
		return "there is no package"
	}
	if want.frozen != nil {
		return judgeFrozen(want, pv, now)
	}
	if wrong := judgeStatus(want, pv, now); wrong != "" {
		return wrong
	}
	return judgeFiles(want, now, revisions)
}

// judgeFrozen is judge for a suspended variant.
func judgeFrozen(want wanted, pv *v1alpha1.PackageVariant, now *simulation.Revision) string {
	switch {
	case !meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionSuspended):
		return "the condition Suspended is not True"
	case !maps.Equal(want.frozen, now.Files):
		return now.Name + " has changed since the variant was suspended"
	default:
		return ""
	}
}

// judgeStatus judges what the status of a variant says.
func judgeStatus(want wanted, pv *v1alpha1.PackageVariant, now *simulation.Revision) string {
	ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case ready == nil || ready.Status != "True":
		return fmt.Sprintf("it is not Ready: %+v", ready)
	case ready.ObservedGeneration != pv.Generation:
		return "Ready is of an older generation"
	case pv.Status.Upstream == nil || pv.Status.Upstream.Name != want.upstream:
		return fmt.Sprintf("the upstream is %+v, not %s", pv.Status.Upstream, want.upstream)
	case len(pv.Status.DownstreamTargets) != 1 || pv.Status.DownstreamTargets[0].Name != now.Name:
		return fmt.Sprintf("the status names %+v, not %s", pv.Status.DownstreamTargets, now.Name)
	default:
		return ""
	}
}

// judgeFiles judges what the package is.
func judgeFiles(want wanted, now *simulation.Revision, revisions []simulation.Revision) string {
	open := 0
	for i := range revisions {
		if revisions[i].Open() {
			open++
		}
	}
	if open > 1 {
		return fmt.Sprintf("there are %d drafts", open)
	}
	if now.Upstream != want.ref {
		return fmt.Sprintf("%s is made from %s, not %s", now.Name, now.Upstream, want.ref)
	}
	for _, file := range slices.Sorted(maps.Keys(want.lines)) {
		for _, line := range want.lines[file] {
			if !strings.Contains("\n"+now.Files[file]+"\n", "\n"+line+"\n") {
				return fmt.Sprintf("%s of %s has no %q", file, now.Name, line)
			}
		}
	}
	return ""
}

// current returns the revision of a package that must be in step: the open one, or the newest published one; nil if
// there is neither.
func current(revisions []simulation.Revision) *simulation.Revision {
	var newest *simulation.Revision
	for i := range revisions {
		r := &revisions[i]
		if r.Open() {
			return r
		}
		if newest == nil || r.Number > newest.Number {
			newest = r
		}
	}
	return newest
}
