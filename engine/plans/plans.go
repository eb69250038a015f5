// SPDX-License-Identifier: Apache-2.0

// Package plans makes plans: values that say what the controller would do about sets and variants. It runs the
// controller's own reconcilers over a world in memory until they have nothing more to do, and records what they did.
package plans

import (
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/decide"
)

// Action is what happens to a variant's package, in one word.
type Action string

// The actions, in display order.
const (
	// Fail says that the variant becomes Stalled, that a step fails, or that the outcome cannot be predicted.
	Fail Action = "fail"
	// Delete deletes the variant, and handles its packages by its deletion policy.
	Delete Action = "delete"
	// Prune removes packages or revisions that are no longer wanted.
	Prune Action = "prune"
	// Create clones the upstream into a draft.
	Create Action = "create"
	// Upgrade makes a draft of the published package on a new upstream.
	Upgrade Action = "upgrade"
	// Merge merges a new upstream into an open draft.
	Merge Action = "merge"
	// Edit changes what the variant sets, in a new draft of the published package or in an open draft.
	Edit Action = "edit"
	// Adopt makes the variant the owner of an existing package.
	Adopt Action = "adopt"
	// Keep withdraws a proposal to delete a package revision.
	Keep Action = "keep"
	// Publish proposes and approves a draft, according to the variant's approval policy.
	Publish Action = "publish"
	// Stalled does nothing, because only a person can help, as before the plan.
	Stalled Action = "stalled"
	// Wait does nothing yet, because something else has to happen first.
	Wait Action = "wait"
	// Unchanged does nothing: the package is what the variant asks for.
	Unchanged Action = "unchanged"
)

// Actions are all actions, in display order.
var Actions = []Action{Fail, Delete, Prune, Create, Upgrade, Adopt, Merge, Edit, Keep, Publish, Stalled,
	Wait, Unchanged}

// WaveNotOpen is the reason of a variant that a set holds back. It is the only reason that is not the controller's,
// which sets no condition in this case.
const WaveNotOpen = "WaveNotOpen"

// Plan is what is going to happen.
type Plan struct {
	// Counts are how many variants each action applies to; actions that apply to none are left out. A variant counts for
	// each of its Actions. A failing set counts as Fail too, and a set that stays Stalled as Stalled.
	Counts map[Action]int `json:"counts"`
	// Conflicts is the total number of conflicts.
	Conflicts int `json:"conflicts"`
	// Sets and Variants are sorted by namespace and name.
	Sets     []Set     `json:"sets,omitempty"`
	Variants []Variant `json:"variants"`
	// Changes are the distinct changes of the files of packages, if they were asked for, after the distinct conflicts.
	Changes []*changes.Change `json:"changes,omitempty"`
	// Failures are what fails of the fleet, and of no set and no variant in the plan.
	Failures []string `json:"failures,omitempty"`
	// Notes say what is not predicted.
	Notes []string `json:"notes,omitempty"`
	// NotContacted are the addresses of git repositories that were not read, because only a stranger names them. What
	// becomes of their packages is not predicted.
	NotContacted []string `json:"notContacted,omitempty"`
	// About is where and when the plan was made. It is for people, and not part of the plan itself.
	About About `json:"-"`
}

// About is where and when a plan was made.
type About struct {
	// Over says what it was made over: "the cluster prod".
	Over string
	// Namespace may be empty if it is unknown.
	Namespace     string
	AllNamespaces bool
	// Named reports whether the plan is about what manifests name, and not about everything.
	Named bool
	Time  time.Time
}

