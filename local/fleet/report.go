// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/local/home"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Report is what came of a sync.
type Report struct {
	// Uncommitted says which files are not synced, because the commit has others; "" if none.
	Uncommitted string `json:"uncommitted,omitempty"`
	Sets        []Line `json:"sets,omitempty"`
	Variants    []Line `json:"variants,omitempty"`
	// Removals are the packages whose removal waits for a person.
	Removals []Removal `json:"removals,omitempty"`
	// Repositories are the git repositories that were read: the pull requests of their drafts and removals are all here.
	Repositories []string `json:"repositories,omitempty"`
	// Pushed are the package revisions that were pushed, by namespace and name.
	Pushed []string `json:"pushed,omitempty"`
	// Removed are the branches that were removed, and the commits that they had.
	Removed []string `json:"removed,omitempty"`
	// Found is what people did on branches.
	Found []string `json:"found,omitempty"`
	// Notes are sentences for people.
	Notes []string `json:"notes,omitempty"`
	// Failures are why something is not what it is to be, and no person has to decide about it.
	Failures []string `json:"failures,omitempty"`
}

// Line is what came of a set or a variant.
type Line struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// State is Ready, Stalled or Reconciling, and why.
	State  string `json:"state"`
	Reason string `json:"reason"`
	// Revision is the published revision, Draft the one that waits to be; Upstream is what the package is to be made from.
	Revision string `json:"revision,omitempty"`
	Upstream string `json:"upstream,omitempty"`
	Draft    string `json:"draft,omitempty"`
	// Waits is the reason for which the draft waits: ManualApproval is the usual one.
	Waits   string `json:"waits,omitempty"`
	Message string `json:"message,omitempty"`
	// Conflicts names the values that the upstream and the package both changed.
	Conflicts string `json:"conflicts,omitempty"`
	// PullRequest is for the draft.
	PullRequest *PullRequest `json:"pullRequest,omitempty"`
}

// PullRequest is what a forge needs for the pull request of a draft. The body is Markdown.
type PullRequest struct {
	home.Branches
	Title string `json:"title"`
	Body  string `json:"body"`
}

// Removal is a package whose removal waits for a person, who merges a branch.
type Removal struct {
	Namespace string `json:"namespace"`
	Package   string `json:"package"`
	// PullRequest is for the branch.
	PullRequest *PullRequest `json:"pullRequest"`
}

// removals returns the removals that wait.
func (s *syncer) removals() (all []Removal) {
	for _, r := range s.home.Removals() {
		all = append(all, Removal{r.Namespace, r.String(), &PullRequest{r.Branches,
			markdown.Title(r.String() + ": removal"), "Removal of a package: its PackageVariant " +
				markdown.Code(nameOf(Line{Namespace: r.Namespace, Name: r.Variant})) + " is gone. Merging it removes the " +
				"package, and leaves its tags; deleting its branch leaves the package, which is no variant's then.\n"}})
	}
	return all
}

// made says how drafts are made of their sources.
var made = map[revision.TaskType]string{
	revision.Clone: "clone of", revision.Upgrade: "upgrade to", revision.Edit: "edit of",
}

// pullRequest returns the pull request for the draft of a variant.
func (s *syncer) pullRequest(ctx context.Context, l *Line) *PullRequest {
	draft, err := s.home.Get(ctx, l.Namespace, l.Draft)
	if err != nil {
		return nil
	}
	return &PullRequest{Branches: s.home.BranchesOf(&draft), Title: titleOf(l, &draft), Body: bodyOf(l)}
}

// titleOf returns the title of the pull request for the draft of a variant.
func titleOf(l *Line, draft *revision.Revision) string {
	title := draft.Package.String() + ": draft"
	if how := made[draft.Task.Type]; how != "" {
		source := draft.Task.Source
		if l.State == v1alpha1.ConditionReady && draft.Task.Type != revision.Edit { // it may have been moved there since
			source = l.Upstream
		}
		title = fmt.Sprintf("%s: %s %s", draft.Package, how, source)
	}
	return markdown.Title(title)
}

// maxMessage is the most bytes of a message in a body: GitHub takes 65536 characters, and an escaped one may have 13.
const maxMessage = 2000

