// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/plans"
)

// does reports whether the controller deletes or gives up something of a variant, and whether it publishes a draft,
// even if it also does something else.
func does(v *plans.Variant) (deletes, publishes bool) {
	for i := range v.Steps {
		deletes, publishes = deletes || v.Steps[i].Deletes(), publishes || v.Steps[i].Publishes()
	}
	return deletes, publishes
}

// lead is the action under which a variant is listed: failing, deleting and publishing come before all others.
func lead(v *plans.Variant) plans.Action {
	switch deletes, publishes := does(v); {
	case v.Action == plans.Fail, v.Action == plans.Delete:
		return v.Action
	case deletes:
		return plans.Prune
	case publishes:
		return plans.Publish
	}
	return v.Action
}

// doing says what happens to a variant: its action, and what is deleted or published beside that.
func doing(v *plans.Variant) string {
	var words []string
	for _, a := range v.Actions() {
		words = append(words, string(a))
	}
	return strings.Join(words, ", ")
}

// isFirst reports whether a variant is listed first: it fails, something of it is deleted, or it is published.
func isFirst(v *plans.Variant) bool {
	deletes, publishes := does(v)
	return deletes || publishes || slices.Contains([]plans.Action{plans.Fail, plans.Delete, plans.Prune}, v.Action)
}

// outside marks what changes without being named.
const outside = "outside of -f"

// doingFirst is doing, and marks the variants that are not named.
func doingFirst(v *plans.Variant) string {
	if v.Other {
		return doing(v) + ", " + outside
	}
	return doing(v)
}

// groups are the variants of a plan that change, each group in the order of the actions.
type groups struct {
	// first are listed before all others. unnamed are those that are not named.
	first, others, unnamed []*plans.Variant
}

// sorted returns the variants in groups.
func sorted(plan *plans.Plan) groups {
	var g groups
	for i := range plan.Variants {
		switch v := &plan.Variants[i]; {
		case isFirst(v):
			g.first = append(g.first, v)
		case v.Other:
			g.unnamed = append(g.unnamed, v)
		case v.Action != plans.Unchanged:
			g.others = append(g.others, v)
		}
	}
	for _, of := range [][]*plans.Variant{g.first, g.others, g.unnamed} {
		sortByAction(of)
	}
	return g
}

// sortByAction sorts variants in the order of their actions, and puts those with the same changes next to each other.
func sortByAction(variants []*plans.Variant) {
	slices.SortStableFunc(variants, func(a, b *plans.Variant) int {
		return cmp.Or(slices.Index(plans.Actions, lead(a))-slices.Index(plans.Actions, lead(b)),
			slices.Index(plans.Actions, a.Action)-slices.Index(plans.Actions, b.Action),
			strings.Compare(doingFirst(a), doingFirst(b)))
	})
}

// setsOf returns the sets of a plan that are named, or the others.
func setsOf(other bool, plan *plans.Plan) []*plans.Set {
	var out []*plans.Set
	for i := range plan.Sets {
		if plan.Sets[i].Other == other {
			out = append(out, &plan.Sets[i])
		}
	}
	return out
}

// variantsOf returns the variants of a plan that are named, or the others: those listed first before the rest. The rest
// is by name for those that are named, and otherwise in the order of their actions.
func variantsOf(other bool, plan *plans.Plan) []*plans.Variant {
	var first, out []*plans.Variant
	for i := range plan.Variants {
		switch v := &plan.Variants[i]; {
		case v.Other != other:
		case isFirst(v):
			first = append(first, v)
		default:
			out = append(out, v)
		}
	}
	sortByAction(first)
	if other {
		sortByAction(out)
	}
	return append(first, out...)
}

// conflictGroup is a conflict, and the variants that have it.
type conflictGroup struct {
	v1alpha1.Conflict
	variants []*plans.Variant
}

// conflictsOf returns the conflicts of a plan, equal ones once, in the order of their first occurrence.
func conflictsOf(plan *plans.Plan) []*conflictGroup {
	var out []*conflictGroup
	met := map[v1alpha1.Conflict]*conflictGroup{}
	for i := range plan.Variants {
		for _, c := range plan.Variants[i].Conflicts {
			if met[c] == nil {
				met[c] = &conflictGroup{Conflict: c}
				out = append(out, met[c])
			}
			met[c].variants = append(met[c].variants, &plan.Variants[i])
		}
	}
	return out
}

// fileDiff is the diff of a file in a draft.
type fileDiff struct{ path, diff string }

// diffGroup are diffs that the same drafts have.
type diffGroup struct {
	drafts []*plans.Draft
	files  []fileDiff
}

// diffsOf returns the diffs of a plan, equal ones once, grouped by the drafts that have them.
func diffsOf(plan *plans.Plan) []*diffGroup {
	var order []fileDiff
	drafts := map[fileDiff][]*plans.Draft{}
	for i := range plan.Variants {
		for j := range plan.Variants[i].Drafts {
			d := &plan.Variants[i].Drafts[j]
			for _, f := range d.Files {
				file := fileDiff{f.Path, f.Diff}
				if f.Diff == "" {
					continue
				}
				if drafts[file] == nil {
					order = append(order, file)
				}
				drafts[file] = append(drafts[file], d)
			}
		}
	}
	var out []*diffGroup
	met := map[string]*diffGroup{}
	for _, file := range order {
		key := strings.Join(namesOf(drafts[file]), " ")
		if met[key] == nil {
			met[key] = &diffGroup{drafts: drafts[file]}
			out = append(out, met[key])
		}
		met[key].files = append(met[key].files, file)
	}
	return out
}

// namesOf returns the names of drafts.
func namesOf(drafts []*plans.Draft) []string {
	names := make([]string, len(drafts))
	for i, d := range drafts {
		names[i] = d.Name
	}
	return names
}

// maxNames is how many names stand in a row of a comment.
const maxNames = 40

// list returns names, at most maxNames of them.
func list(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return strings.Join(names[:maxNames], ", ") + " and " + count(more, "other")
	}
	return strings.Join(names, ", ")
}
