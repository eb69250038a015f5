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
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/ledger"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Report is what came of a sync.
type Report struct {
	// Uncommitted says which files are not synced, because the commit has others; "" if none.
	Uncommitted string `json:"uncommitted,omitempty"`
	Sets        []Line `json:"sets,omitempty"`
	Variants    []Line `json:"variants,omitempty"`
	// Reviews are the branches that show several drafts.
	Reviews []Review `json:"reviews,omitempty"`
	// Removals are the packages whose removal waits for a person.
	Removals []Removal `json:"removals,omitempty"`
	// Repositories are the git repositories that were read: the pull requests of their drafts and removals are all here.
	Repositories []string `json:"repositories,omitempty"`
	// PullRequests are those about which something was done.
	PullRequests []Asked `json:"pullRequests,omitempty"`
	// Packages are those that something happened to.
	Packages []Package `json:"packages,omitempty"`
	// Notes are sentences for people.
	Notes []string `json:"notes,omitempty"`
	// Failures are why something is not what it is to be, and no person has to decide about it.
	Failures []string `json:"failures,omitempty"`
	// Refused are why the pull requests of a forge are not what they are to be: the drafts are there.
	Refused []string `json:"refused,omitempty"`
}

// Line is what came of a set or a variant.
type Line struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Package is the Repository and the path of the package of a variant.
	Package string `json:"package,omitempty"`
	// State is Ready, Stalled or Reconciling, and why.
	State  string `json:"state"`
	Reason string `json:"reason"`
	// Revision is the published revision, Draft the one that waits to be; Upstream is what the package is to be made from.
	Revision string `json:"revision,omitempty"`
	// From and Workspace are what people call these two.
	Upstream  string `json:"upstream,omitempty"`
	From      string `json:"from,omitempty"`
	Draft     string `json:"draft,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	// Waits is the reason for which the draft waits: ManualApproval is the usual one.
	Waits   string `json:"waits,omitempty"`
	Message string `json:"message,omitempty"`
	// Conflicted says which values the upstream and the package both changed, Injection which points of the package have
	// to be injected, and are not. Neither keeps a variant from being Ready.
	Conflicted string `json:"conflicted,omitempty"`
	Injection  string `json:"injection,omitempty"`
	// Conflicts are all of these values, as the status of the variant has them.
	Conflicts []v1alpha1.Conflict `json:"conflicts,omitempty"`
	// Review is the branch that shows the draft with others; "" if it is for itself.
	Review string `json:"review,omitempty"`
	// PullRequest is for the draft; nil if a review has one.
	PullRequest *PullRequest `json:"pullRequest,omitempty"`
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
		all = append(all, Removal{r.Namespace, r.String(), &PullRequest{Branches: r.Branches, Of: string(r.Commit),
			Title: markdown.Title(r.String() + ": removal"), Body: "Removal of a package: its PackageVariant " +
				markdown.Code(nameOf(Line{Namespace: r.Namespace, Name: r.Variant})) + " is gone. Merging it removes the " +
				"package, and leaves its tags; deleting its branch leaves the package, which is no variant's then.\n"}})
	}
	return all
}

// made says how drafts are made of their sources.
var made = map[revision.TaskType]string{
	revision.Clone: "clone of", revision.Upgrade: "upgrade to", revision.Edit: "edit of",
}

// pullRequest returns the pull request for the draft of a variant, and adds to its line what a person has to look at;
// nil for a draft that is published without one.
func (s *syncer) pullRequest(ctx context.Context, l *Line, known ledger.Ledger) *PullRequest {
	draft, err := s.home.Get(ctx, l.Namespace, l.Draft)
	if err != nil {
		return nil
	}
	if draft.LeftToPeople != "" && l.waitsAsEver() { // it waits for a person in any case, and for more
		l.Waits = v1alpha1.ReasonLeftToPeople
		l.Message = fmt.Sprintf("%s waits for a person, because %s", draft.Name, draft.LeftToPeople)
	}
	if l.Waits == v1alpha1.ReasonApprovalPending || l.Waits == v1alpha1.ReasonGatesNotMet {
		return nil
	}
	return &PullRequest{Branches: s.home.BranchesOf(&draft), Title: titleOf(l, &draft), Body: bodyOf(l), Draft: draft.Name,
		Of: known[ledger.KeyOf(draft.Namespace, draft.Package)].Asked}
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
	for _, more := range []string{l.Message, l.Conflicted} {
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

// decided are the reasons for which something stalls until a person decides, and nothing is wrong.
var decided = []string{v1alpha1.ReasonRejected, v1alpha1.ReasonLeftToPeople, v1alpha1.ReasonSuspended,
	v1alpha1.ReasonConflicted, v1alpha1.ReasonTwoDrafts, v1alpha1.ReasonDownstreamProposed}

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
	known := s.home.Ledger()
	unread := map[types.UID][]string{} // variants, by their sets
	reviewed := s.reviewed(s.state.Reviews)
	for _, pv := range s.store.AllVariants() {
		line := s.line(variantKind, &pv, pv.Status.Conditions)
		if set := metav1.GetControllerOfNoCopy(&pv); set != nil && line.Message == ofEarlierSync {
			unread[set.UID] = append(unread[set.UID], pv.Name)
		}
		line.tell(&pv)
		if line.Draft != "" {
			line.PullRequest = s.pullRequest(ctx, &line, known)
		}
		if line.Review = reviewed[types.NamespacedName{Namespace: line.Namespace, Name: line.Draft}]; line.Review != "" {
			line.PullRequest = nil
		}
		r.Variants = append(r.Variants, line)
	}
	for _, set := range s.store.AllSets() {
		line := s.line(setKind, &set, set.Status.Conditions)
		if names := unread[set.UID]; names != nil && line.State == v1alpha1.ConditionReady {
			line.State, line.Reason = v1alpha1.ConditionReconciling, v1alpha2.ReasonVariantsNotReady
			line.Message = fmt.Sprintf("whether these variants are ready is not known: %s; in an earlier sync, %s",
				words.Some(names, ", "), line.Message)
		}
		r.Sets = append(r.Sets, line)
	}
	for _, e := range s.happened.all(home.MadeByPorch) {
		r.note("%s was made by Porch. If a controller works on its Repository, too, stop one of the two",
			in(e.Namespace, e.Name()))
	}
	s.tellReviews()
	r.Removals, r.Repositories = s.removals(), s.home.Addresses()
}

// tell adds what the status of a variant says of its package.
func (l *Line) tell(pv *v1alpha1.PackageVariant) {
	if d := pv.Spec.Downstream; d != nil {
		l.Package = revision.DownstreamOf(&pv.Spec).String()
	}
	if u := pv.Status.Upstream; u != nil {
		l.Upstream, l.From = u.Name, u.Name
		if of := pv.Spec.Upstream; of != nil && u.Revision > 0 &&
			strings.HasPrefix(u.Name, revision.UpstreamOf(of).NameOf("")) { // it is not one of before an edit of the spec
			l.From = fmt.Sprintf("%s v%d", revision.UpstreamOf(of), u.Revision)
		}
	}
	if d := pv.Status.Downstream; d != nil {
		l.Revision = fmt.Sprintf("v%d", d.Revision)
	}
	if d := pv.Status.OpenDraft; d != nil {
		l.Draft, l.Workspace = d.Name, d.Name
		if of := pv.Spec.Downstream; of != nil {
			l.Workspace = strings.TrimPrefix(d.Name, revision.DownstreamOf(&pv.Spec).NameOf(""))
		}
		if l.State == v1alpha1.ConditionReady {
			l.Waits, l.Message = d.Reason, d.Message
		}
	}
	if c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionConflicted); c != nil &&
		c.Status == metav1.ConditionTrue {
		l.Conflicted, l.Conflicts = c.Message, pv.Status.Conflicts
	}
	for _, c := range plans.Unmet(pv.Status.Conditions) {
		if c.Type == v1alpha1.ConditionConfigInjected {
			l.Injection = c.Message
		}
	}
}

// advise notes which upstreams have something newer without a tag, which variants are named to be suspended, and are
// not there, and which sets meet the limit of a flag.
func (s *syncer) advise(ctx context.Context) {
	untagged := s.untagged(ctx)
	for _, namespace := range sortedNames(untagged) {
		for _, text := range untagged[namespace] {
			s.report.note("%s", text)
		}
	}
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

// ofEarlierSync is the message of a variant that was not looked at.
const ofEarlierSync = "all else that is said of it is of an earlier sync"

// line returns what the conditions of an object say.
func (s *syncer) line(kind string, o metav1.Object, conditions []metav1.Condition) Line {
	line := Line{Namespace: o.GetNamespace(), Name: o.GetName()}
	for _, of := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling} {
		if c := meta.FindStatusCondition(conditions, of); c != nil && c.Status == metav1.ConditionTrue {
			line.State, line.Reason, line.Message = of, c.Reason, c.Message
		}
	}
	id := kind + " " + objects.KeyOf(o).String()
	if c, told := packages.ConditionOf(s.errs[id]); told && line.State != "" && line.Reason != c.Reason { // unwritten
		line.State, line.Reason, line.Message = c.Type, c.Reason, ofEarlierSync
	}
	if line.State == v1alpha1.ConditionStalled && !slices.Contains(decided, line.Reason) && s.errs[id] == nil {
		s.report.Failures = append(s.report.Failures, id+": "+line.Message)
	}
	return line
}

// Table writes the report for people: a table of the packages, a line for each one that something happened to, and what
// is to be done.
func (r *Report) Table(to io.Writer) error {
	if r.Uncommitted != "" {
		if _, err := fmt.Fprintln(to, visible.Line("Not synced: "+r.Uncommitted)); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	if len(r.Variants) > 0 {
		_, _ = fmt.Fprintln(w, "PACKAGE\tSTATE\tREVISION\tUPSTREAM\tDRAFT") // it is in memory until Flush
	}
	lines := slices.SortedStableFunc(slices.Values(r.Variants), func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.title(), b.title()))
	})
	for _, l := range lines {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", cell(l.title()), cell(l.shown()), cell(l.Revision), cell(l.From),
			cell(l.Workspace))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(to, r.rest(lines))
	return err
}

// rest returns what the table does not say, each on one line, as texts of others may have several.
func (r *Report) rest(lines []Line) string {
	var rest strings.Builder
	say := func(format string, args ...any) { fmt.Fprintln(&rest, visible.Line(fmt.Sprintf(format, args...))) }
	for _, p := range r.Packages {
		if p.Text != "" {
			say("%s: %s", in(p.Namespace, p.Package), p.Text)
		}
	}
	for _, l := range lines {
		for _, more := range l.more(r.Failures) {
			say("%s: %s", l.title(), more)
		}
	}
	for _, l := range r.Sets {
		say("set %s: %s: %s", nameOf(l), l.Reason, l.Message)
	}
	for i := range r.Reviews {
		of := &r.Reviews[i]
		say("review %s: %s, waits for a person to merge it%s", of.PullRequest.Branch, of.PullRequest.Title, of.frozen())
	}
	for _, l := range r.Removals {
		say("%s: its removal, the branch %s, waits for a person to merge it", in(l.Namespace, l.Package),
			l.PullRequest.Branch)
	}
	for i := range r.PullRequests {
		say("%s", &r.PullRequests[i])
	}
	for _, of := range []struct {
		what  string
		lines []string
	}{{"Note", r.Notes}, {"Refused", r.Refused}, {"Failed", r.Failures}} {
		for _, line := range of.lines {
			say("%s: %s", of.what, line)
		}
	}
	return rest.String()
}

// shown is the state of a package in the table: the reason of the condition Ready, unless a person has to look at
// something although the variant is Ready.
func (l *Line) shown() string {
	switch {
	case l.State != v1alpha1.ConditionReady:
		return l.Reason
	case l.Conflicted != "":
		return v1alpha1.ReasonConflicted
	case l.Injection != "":
		return v1alpha1.ReasonInjectionUnmet
	case l.Waits != "" && l.Waits != v1alpha1.ReasonManualApproval:
		return l.Waits
	default:
		return l.Reason
	}
}

// waitsAsEver reports whether a draft waits for nothing but a person to publish it, who has to look at its conflicts.
func (l *Line) waitsAsEver() bool {
	return l.Waits == v1alpha1.ReasonManualApproval || l.Waits == v1alpha1.ReasonConflicted && l.Conflicted != ""
}

// more returns what a person has to know of a package, and no failure says.
func (l *Line) more(failures []string) (all []string) {
	usual := l.State == v1alpha1.ConditionReady && (l.Draft == "" || l.waitsAsEver())
	if !usual && l.Message != "" && !slices.Contains(failures, l.failure()) {
		all = append(all, l.Message)
	}
	for _, more := range []string{l.Conflicted, l.Injection} {
		if more != "" && (usual || more != l.Message) {
			all = append(all, more)
		}
	}
	return all
}

// cell returns a text as a cell of the table; "-" if there is none.
func cell(text string) string { return cmp.Or(visible.Line(text), "-") }

// failure is what the report says of a variant that failed with its message.
func (l *Line) failure() string {
	return fmt.Sprintf("%s %s/%s: %s", variantKind, l.Namespace, l.Name, l.Message)
}

// title returns the package of a variant, or the variant if it names none.
func (l *Line) title() string { return in(l.Namespace, cmp.Or(l.Package, l.Name)) }

// in returns the name of something in a namespace, with that where it is not the usual one.
func in(namespace, name string) string {
	if namespace == "default" {
		return name
	}
	return namespace + "/" + name
}

// nameOf returns the name of an object.
func nameOf(l Line) string { return in(l.Namespace, l.Name) }
