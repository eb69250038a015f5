// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
)

// The parts of a run, by their names.
const (
	PartFanOut    = "fanout"
	PartRest      = "rest"
	PartChange    = "change"
	PartExpansion = "expansion"
	PartFunctions = "functions"
	PartScale     = "scale"
	PartRollout   = "rollout"
	PartTenancy   = "tenancy"
	PartSoak      = "soak"
)

// Apart is the origin of a part that was not measured with the others.
type Apart struct {
	Part string `json:"part"`
	Origin
}

// Elsewhere says on what else than the others the part was measured; it is empty if there is nothing to say.
func (a *Apart) Elsewhere(others Origin) string {
	var with []string
	if a.Machine != others.Machine {
		with = append(with, fmt.Sprintf("%d cores of an %s", a.Machine.Cores, a.Machine.CPU), a.Machine.System)
	}
	for _, v := range a.Versions[min(1, len(a.Versions)):] { // the first is this project's
		if !slices.Contains(others.Versions, v) {
			with = append(with, v.Name+" "+v.Version)
		}
	}
	if len(with) == 0 {
		return ""
	}
	return ", on " + strings.Join(with, ", ")
}

// Merge returns a run with these parts of another, which were measured since. All else is kept as it was measured.
func (r *Run) Merge(since *Run, parts ...string) *Run {
	merged := *r
	merged.Apart = slices.DeleteFunc(slices.Clone(r.Apart), func(a Apart) bool { return slices.Contains(parts, a.Part) })
	for _, part := range parts {
		merged.Apart = append(merged.Apart, Apart{Part: part, Origin: since.Origin})
		switch part {
		case PartFanOut:
			merged.FanOut = since.FanOut
		case PartRest:
			merged.Rest = since.Rest
		case PartChange:
			merged.Change = since.Change
		case PartExpansion:
			merged.replace(since, expansionOurs, expansionPorch)
		case PartFunctions:
			merged.replace(since, inProcess, asProcess, applyAll)
		case PartScale:
			merged.Scale = since.Scale
		case PartRollout:
			merged.Rollouts = since.Rollouts
		case PartTenancy:
			merged.Tenancy = since.Tenancy
		case PartSoak:
			merged.Soak = since.Soak
		}
	}
	return &merged
}

// replace takes the benchmarks of these names from another run.
func (r *Run) replace(since *Run, names ...string) {
	gone := r.Measured(names...)
	r.Benchmarks = slices.DeleteFunc(slices.Clone(r.Benchmarks), func(b Benchmark) bool {
		return slices.ContainsFunc(gone, func(g Benchmark) bool { return g.Package == b.Package && g.Name == b.Name })
	})
	r.Benchmarks = append(r.Benchmarks, since.Measured(names...)...)
}
