// SPDX-License-Identifier: Apache-2.0

// Package review is what a person sees of the drafts of a variant before approving or rejecting them, and why that is
// refused. It takes values only: the command lines of all homes share it.
package review

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Input is what is known of a variant before its drafts are approved or rejected.
type Input struct {
	words.Home
	Variant *v1alpha1.PackageVariant
	// Revisions are all revisions of the namespace, Repositories the Repositories by name.
	Revisions    []revision.Revision
	Repositories map[string]revision.Repository
	// Files are the files of the open revisions and of the latest published one, by name. Gates are the readiness gates of
	// the open revisions that are not True.
	// Read fills both.
	Files map[string]map[string]string
	Gates map[string][]string
	// AllowConflicts and AllowGates are what the user allows.
	AllowConflicts, AllowGates bool
}

// Item is a package revision to approve or reject.
type Item struct {
	// Variant is the name of the variant. Target is its open revision, nil if there is none.
	Variant string
	Target  *revision.Revision
	// Moved is the upstream revision that the target has, if it was made from another one, and is known; else "".
	Moved string
	// Published is the name of the latest published revision; "" if there is none.
	Published string
	// Files says what the target changes.
	Files Files
	// Conflicts are the values that the upstream and the package both changed, as far as the status names them.
	Conflicts []v1alpha1.Conflict
	// Conditions are the conditions of the variant, shortened.
	Conditions []string
	// Refused says why nothing is done; "" if nothing is in the way.
	Refused string
}

// Same reports whether another item is about the same revision.
func (i *Item) Same(other *Item) bool {
	return i.Target != nil && other.Target != nil && i.Target.Namespace == other.Target.Namespace &&
		i.Target.Name == other.Target.Name
}

// Files counts the files of a package by kind of change.
type Files struct{ Added, Changed, Removed int }

// String returns the counts in words.
func (f Files) String() string {
	return fmt.Sprintf("%d added, %d changed, %d removed", f.Added, f.Changed, f.Removed)
}

func compared(before, after map[string]string) Files {
	var f Files
	for path, text := range after {
		if was, ok := before[path]; !ok {
			f.Added++
		} else if was != text {
			f.Changed++
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			f.Removed++
		}
	}
	return f
}

// decision returns the variant as input for package decide, so drafts are told apart as in the controller.
func (in *Input) decision() *decide.Input {
	pv := in.Variant
	d := &decide.Input{Memory: decide.Memory{OwnedNames: map[string]bool{}}, Observed: decide.Observed{
		Variant:      decide.Variant{Spec: &pv.Spec, Owner: revision.Owner{Name: pv.Name, UID: pv.UID}},
		Repositories: in.Repositories}}
	for _, name := range pv.Status.OwnedRevisions {
		d.OwnedNames[name] = true
	}
	d.Bases = in.Revisions
	d.Upstream = revision.Upstream(pv.Spec.Upstream, in.Revisions)
	if pv.Spec.Downstream == nil {
		return d
	}
	for i := range in.Revisions {
		if in.Revisions[i].Package == revision.DownstreamOf(&pv.Spec) {
			d.Revisions = append(d.Revisions, in.Revisions[i])
		}
	}
	return d
}

// Targets returns the revisions whose files are needed: the open revisions of the variant, and the latest published one
// or nil.
func (in *Input) Targets() (open []revision.Revision, published *revision.Revision) {
	d := in.decision()
	if in.Variant.Spec.Downstream == nil {
		return nil, nil
	}
	for _, target := range decide.Targets(d) {
		if target.Open() {
			open = append(open, target)
		}
	}
	return open, revision.LatestPublished(d.Revisions)
}

// Read reads the files to compare, by the name of a revision, and their gates.
func (in *Input) Read(read func(name string) (map[string]string, error)) (err error) {
	in.Files, in.Gates = map[string]map[string]string{}, map[string][]string{}
	open, published := in.Targets()
	for i := range open {
		name := open[i].Name
		if in.Files[name], err = read(name); err != nil {
			return err
		}
		if in.Gates[name], err = kpt.UnmetGates(in.Files[name]); err != nil {
			return err
		}
	}
	if len(open) > 0 && published != nil {
		in.Files[published.Name], err = read(published.Name)
	}
	return err
}

// Approvals returns the items to approve for a variant: its open revisions, or one item that says there are none.
func Approvals(in *Input) []Item {
	return in.Items(func(target *revision.Revision) string {
		for _, rule := range refusals {
			if sentence := rule(in, target); sentence != "" {
				return sentence
			}
		}
		return ""
	})
}

// Rejections returns the items to reject for a variant where drafts are proposed before: its proposed revisions.
func Rejections(in *Input) []Item {
	return in.Items(func(target *revision.Revision) string {
		if target.Lifecycle == revision.Proposed {
			return ""
		}
		return fmt.Sprintf("%s is a draft that nobody has proposed, so there is nothing to reject: edit it, or suspend %s",
			target.Name, in.Variant.Name)
	})
}

// Items returns the items of a variant: its open revisions, or one item that says there are none. refused says why
// nothing is done to a revision; "" if nothing is in the way.
func (in *Input) Items(refused func(*revision.Revision) string) []Item {
	open, latest := in.Targets()
	blank := Item{Variant: in.Variant.Name, Conditions: conditions(in.Variant)}
	if latest != nil {
		blank.Published = latest.Name
	}
	var items []Item
	for i := range open {
		item := blank
		item.Target = &open[i]
		item.Moved = in.moved(&open[i])
		item.Conflicts = in.Variant.Status.Conflicts
		item.Files = compared(in.Files[blank.Published], in.Files[open[i].Name])
		item.Refused = refused(&open[i])
		items = append(items, item)
	}
	if len(items) == 0 {
		return []Item{blank}
	}
	return items
}