// bodyOf returns the body of the pull request for the draft of a variant. What packages and servers decide about is
// code in it.
func bodyOf(l *Line) string {
	body := "Draft of the PackageVariant " + markdown.Code(nameOf(*l)) +
		". Merging it publishes it; deleting its branch rejects it.\n"
	for _, more := range []string{l.Message, l.Conflicts} {
		if said := markdown.Code(markdown.Cut(more, maxMessage)); said != "" {
			body += "\n" + said + "\n"
		}
	}
	return body
}

func (r *Report) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (r *Report) warn(err error) {
	if err != nil {
		r.note("%v", err)
	}
}

// pushed notes what came of the pushes of a revision.
func (r *Report) pushed(id string, o *home.Outcome) {
	if o.Err != nil {
		return
	}
	for _, e := range o.Ended {
		r.Removed = append(r.Removed, fmt.Sprintf("%s: the branch %s, which was at %s", strings.TrimSuffix(id, "."), e.Branch,
			e.Commit))
	}
	if o.Pushed && !slices.Contains(r.Pushed, id) {
		r.Pushed = append(r.Pushed, id)
	}
}

// settled notes what people did.
func (r *Report) settled(s *home.Settled) {
	for what, ids := range map[string][]string{"published what was merged": s.Published,
		"the draft is merged": s.Done, "merged what is published into the draft": s.Updated,
		"the draft was merged and its branch removed": s.Merged, "the draft was rejected": s.Rejected,
		"the merge was taken back": s.TakenBack, "the removal of the package is merged": s.Removed} {
		for _, id := range ids {
			r.found(id + ": " + what)
		}
	}
	for _, id := range s.Porchs {
		r.note("%s was made by Porch. If a controller works on its Repository, too, stop one of the two", id)
	}
	for id, why := range s.Overtaken {
		r.found(id + ": a person has to merge what is published into the draft: " + why)
	}
	slices.Sort(r.Found)
}

func (r *Report) found(text string) {
	if !slices.Contains(r.Found, text) {
		r.Found = append(r.Found, text)
	}
}

// decided are the reasons for which something stalls until a person decides, and nothing is wrong.
var decided = []string{v1alpha1.ReasonRejected, v1alpha1.ReasonSuspended, v1alpha1.ReasonConflicted,
	v1alpha1.ReasonTwoDrafts, v1alpha1.ReasonDownstreamProposed}

// conclude writes the lines.
func (s *syncer) conclude(ctx context.Context) {
	r := &s.report
	for _, id := range sortedNames(s.errs) {
		said := s.errs[id].Error()
		if condition, told := packages.ConditionOf(s.errs[id]); told {
			said = condition.Message
		}
		r.Failures = append(r.Failures, id+": "+said)
	}
	s.advise(ctx)
	for _, set := range s.store.AllSets() {
		r.Sets = append(r.Sets, s.line(setKind, &set, set.Status.Conditions))
	}
	for _, pv := range s.store.AllVariants() {
		line := s.line(variantKind, &pv, pv.Status.Conditions)
		if u := pv.Status.Upstream; u != nil {
			line.Upstream = u.Name
		}
		if d := pv.Status.Downstream; d != nil {
			line.Revision = fmt.Sprintf("v%d", d.Revision)
		}
		if d := pv.Status.OpenDraft; d != nil {
			line.Draft = d.Name
			if line.State == v1alpha1.ConditionReady {
				line.Waits, line.Message = d.Reason, d.Message
			}
		}
		if c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionConflicted); c != nil &&
			c.Status == metav1.ConditionTrue {
			line.Conflicts = c.Message
		}
		if line.Draft != "" {
			line.PullRequest = s.pullRequest(ctx, &line)
		}
		r.Variants = append(r.Variants, line)
	}
	r.Removals, r.Repositories = s.removals(), s.home.Addresses()
}

// leftBehind notes which packages have variants and no Repository: nobody removes them.
func (s *syncer) leftBehind(ctx context.Context) error {
	for _, key := range slices.SortedFunc(maps.Keys(s.was.Variants), objects.CompareKeys) {
		pv := s.was.Variants[key]
		if pv.Spec.Downstream == nil || len(pv.Status.OwnedRevisions) == 0 {
			continue
		}
		pkg := revision.DownstreamOf(&pv.Spec)
		if r, err := s.store.Repository(ctx, key.Namespace, pkg.Repo); err != nil {
			return err
		} else if r == nil {
			s.report.note("the package %s of %s stays in git, with its drafts, because the fleet has no Repository %s "+
				"any more: if it is to go, restore the Repository's manifest, and sync; take its label or the variant's "+
				"manifest away, and sync; merge the removal; and only then remove the Repository's manifest", pkg, key, pkg.Repo)
		}
	}
	return nil
}

