// SPDX-License-Identifier: Apache-2.0

// Package plans makes plans, which say as values what the controller is going to do about sets and variants. It runs
// the controller's own reconcilers over a world in memory, until they find nothing more to do, and notes what they did.
package plans

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// Action is what becomes of a variant's package, in one word.
type Action string

// The actions, in the order in which they are told.
const (
	// Fail says that what happens cannot be foreseen, or fails.
	Fail Action = "fail"
	// Delete lets the variant go, with what its deletion policy says of its packages.
	Delete Action = "delete"
	// Prune takes away packages, or revisions, that are not wanted any more.
	Prune Action = "prune"
	// Create clones the upstream into a draft.
	Create Action = "create"
	// Upgrade makes a draft of the published package on another upstream.
	Upgrade Action = "upgrade"
	// Merge merges another upstream into an open draft.
	Merge Action = "merge"
	// Edit changes what the variant sets, in a new draft of the published package or in an open one.
	Edit Action = "edit"
	// Adopt makes the variant the owner of a package that is there.
	Adopt Action = "adopt"
	// Publish proposes and approves a draft, by the variant's approval policy.
	Publish Action = "publish"
	// Wait does nothing, because something is in the way.
	Wait Action = "wait"
	// Unchanged does nothing: the package is what the variant asks for.
	Unchanged Action = "unchanged"
)

// Actions are all actions, in the order in which they are told.
var Actions = []Action{Fail, Delete, Prune, Create, Upgrade, Adopt, Merge, Edit, Publish, Wait, Unchanged}

// Plan is what is going to happen.
type Plan struct {
	// Counts are how many variants each action is for; an action that is for none is left out. A set that fails counts as
	// Fail, too.
	Counts map[Action]int `json:"counts"`
	// Conflicts is how many conflicts there are in all.
	Conflicts int `json:"conflicts"`
	// Sets and Variants are in the order of their namespaces and names.
	Sets     []Set     `json:"sets,omitempty"`
	Variants []Variant `json:"variants"`
	// Notes say what is not foreseen.
	Notes []string `json:"notes,omitempty"`
}

// Condition is what the controller says of a set or a variant.
type Condition struct {
	// Type is Ready, Reconciling or Stalled, whichever is True; of what is unmet, it is the condition that is False.
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Set is what becomes of the variants of a set.
type Set struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Created, Updated and Deleted are the names of its variants that are written.
	Created []string `json:"created,omitempty"`
	Updated []string `json:"updated,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	// Held are the variants that would be written, and are not: for Condition says why.
	Held []string `json:"held,omitempty"`
	// HeldBack are the variants whose wave is not open.
	HeldBack  []string  `json:"heldBack,omitempty"`
	Waves     []Wave    `json:"waves,omitempty"`
	Condition Condition `json:"condition"`
	Error     string    `json:"error,omitempty"`
}

// Wave is a row of the table of waves, once all is done that can be without people or time.
type Wave struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Message string `json:"message,omitempty"`
	// Targets is how many variants it has; Updated, Reached, Failed and Suspended how many of them are so.
	Targets   int `json:"targets"`
	Updated   int `json:"updated"`
	Reached   int `json:"reached"`
	Failed    int `json:"failed"`
	Suspended int `json:"suspended"`
}

// Variant is what becomes of a variant.
type Variant struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Set and Wave are those that it belongs to; empty without.
	Set  string `json:"set,omitempty"`
	Wave string `json:"wave,omitempty"`
	// Repo and Package are its downstream.
	Repo    string `json:"repo,omitempty"`
	Package string `json:"package,omitempty"`
	Action  Action `json:"action"`
	// Steps are what the controller does, in order.
	Steps []Step `json:"steps,omitempty"`
	// Requests are the writes that it asks for, but for those of its status: create packagerevisions.
	Requests []string `json:"requests,omitempty"`
	// Condition is what the controller says then.
	Condition Condition `json:"condition"`
	// Unmet are the conditions that are False then although the package is what the variant asks for: ConfigInjected.
	Unmet    []Condition `json:"unmet,omitempty"`
	Upstream *Upstream   `json:"upstream,omitempty"`
	// Drafts are the package revisions that are made or changed.
	Drafts    []Draft             `json:"drafts,omitempty"`
	Conflicts []v1alpha1.Conflict `json:"conflicts,omitempty"`
	// Unforeseen are the functions in the pipelines of the package, which run when Porch saves it, and which did not run
	// for this plan.
	Unforeseen []string `json:"unforeseen,omitempty"`
	// Error is why nothing is foreseen of it.
	Error string `json:"error,omitempty"`
}

// Step is one thing that the controller does.
type Step struct {
	// Do is the step, in the controller's word: Create, Mutate, Adopt.
	Do string `json:"do"`
	// Revision is the package revision that it is about; empty for the variant itself.
	Revision string `json:"revision,omitempty"`
	// Text says it in words; empty for a part of another step.
	Text string `json:"text,omitempty"`
}

// Upstream is the revision that a package is taken to.
type Upstream struct {
	// From is empty for a package that is new.
	From string `json:"from,omitempty"`
	To   string `json:"to"`
}

// Draft is a package revision that is made or changed.
type Draft struct {
	Name      string `json:"name"`
	Workspace string `json:"workspace"`
	Lifecycle string `json:"lifecycle"`
	// Compared is what the files are compared with: a package revision, or what Porch makes of a clone.
	Compared string `json:"compared"`
	// Total is how many files the package has.
	Total int    `json:"total"`
	Files []File `json:"files,omitempty"`
}

// File is a file that changes.
type File struct {
	Path string `json:"path"`
	// Change is added, removed or changed.
	Change string `json:"change"`
	// Diff is a unified diff; empty unless it was asked for.
	Diff string `json:"diff,omitempty"`
}

// Failure says why the controller does not do what a set asks for until a person helps; "" if it does, or if it waits
// because the set asks for that.
func (s *Set) Failure() string {
	if s.Error != "" || s.Condition.Type != v1alpha1.ConditionStalled || s.Condition.Reason == v1alpha1.ReasonSuspended {
		return s.Error
	}
	return s.Condition.Reason + ": " + s.Condition.Message
}

// Count sets the counts of a plan.
func (p *Plan) Count() {
	p.Counts, p.Conflicts = map[Action]int{}, 0
	for i := range p.Sets {
		if p.Sets[i].Failure() != "" {
			p.Counts[Fail]++
		}
	}
	for i := range p.Variants {
		p.Counts[p.Variants[i].Action]++
		p.Conflicts += len(p.Variants[i].Conflicts)
	}
}

// Changes reports whether anything is going to be written, but to the status of an object.
func (p *Plan) Changes() bool {
	for _, action := range Actions {
		if action != Wait && action != Unchanged && action != Fail && p.Counts[action] > 0 {
			return true
		}
	}
	return slices.ContainsFunc(p.Sets, func(s Set) bool { return len(s.Created)+len(s.Updated)+len(s.Deleted) > 0 })
}

// Errors returns what fails, and what could not be foreseen.
func (p *Plan) Errors() []string {
	var out []string
	for i := range p.Sets {
		if failure := p.Sets[i].Failure(); failure != "" {
			out = append(out, "PackageVariantSet "+p.Sets[i].Name+": "+failure)
		}
	}
	for i := range p.Variants {
		if v := &p.Variants[i]; v.Error != "" {
			out = append(out, "PackageVariant "+v.Name+": "+v.Error)
		}
	}
	return out
}
