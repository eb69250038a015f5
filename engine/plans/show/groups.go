// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/words"
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

// few is how many variants that say the same are all shown, and shown how many of more.
const few, shown = 10, 3

// shorter returns the variants to show of those in a table, and what is left of those of which many say the same. All
// are shown of which something is deleted.
func shorter(variants []*plans.Variant, all bool) (some []*plans.Variant, left []string) {
	count, met := map[string]int{}, map[string]int{}
	for _, v := range variants {
		count[alike(v)]++
	}
	for _, v := range variants {
		what := alike(v)
		met[what]++
		switch n := count[what]; {
		case all || n <= few || met[what] <= shown || slices.Contains([]plans.Action{plans.Delete, plans.Prune}, lead(v)):
			some = append(some, v)
		case met[what] == n:
			left = append(left, fmt.Sprintf("and %s more: %s", words.Number(n-shown), what))
		}
	}
	return some, left
}

// alike is what a row says of a variant and of all that are like it: without the names of its own revisions.
func alike(v *plans.Variant) string {
	var names []string
	for i := range v.Drafts {
		names = append(names, v.Drafts[i].Name, "its draft")
	}
	for i := range v.Steps {
		if name := v.Steps[i].Revision; name != "" {
			names = append(names, name, "its revision")
		}
	}
	said := []string{doingFirst(v), upstreamOf(v), thenOf(v)}
	said = slices.DeleteFunc(said, func(text string) bool { return text == "" })
	return strings.NewReplacer(names...).Replace(strings.Join(said, ", "))
}