// advise notes which variants are named to be suspended, and are not there, and which sets meet the limit of a flag.
func (s *syncer) advise(ctx context.Context) {
	for _, set := range s.store.AllSets() {
		c := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionStalled)
		if s.store.unlimited[objects.KeyOf(&set)] && c != nil && c.Reason == v1alpha2.ReasonTooManyDeletions {
			s.report.note("%s has no spec.maxDeletions, which is then what --max-removals says: say it with a larger number to "+
				"have them deleted once", objects.KeyOf(&set))
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(s.store.suspended), objects.CompareKeys) {
		if pv, err := s.store.Variant(ctx, key.Namespace, key.Name); err == nil && pv == nil {
			s.report.note("%s: the annotation %s of a set names it, and no set has such a variant", key,
				SuspendVariantsAnnotation)
		}
	}
}

// line returns what the conditions of an object say.
func (s *syncer) line(kind string, o metav1.Object, conditions []metav1.Condition) Line {
	line := Line{Namespace: o.GetNamespace(), Name: o.GetName()}
	for _, of := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling} {
		if c := meta.FindStatusCondition(conditions, of); c != nil && c.Status == metav1.ConditionTrue {
			line.State, line.Reason, line.Message = of, c.Reason, c.Message
		}
	}
	id := kind + " " + objects.KeyOf(o).String()
	if line.State == v1alpha1.ConditionStalled && !slices.Contains(decided, line.Reason) && s.errs[id] == nil {
		s.report.Failures = append(s.report.Failures, id+": "+line.Message)
	}
	return line
}

// Table writes the report for people.
func (r *Report) Table(to io.Writer) error {
	if r.Uncommitted != "" {
		if _, err := fmt.Fprintln(to, visible.Line("Not synced: "+r.Uncommitted)); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	if len(r.Variants) > 0 {
		_, _ = fmt.Fprintln(w, "VARIANT\tSTATE\tREVISION\tUPSTREAM\tDRAFT") // it is in memory until Flush
	}
	for _, l := range r.Variants {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", cell(nameOf(l)), cell(l.Reason), cell(l.Revision),
			cell(l.Upstream), cell(l.Draft))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var rest strings.Builder
	say := func(format string, args ...any) { // on one line, as texts of others may have several
		fmt.Fprintln(&rest, visible.Line(fmt.Sprintf(format, args...)))
	}
	for _, l := range r.Variants {
		usual := l.State == v1alpha1.ConditionReady && (l.Draft == "" || l.Waits == v1alpha1.ReasonManualApproval)
		if !usual && l.Message != "" && !slices.Contains(r.Failures, l.failure()) {
			say("%s: %s", nameOf(l), l.Message)
		}
		if l.Conflicts != "" {
			say("Conflict: %s: %s", nameOf(l), l.Conflicts)
		}
	}
	for _, l := range r.Sets {
		say("set %s: %s: %s", nameOf(l), l.Reason, l.Message)
	}
	for _, l := range r.Removals {
		say("Removal: %s/%s: the branch %s waits for a person to merge it", l.Namespace, l.Package, l.PullRequest.Branch)
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Found", r.Found}, {"Pushed", r.Pushed}, {"Removed", r.Removed},
		{"Note", r.Notes}, {"Failed", r.Failures}} {
		for _, line := range part.lines {
			say("%s: %s", part.title, line)
		}
	}
	_, err := io.WriteString(to, rest.String())
	return err
}

// cell returns a text as a cell of the table; "-" if there is none.
func cell(text string) string { return cmp.Or(visible.Line(text), "-") }

// failure is what the report says of a variant that failed with its message.
func (l *Line) failure() string {
	return fmt.Sprintf("%s %s/%s: %s", variantKind, l.Namespace, l.Name, l.Message)
}

// nameOf returns the name of an object, with its namespace where that is not the usual one.
func nameOf(l Line) string {
	if l.Namespace == "default" {
		return l.Name
	}
	return l.Namespace + "/" + l.Name
}
