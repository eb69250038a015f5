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
	PartPlan      = "plan"
	PartGit       = "git"
	PartScale     = "scale"
	PartRollout   = "rollout"
	PartTenancy   = "tenancy"
	PartSoak      = "soak"
)

// Apart is the origin of a part that was measured separately.
type Apart struct {
	Part string `json:"part"`
	Origin
}

// Elsewhere says what differs from the origin of the other parts; "" if nothing does.
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

// OriginOf returns where the measurements of a part come from.
func (r *Run) OriginOf(part string) *Origin {
	for i := range r.Apart {
		if r.Apart[i].Part == part {
			return &r.Apart[i].Origin
		}
	}
	return &r.Origin
}

// Together is the parts of one separate run.
type Together struct {
	Parts []string
	Apart
}

// Together returns the parts that were measured separately, those of one run together.
func (r *Run) Together() (runs []Together) {
	for i := range r.Apart {
		a := &r.Apart[i]
		at := slices.IndexFunc(runs, func(t Together) bool {
			return t.Date == a.Date && t.Command == a.Command && slices.Equal(t.Versions, a.Versions)
		})
		if at >= 0 {
			runs[at].Parts = append(runs[at].Parts, a.Part)
		} else {
			runs = append(runs, Together{[]string{a.Part}, *a})
		}
	}
	return runs
}

// Merge returns a run with the given parts of a later run, with all of its caches. Everything else stays as it was.
func (r *Run) Merge(since *Run, parts ...string) *Run {
	merged := *r
	merged.Caches = slices.Clone(r.Caches)
	merged.Apart = slices.DeleteFunc(slices.Clone(r.Apart), func(a Apart) bool { return slices.Contains(parts, a.Part) })
	for _, part := range parts {
		merged.Apart = append(merged.Apart, Apart{Part: part, Origin: since.Origin})
		switch part {
		case PartFanOut, PartRest, PartChange, PartScale:
			for i := range since.Caches {
				merged.On(since.Caches[i].Cache).take(part, &since.Caches[i])
			}
		case PartExpansion:
			merged.replace(since, expansionOurs, expansionPorch)
		case PartFunctions:
			merged.replace(since, inProcess, asProcess, applyAll)
		case PartPlan:
			merged.replace(since, planOfSet)
		case PartGit:
			merged.replace(since, fleetBySync, fleetByScript)
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

// replace copies the benchmarks of these names from another run.
func (r *Run) replace(since *Run, names ...string) {
	gone := r.Measured(names...)
	r.Benchmarks = slices.DeleteFunc(slices.Clone(r.Benchmarks), func(b Benchmark) bool {
		return slices.ContainsFunc(gone, func(g Benchmark) bool { return g.Package == b.Package && g.Name == b.Name })
	})
	r.Benchmarks = append(r.Benchmarks, since.Measured(names...)...)
}
