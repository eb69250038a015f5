// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/words"
)

// namer returns a function that names the objects of a plan, with the namespace if the plan has several.
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

// packageOf names the downstream package of a variant; "" if it is unknown.
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

// upstreamOf names the upstream that the package moves to.
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

// thenOf returns what is deleted and published, and what the package is like in the end.
func thenOf(v *plans.Variant) string {
	said := []string{endOf(v)}
	if !stepsSay(v) {
		for i := range v.Steps {
			if s := &v.Steps[i]; s.Deletes() || s.Publishes() {
				said = slices.Insert(said, len(said)-1, s.Text)
			}
		}
	}
	return strings.Join(said, "; ")
}

// stepsSay reports whether the steps say all about a variant, and its final condition adds nothing.
func stepsSay(v *plans.Variant) bool {
	return v.Failure() == "" && slices.Contains([]plans.Action{plans.Prune, plans.Delete, plans.Publish}, v.Action)
}

// endOf returns the final condition, or the controller's steps if they say it all, and what the package still lacks.
func endOf(v *plans.Variant) string {
	said := []string{}
	switch {
	case v.Failure() != "":
		said = append(said, v.Failure())
	case stepsSay(v):
		said = append(said, strings.Join(v.Texts(), ", "))
	case v.Condition.Reason == "":
		said = append(said, "not looked at yet")
	case v.Condition.Type == v1alpha1.ConditionReady && v.Condition.Reason == v1alpha1.ReasonUpToDate:
		said = append(said, v.Condition.Reason+lifecycles(v))
	default:
		said = append(said, v.Stalled.Says(v.Condition))
	}
	for _, c := range v.Unmet {
		said = append(said, fmt.Sprintf("%s=False (%s): %s", c.Type, c.Reason, c.Message))
	}
	return strings.Join(said, "; ")
}

// lifecycles returns the final lifecycles of a variant's drafts: Draft, which a person has to publish, or Published.
func lifecycles(v *plans.Variant) string {
	var all []string
	for i := range v.Drafts {
		if d := &v.Drafts[i]; d.Lifecycle != "" && !slices.Contains(all, d.Lifecycle) {
			all = append(all, d.Lifecycle)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// summary counts what is going to happen.
func summary(plan *plans.Plan) string {
	var parts []string
	if n := len(plan.Failures); n > 0 {
		parts = append(parts, words.Count(n, "failure"))
	}
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
		out += "; " + words.Count(plan.Conflicts, "conflict")
	}
	return out + "."
}

// notes say what fails beside sets and variants, and what is not predicted.
func notes(plan *plans.Plan) []string {
	var functions []string
	for i := range plan.Variants {
		functions = append(functions, plan.Variants[i].Unforeseen...)
	}
	slices.Sort(functions)
	functions = slices.Compact(functions)
	out := slices.Concat(plan.Failures, plan.Notes)
	if len(functions) > 0 {
		out = append(out, "Porch runs the pipelines of the packages when it saves them, and what these functions change is "+
			"not in this plan: "+strings.Join(functions, ", ")+"; --render runs them")
	}
	return out
}