// moved returns the upstream revision that a clone or an upgrade has, if it was made from another one.
func (in *Input) moved(target *revision.Revision) string {
	isEdit := target.Task.Type == revision.Edit
	if target.Lock == nil || isEdit || slices.ContainsFunc(in.Revisions, func(r revision.Revision) bool {
		return r.Name == target.Task.Source && target.Lock.Names(&r)
	}) {
		return ""
	}
	if upstream := target.Lock.Find(in.Revisions); upstream != nil {
		return upstream.Name
	}
	return ""
}

// conditions returns Ready and every condition that reports something unusual.
func conditions(pv *v1alpha1.PackageVariant) []string {
	var out []string
	for _, c := range pv.Status.Conditions {
		switch {
		case c.Type == v1alpha1.ConditionReady, c.Type == v1alpha1.ConditionConfigInjected,
			c.Type == v1alpha1.ConditionApproved, c.Status == metav1.ConditionTrue:
			out = append(out, fmt.Sprintf("%s=%s (%s)", c.Type, c.Status, c.Reason))
		}
	}
	return out
}

// refusals are tried in order; the first sentence is why a revision is not approved. Together they ensure that only
// what the variant asks for is approved.
var refusals = []func(*Input, *revision.Revision) string{
	isDeleted, isUnseen, isOnAnotherUpstream, renderFailed, isNotReady, hasMarkers, hasConflicts, hasUnmetGates,
}

func isDeleted(in *Input, target *revision.Revision) string {
	if in.Variant.DeletionTimestamp.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s is being deleted, and %s with it", in.Variant.Name, target.Name)
}

func isUnseen(in *Input, target *revision.Revision) string {
	if in.Variant.Status.ObservedGeneration >= in.Variant.Generation {
		return ""
	}
	return fmt.Sprintf("%s may not be what %s asks for: %s has not looked at its generation %d yet: %s", target.Name,
		in.Variant.Name, in.Controller, in.Variant.Generation, in.Wait)
}

// isOnAnotherUpstream refuses a stale draft: the upstream, or the revision that it stands for, has changed since.
func isOnAnotherUpstream(in *Input, target *revision.Revision) string {
	d := in.decision()
	if d.Upstream == nil {
		return fmt.Sprintf("there is no %s, which %s asks for: publish it, or correct spec.upstream",
			in.Variant.Spec.Upstream.Describe(), in.Variant.Name)
	}
	if decide.OnUpstream(d, target) {
		return ""
	}
	from := "another revision"
	if base := decide.Base(d, target); base != nil {
		from = base.Name
	}
	return fmt.Sprintf("%s was made from %s, and %s asks for %s: %s, or see why it is not Ready", target.Name, from,
		in.Variant.Name, d.Upstream.Name, in.Wait)
}

func renderFailed(in *Input, target *revision.Revision) string {
	for _, known := range in.Variant.Status.DownstreamTargets {
		if known.Name == target.Name && known.RenderStatus != nil && known.RenderStatus.Err != "" {
			return fmt.Sprintf("the pipeline in the Kptfile of %s failed: %s", target.Name,
				strings.Join(strings.Fields(known.RenderStatus.Err), " "))
		}
	}
	return ""
}

func isNotReady(in *Input, target *revision.Revision) string {
	c := meta.FindStatusCondition(in.Variant.Status.Conditions, v1alpha1.ConditionReady)
	if c != nil && c.Status == metav1.ConditionTrue {
		return ""
	}
	reason := in.Controller + " has not said that it is"
	if c != nil {
		reason = c.Reason + ": " + c.Message
	}
	return fmt.Sprintf("%s is not what %s asks for: %s", target.Name, in.Variant.Name, reason)
}

// marker finds the first line of a conflict that git left in a file, up to its last one.
var marker = regexp.MustCompile(`(?ms)^<{7} .*^={7}$.*^>{7} `)

// hasMarkers refuses a draft in whose files somebody has not solved a conflict of git.
func hasMarkers(in *Input, target *revision.Revision) string {
	files := in.Files[target.Name]
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if at := marker.FindStringIndex(files[path]); at != nil {
			return fmt.Sprintf("%s has a conflict of git in %s, line %d: solve it there, and remove the lines that mark it",
				target.Name, path, 1+strings.Count(files[path][:at[0]], "\n"))
		}
	}
	return ""
}

// andMore follows as many conflicts as a status names.
const andMore = "and there may be more: the status has the first 100"

func hasConflicts(in *Input, target *revision.Revision) string {
	if in.AllowConflicts || len(in.Variant.Status.Conflicts) == 0 ||
		!meta.IsStatusConditionTrue(in.Variant.Status.Conditions, v1alpha1.ConditionConflicted) {
		return ""
	}
	return fmt.Sprintf("%s has values that the upstream and the package both changed: look at them by %s diff %s%s, "+
		"and allow them by --allow-conflicts", target.Name, in.Command, in.Variant.Name, in.Flags)
}

func hasUnmetGates(in *Input, target *revision.Revision) string {
	gates := in.Gates[target.Name]
	if in.AllowGates || len(gates) == 0 {
		return ""
	}
	return fmt.Sprintf("%s has readiness gates in its Kptfile that are not met: %s; meet them, or allow it by "+
		"--allow-unmet-gates", target.Name, strings.Join(gates, ", "))
}
