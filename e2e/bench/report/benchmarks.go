// SPDX-License-Identifier: Apache-2.0

package report

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Benchmark is the median of a benchmark's runs with go test.
type Benchmark struct {
	// Package is the path of its package in the repository.
	Package string `json:"package"`
	// Name is its name, without its first word and the number of processors, such as Expansion/ours/1000. It ends with the
	// size of the input.
	Name string `json:"name"`
	// Values are the medians by unit, in seconds where go test prints nanoseconds.
	Values map[string]float64 `json:"values"`
}

// Size returns the size of the input: targets, sites, or the resources of a package.
func (b *Benchmark) Size() int {
	n, _ := strconv.Atoi(path.Base(b.Name)) // it was checked when it was read
	return n
}

// measured returns the benchmark of a part with a name, nil if there is none.
func (r *Run) measured(part, name string) *Benchmark {
	i := slices.IndexFunc(r.Benchmarks[part], func(b Benchmark) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Benchmarks[part][i]
}

// ExpansionRows are the expansions of a set, with Porch's own beside them.
func (r *Run) ExpansionRows() [][]string {
	const ours = "Expansion/ours/"
	var rows [][]string
	for _, b := range r.Benchmarks[PartExpansion] {
		if !strings.HasPrefix(b.Name, ours) {
			continue
		}
		took, each := b.Values["sec/op"], float64(b.Size())
		row := []string{count(b.Size()), seconds(took / each), "", "", megabytes(b.Values["B/op"])}
		if porch := r.measured(PartExpansion, "Expansion/porch/"+path.Base(b.Name)); porch != nil {
			row[2], row[3] = seconds(porch.Values["sec/op"]/each), ratio(porch.Values["sec/op"], took)
		}
		rows = append(rows, row)
	}
	return rows
}

// FunctionRows are the functions: in a Go program, and as processes beside others.
func (r *Run) FunctionRows() [][]string {
	var rows [][]string
	for _, b := range r.Benchmarks[PartFunctions] {
		name := "all three"
		switch kind, _, _ := strings.Cut(b.Name, "/"); kind {
		case "Process":
			continue // it stands beside the function in a program
		case "InProcess":
			name = path.Base(path.Dir(b.Package))
		}
		row := []string{name, count(b.Size()), seconds(b.Values["sec/op"]), megabytes(b.Values["B/op"]), "", "", "", "", ""}
		if as := r.measured(PartFunctions, "Process/"+name+"/"+path.Base(b.Name)); as != nil {
			own, noop, catalog := as.Values["sec/process"], as.Values["noop-sec/process"], as.Values["catalog-sec/process"]
			copy(row[4:], []string{seconds(own), seconds(noop), ratio(own, noop), seconds(catalog), ratio(own, catalog)})
		}
		rows = append(rows, row)
	}
	return rows
}

// PlanRows are the plans of the kubectl plugin.
func (r *Run) PlanRows() [][]string {
	var rows [][]string
	for _, b := range r.Benchmarks[PartPlan] {
		cpu := b.Values["sec/process"]
		rows = append(rows, []string{count(b.Size()), seconds(cpu), seconds(cpu / float64(b.Size())),
			megabytes(b.Values["peak-B/process"]), seconds(b.Values["took-sec/process"])})
	}
	return rows
}

// sites says what a fleet of sites is measured by, by the second word of the benchmark's name.
var sites = map[string]string{
	"script": "a script of kpt and git", "floor": "`git fast-import` and one push", "sync": "`variants sync`",
	"aged": "`variants sync`, beside a long history and large files",
}

// GitRows are the fleets in git, the smallest first: by variants sync, by git alone, and by a script of kpt, which is
// also extrapolated to the sizes at which only the others were measured.
func (r *Run) GitRows() [][]string {
	var rows [][]string
	script, was := (*Benchmark)(nil), 0
	for i := range r.Benchmarks[PartGit] {
		b := &r.Benchmarks[PartGit][i]
		way := path.Base(path.Dir(b.Name))
		if way == "script" {
			script = b
		} else if script != nil && b.Size() > was {
			rows = append(rows, script.steps(sites["script"]+", extrapolated", b.Size()))
		}
		rows, was = append(rows, b.steps(sites[way], b.Size())), b.Size()
	}
	return rows
}

// SitesRows are the processor times of fleets in git, for the README: the script as it was measured, and all at 1,000
// sites.
func (r *Run) SitesRows() (rows [][]string) {
	for _, row := range r.GitRows() {
		if row[1] == "50" || row[1] == "1,000" && row[0] != sites["aged"] {
			rows = append(rows, []string{row[0], row[1], row[3], row[5], row[7], row[9]})
		}
	}
	return rows
}

// steps is a row with what a fleet of some size takes, if each site takes as long as it did when it was measured.
func (b *Benchmark) steps(by string, size int) []string {
	row := []string{by, count(size)}
	for _, what := range []string{"first", "idle", "one", "upgrade"} {
		times := float64(size) / float64(b.Size())
		for _, unit := range []string{"-sec/process", "-cpu-sec/process"} {
			text := ""
			if took, measured := b.Values[what+unit]; measured {
				text = seconds(times * took)
			}
			row = append(row, text)
		}
	}
	memory := ""
	if size == b.Size() {
		memory = megabytes(b.Values["peak-B/process"])
	}
	return append(row, memory)
}
