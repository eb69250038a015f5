// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/engine/revision"
)

// Superseded returns the published revisions of the downstream package beyond the limit of its history, oldest first.
// Without a limit, it returns nil.
func Superseded(in *Input) []revision.Revision {
	if in.Spec.RevisionHistoryLimit == nil || in.Spec.Downstream == nil {
		return nil
	}
	downstream := revision.DownstreamOf(in.Spec)
	published := slices.DeleteFunc(Owned(in), func(r revision.Revision) bool {
		return r.Package != downstream || r.Lifecycle != revision.Published
	})
	slices.SortFunc(published, func(a, b revision.Revision) int { return cmp.Compare(a.Number, b.Number) })
	return published[:max(len(published)-int(*in.Spec.RevisionHistoryLimit), 0)]
}

// trimHistory proposes the deletion of superseded revisions. It skips those that a draft or another package was made
// from, those whose proposal a person took back, and those that Porch has just refused.
func trimHistory(in *Input, _ []revision.Revision) []Step {
	drafted := map[string]bool{}
	for i := range in.Revisions {
		if r := &in.Revisions[i]; r.Open() {
			drafted[r.Task.From()] = true
		}
	}
	var steps []Step
	superseded := Superseded(in)
	for i := range superseded {
		if r := &superseded[i]; !in.Used[r.Name] && !drafted[r.Name] && !in.Retired[r.Name] && !in.Refused[r.Name] {
			steps = append(steps, Step{Action: Retire, Revision: r})
		}
	}
	return steps
}
