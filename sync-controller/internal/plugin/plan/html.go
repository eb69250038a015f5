// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	_ "embed" // of the page
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/forecast"
)

//go:embed page.html
var pageText string

// page is the page of a plan: one file that asks no network for anything.
var page = template.Must(template.New("plan").Funcs(template.FuncMap{
	"package": packageOf, "upstream": upstreamOf, "then": thenOf, "steps": stepsOf,
	"place": func(c forecast.Conflict) string { return placeOf(&c) },
	"set":   func(s forecast.Set) string { return setSummary(&s) },
	"lines": diffLines,
}).Parse(pageText))

// branch is the variants of a set, or of none, in one wave, or in none.
type branch struct {
	Set, Wave string
	Variants  []*forecast.Variant
}

// HTML prints a plan as a page of one file: what conflicts first, then the fleet as a tree by set, wave and target.
func HTML(w io.Writer, plan *forecast.Plan) error {
	data := struct {
		*forecast.Plan
		Summary  string
		Notes    []string
		Actions  []forecast.Action
		Branches []*branch
	}{plan, summary(plan), notes(plan), forecast.Actions, branches(plan)}
	return page.Execute(w, data)
}

// branches returns the variants as a tree. Waves are in the order in which they are rolled out.
func branches(plan *forecast.Plan) []*branch {
	order := map[[2]string]int{}
	for i := range plan.Sets {
		for _, w := range plan.Sets[i].Waves {
			order[[2]string{plan.Sets[i].Name, w.Name}] = len(order) + 1
		}
	}
	byName := map[[2]string]*branch{}
	var out []*branch
	for i := range plan.Variants {
		v := &plan.Variants[i]
		key := [2]string{v.Set, v.Wave}
		if byName[key] == nil {
			byName[key] = &branch{Set: v.Set, Wave: v.Wave}
			out = append(out, byName[key])
		}
		byName[key].Variants = append(byName[key].Variants, v)
	}
	slices.SortStableFunc(out, func(a, b *branch) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set),
			cmp.Compare(order[[2]string{a.Set, a.Wave}], order[[2]string{b.Set, b.Wave}]), cmp.Compare(a.Wave, b.Wave))
	})
	return out
}

// diffLine is a line of a diff, with what it says: add, del, at, or nothing.
type diffLine struct{ Class, Text string }

func diffLines(diff string) []diffLine {
	var out []diffLine
	for line := range strings.Lines(diff) {
		class := map[string]string{green: "add", red: "del", blue: "at"}[colourOf(line)]
		out = append(out, diffLine{class, line})
	}
	return out
}