// Condition is what the controller says of a set or a variant.
type Condition struct {
	// Type is Ready, Reconciling or Stalled, the one that is True; for an unmet condition, the type that is False.
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Set is what becomes of the variants of a set.
type Set struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Created, Updated and Deleted are the names of the variants that the set writes.
	Created []string `json:"created,omitempty"`
	Updated []string `json:"updated,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	// Held are the variants that would be written but are held back, for the reason in Condition.
	Held []string `json:"held,omitempty"`
	// Requests are the writes that it asks for, except those of its status, such as create packagevariants. A set writes
	// its variants side by side, so they are sorted.
	Requests []string `json:"requests,omitempty"`
	// HeldBack are the variants whose wave is not open.
	HeldBack  []string  `json:"heldBack,omitempty"`
	Waves     []Wave    `json:"waves,omitempty"`
	Condition Condition `json:"condition"`
	// Stalled says whether the plan breaks the set or the set was broken before, if Condition says that it is Stalled;
	// otherwise empty.
	Stalled Stall  `json:"stalled,omitempty"`
	Error   string `json:"error,omitempty"`
	// Other reports whether the set is not named, and changes all the same.
	Other bool `json:"other,omitempty"`
}

// Wave is a row of the table of waves, once everything is done that needs no person and no time.
type Wave struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Message string `json:"message,omitempty"`
	// Targets is how many variants it has; Updated, Reached, Failed and Suspended are how many are in that state.
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
	// Set and Wave are those that the variant belongs to, or empty.
	Set  string `json:"set,omitempty"`
	Wave string `json:"wave,omitempty"`
	// Repo and Package are its downstream.
	Repo    string `json:"repo,omitempty"`
	Package string `json:"package,omitempty"`
	Action  Action `json:"action"`
	// Steps are what the controller does, in order.
	Steps []Step `json:"steps,omitempty"`
	// Requests are its write requests, except for its status, such as create packagerevisions.
	Requests []string `json:"requests,omitempty"`
	// Condition is the final condition.
	Condition Condition `json:"condition"`
	// Stalled says whether the plan breaks the variant or it was broken before, if Condition says that it is Stalled;
	// otherwise empty.
	Stalled Stall `json:"stalled,omitempty"`
	// Unmet are the conditions that are still False although the package is what the variant asks for: ConfigInjected, and
	// Approved if the variant has an approval policy.
	Unmet    []Condition `json:"unmet,omitempty"`
	Upstream *Upstream   `json:"upstream,omitempty"`
	// Drafts are the package revisions that are made or changed.
	Drafts    []Draft             `json:"drafts,omitempty"`
	Conflicts []v1alpha1.Conflict `json:"conflicts,omitempty"`
	// Unforeseen are the functions in the package's pipelines that the home runs when it saves the package, but that did
	// not run for this plan.
	Unforeseen []string `json:"unforeseen,omitempty"`
	// Error is why the plan predicts nothing for the variant.
	Error string `json:"error,omitempty"`
	// Other reports whether the variant is not named, and something becomes of it all the same.
	Other bool `json:"other,omitempty"`
}

// Step is one thing that the controller does.
type Step struct {
	// Do is the step, in the controller's word: Create, Mutate, Adopt.
	Do string `json:"do"`
	// Revision is the package revision that the step is about; empty for the variant itself.
	Revision string `json:"revision,omitempty"`
	// Text describes the step; empty for a part of another step.
	Text string `json:"text,omitempty"`
}

// deletions are the steps that delete a package revision, or by which the variant gives it up.
var deletions = []decide.Action{decide.Delete, decide.ProposeDeletion, decide.Orphan, decide.Discard}

// Deletes reports whether this step deletes a package revision, or the variant gives it up by this step.
func (s *Step) Deletes() bool { return slices.Contains(deletions, decide.Action(s.Do)) }

// Publishes reports whether a draft is published by this step.
func (s *Step) Publishes() bool { return s.Do == string(decide.Approve) }

// letsGo reports whether the variant itself goes by this step.
func (s *Step) letsGo() bool {
	return s.Do == string(decide.RemoveFinalizer) || s.Do == string(decide.Delete) && s.Revision == ""
}

// Actions returns the variant's action and, after it, what the steps delete or publish beside that.
func (v *Variant) Actions() []Action {
	out := []Action{v.Action}
	removes := Prune
	if slices.ContainsFunc(v.Steps, func(s Step) bool { return s.letsGo() }) {
		removes = Delete
	}
	if slices.ContainsFunc(v.Steps, func(s Step) bool { return s.Deletes() }) && v.Action != Prune && v.Action != Delete {
		out = append(out, removes)
	}
	if slices.ContainsFunc(v.Steps, func(s Step) bool { return s.Publishes() }) && v.Action != Publish {
		out = append(out, Publish)
	}
	return out
}

// Texts say what the controller does, step by step.
func (v *Variant) Texts() []string {
	var out []string
	for _, s := range v.Steps {
		if s.Text != "" {
			out = append(out, s.Text)
		}
	}
	return out
}

// Upstream is the revision that a package moves to.
type Upstream struct {
	// From is empty for a new package.
	From string `json:"from,omitempty"`
	To   string `json:"to"`
}

// Draft is a package revision that is made or changed.
type Draft struct {
	Name      string `json:"name"`
	Workspace string `json:"workspace"`
	Lifecycle string `json:"lifecycle"`
	// Compared is what the files are compared with: a package revision, or the home's clone.
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
}

// Failure says why a set fails until a person helps. It is "" if the set works, waits because it asks for that, or
// failed before.
func (s *Set) Failure() string { return failure(s.Error, s.Stalled, s.Condition) }

// Failure says why a variant fails; "" as for a set.
func (v *Variant) Failure() string { return failure(v.Error, v.Stalled, v.Condition) }

// Count sets the counts of a plan.
func (p *Plan) Count() {
	p.Counts, p.Conflicts = map[Action]int{}, 0
	for i := range p.Sets {
		switch s := &p.Sets[i]; {
		case s.Failure() != "":
			p.Counts[Fail]++
		case s.Stalled == Still:
			p.Counts[Stalled]++
		}
	}
	for i := range p.Variants {
		for _, a := range p.Variants[i].Actions() {
			p.Counts[a]++
		}
		p.Conflicts += len(p.Variants[i].Conflicts)
	}
}

// Writes reports whether the plan writes anything except statuses.
func (p *Plan) Writes() bool {
	for _, action := range Actions {
		if !slices.Contains([]Action{Fail, Stalled, Wait, Unchanged}, action) && p.Counts[action] > 0 {
			return true
		}
	}
	return len(p.NotContacted) > 0 ||
		slices.ContainsFunc(p.Sets, func(s Set) bool { return len(s.Created)+len(s.Updated)+len(s.Deleted) > 0 })
}

// Errors returns what the plan breaks, what fails, and what could not be predicted.
func (p *Plan) Errors() []string {
	out := slices.Clone(p.Failures)
	for i := range p.Sets {
		if failure := p.Sets[i].Failure(); failure != "" {
			out = append(out, "PackageVariantSet "+p.Sets[i].Name+": "+failure)
		}
	}
	for i := range p.Variants {
		if failure := p.Variants[i].Failure(); failure != "" {
			out = append(out, "PackageVariant "+p.Variants[i].Name+": "+failure)
		}
	}
	return out
}
