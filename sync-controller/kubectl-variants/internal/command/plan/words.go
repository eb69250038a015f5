// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
)

// oneLine returns a message as a line, and as a cell of a table: what ends lines and cells is a space.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsControl), " ") }

// namer returns what names the objects of a plan: with their namespaces where there are several.
func namer(plan *plans.Plan) func(namespace, name string) string {
	namespaces := map[string]bool{}
	for i := range plan.Sets {
		namespaces[plan.Sets[i].Namespace] = true
	}
	for i := range plan.Variants {
		namespaces[plan.Variants[i].Namespace] = true
	}
	return func(namespace, name string) string {
		if len(namespaces) < 2 {
			return name
		}
		return namespace + "/" + name
	}
}

// packageOf names the downstream package of a variant; "" of one that is not known.
func packageOf(v *plans.Variant) string {
	if v.Repo == "" {
		return ""
	}
	return v.Repo + "/" + v.Package
}

// draftOf names the drafts that are made or changed.
func draftOf(v *plans.Variant) string {
	names := make([]string, len(v.Drafts))
	for i := range v.Drafts {
		names[i] = v.Drafts[i].Name
	}
	return strings.Join(names, ", ")
}

// upstreamOf says to which upstream the package is taken.
func upstreamOf(v *plans.Variant) string {
	switch u := v.Upstream; {
	case u == nil:
		return ""
	case u.From == "" || u.From == u.To:
		return u.To
	default:
		return u.From + " -> " + u.To
	}
}

// filesOf says how many files change.
func filesOf(v *plans.Variant) string {
	if len(v.Drafts) == 0 {
		return ""
	}
	n := 0
	for i := range v.Drafts {
		n += len(v.Drafts[i].Files)
	}
	return fmt.Sprint(n)
}

// thenOf says what the controller says then, or what it does where that is not all, and what the package lacks then.
func thenOf(v *plans.Variant) string {
	said := []string{endOf(v)}
	for _, c := range v.Unmet {
		said = append(said, fmt.Sprintf("%s=False (%s): %s", c.Type, c.Reason, c.Message))
	}
	return strings.Join(said, "; ")
}

// endOf says what the controller says, or what it does where that is not all.
func endOf(v *plans.Variant) string {
	switch {
	case v.Error != "":
		return v.Error
	case v.Action == plans.Prune, v.Action == plans.Delete, v.Action == plans.Publish:
		return strings.Join(stepsOf(v), ", ")
	case v.Condition.Reason == "":
		return "not looked at yet"
	}
	return v.Condition.Reason + ": " + v.Condition.Message
}

// stepsOf says what the controller does, step by step.
func stepsOf(v *plans.Variant) []string {
	var out []string
	for _, s := range v.Steps {
		if s.Text != "" {
			out = append(out, s.Text)
		}
	}
	return out
}

// placeOf says where a conflict is.
func placeOf(c *v1alpha1.Conflict) string {
	place := c.File
	if c.Resource != "" {
		place = c.Resource + " in " + place
	}
	if c.Field != "" {
		place = c.Field + " of " + place
	}
	return place
}

// summary counts what is going to happen.
func summary(plan *plans.Plan) string {
	var parts []string
	for _, a := range plans.Actions {
		if n := plan.Counts[a]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, a))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	out := "Plan: " + strings.Join(parts, ", ")
	if plan.Conflicts > 0 {
		out += "; " + count(plan.Conflicts, "conflict")
	}
	return out + "."
}

// notes say what is not foreseen.
func notes(plan *plans.Plan) []string {
	var functions []string
	for i := range plan.Variants {
		functions = append(functions, plan.Variants[i].Unforeseen...)
	}
	slices.Sort(functions)
	functions = slices.Compact(functions)
	out := slices.Clone(plan.Notes)
	if len(functions) > 0 {
		out = append(out, "Porch runs the pipelines of the packages when it saves them, and what these functions change is "+
			"not in this plan: "+strings.Join(functions, ", ")+"; --render runs them")
	}
	return out
}

// count says how many there are of something whose plural ends in s.
func count(n int, of string) string {
	if n != 1 {
		of += "s"
	}
	return fmt.Sprintf("%d %s", n, of)
}
