// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	draft            = revision.Draft
	isProposed       = revision.Proposed
	published        = revision.Published
	deletionProposal = revision.DeletionProposed
)

var (
	us      = revision.Owner{Name: "web-eu", UID: "uid"}
	errBoom = errors.New("apply-package-context: boom")
	// errMerge is how a merge fails.
	errMerge = errors.New("merge-upstream: boom")
)

// offBranchText is the message of a draft whose package was removed from the branch.
const offBranchText = " waits for a person, because the package was published before and removed from the branch: " +
	"publish it if the package is to come back"

// overBranchText is the message of a draft that would replace what is on the branch.
const overBranchText = " waits for a person, because it would replace the package that is on the branch main, of which " +
	"no revision is published: publish it, or remove the package from the branch"

// inPlaceOf is the message of a draft that was made in place of another, which is missing.
func inPlaceOf(name string) string {
	return " waits for a person, because it was made in place of " + name + ", which is not found any more, and may " +
		"lack its changes: publish it if " + name + " was deleted on purpose"
}

// address is the address of the blueprint's git repository.
const address = "https://example.com/blueprints"

// upstream returns a revision of the blueprint.
func upstream(number int, lifecycle revision.Lifecycle) revision.Revision {
	workspace := string(rune('0' + number))
	return revision.Revision{
		Name: "blueprints.web.v" + workspace, Package: revision.Package{Repo: "blueprints", Name: "web"},
		Workspace: "v" + workspace, Number: number, Lifecycle: lifecycle, Commit: "commit-" + workspace,
		PublishedAt: time.Unix(int64(number), 0),
	}
}

type edit func(*revision.Revision)

// down returns a revision of the downstream package that the variant owns, derived from the blueprint's first revision.
func down(workspace string, number int, lifecycle revision.Lifecycle, edits ...edit) revision.Revision {
	r := revision.Revision{
		Name: "edge.web." + workspace, Package: revision.Package{Repo: "edge", Name: "web"},
		Workspace: workspace, Number: number, Lifecycle: lifecycle,
		Owners: []metav1.OwnerReference{us.Reference()},
		Lock:   &revision.Lock{Directory: "web", Ref: "web/v1", Commit: "commit-1"},
	}
	for _, e := range edits {
		e(&r)
	}
	return r
}

func foreign(r *revision.Revision)  { r.Owners = nil }
func unlocked(r *revision.Revision) { r.Lock = nil }
func inParts(r *revision.Revision)  { r.InParts = true }
func restored(r *revision.Revision) {
	r.Owners = []metav1.OwnerReference{revision.Owner{Name: us.Name, UID: "before"}.Reference()}
}
func others(r *revision.Revision) {
	r.Owners = []metav1.OwnerReference{revision.Owner{Name: "conflicting", UID: "r"}.Reference()}
}
func shared(r *revision.Revision) {
	r.Owners = append(r.Owners, revision.Owner{Name: "conflicting", UID: "r"}.Reference())
}
func from(ref, commit string) edit {
	return func(r *revision.Revision) {
		r.Lock = &revision.Lock{Repo: address + ".git", Directory: "web", Ref: ref, Commit: commit}
	}
}
func made(task revision.TaskType, source string) edit {
	return func(r *revision.Revision) { r.Task = revision.Task{Type: task, Source: source} }
}

// of sets the Repository of a revision, in place of the downstream's.
func of(repo string) edit {
	return func(r *revision.Revision) { r.Name, r.Package.Repo = repo+".web."+r.Workspace, repo }
}

// at sets when a revision was created, on the clock by which the blueprint's revision n is published at second n.
func at(second int64) edit {
	return func(r *revision.Revision) { r.Created = time.Unix(second, 0) }
}

// input returns the input of a variant that asks for the blueprint's first revision.
func input(change func(*Input), revisions ...revision.Revision) *Input {
	one := upstream(1, published)
	in := &Input{
		Observed: Observed{
			Variant: Variant{Owner: us, Finalizer: true, Spec: &variant.Spec{
				Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
				Downstream: &variant.Downstream{Repo: "edge", Package: "web"},
			}},
			Upstream: &one, Revisions: revisions, Bases: []revision.Revision{one, upstream(2, published)},
			Repositories: map[string]revision.Repository{
				"blueprints": {Ready: true, Address: address, Branch: "main"}, "edge": {Ready: true}},
		},
		Memory: Memory{OwnedNames: map[string]bool{}},
		Read:   Read{Mutations: map[string]Mutation{}, Merges: map[string]Merge{}},
	}
	if change != nil {
		change(in)
	}
	return in
}

// large says that a revision, or what would be merged into it, is too large.
func large(name string) func(*Input) {
	return func(in *Input) {
		in.Unusable = map[string]v1alpha1.Condition{name: v1alpha1.Stalled("PackageTooLarge", name+" is large")}
	}
}

func second(in *Input)      { two := upstream(2, published); in.Upstream = &two }
func wasOnBranch(in *Input) { in.WasOnBranch = true }
func adopt(in *Input)       { in.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting }
func orphan(in *Input)      { in.Spec.DeletionPolicy = variant.DeletionPolicyOrphan }
func cascades(in *Input)    { in.Cascade = true }
func deleting(in *Input)    { in.Deleting = true }

func changed(name string) func(*Input) {
	return func(in *Input) { in.Mutations[name] = Mutation{Changed: []string{"a.yaml", "cm.yaml"}} }
}

func fails(name string) func(*Input) {
	return func(in *Input) { in.Mutations[name] = Mutation{Err: errBoom} }
}

// lacks says that a revision lacks files, and whether Porch would have written them by now.
func lacks(name string, overdue bool, files ...string) func(*Input) {
	return func(in *Input) { in.Mutations[name] = Mutation{Missing: files, Overdue: overdue} }
}

// untouched says that the files of a revision are as Porch made them.
func untouched(name string) func(*Input) {
	return func(in *Input) {
		m := in.Mutations[name]
		m.AsMade = true
		in.Mutations[name] = m
	}
}

// settles says that people have settled the conflict of a number.
func settles(name string, number int) func(*Input) {
	return func(in *Input) {
		in.Mutations[name] = Mutation{Settled: []v1alpha1.Conflict{conflict(number)}}
	}
}

func reverted(name string) func(*Input) {
	return func(in *Input) { in.Mutations[name] = Mutation{Reverted: []string{"a.yaml", "cm.yaml"}} }
}

// branch makes the upstream asked for the branch of the blueprint, at a commit.
func branch(commit string) func(*Input) {
	return func(in *Input) {
		in.Upstream.Number, in.Upstream.Workspace, in.Upstream.Name, in.Upstream.Commit = -1, "main", "blueprints.web.main",
			commit
	}
}

func onConflict(is variant.OnConflict) func(*Input) {
	return func(in *Input) { in.Spec.Upgrade = &variant.Upgrade{OnConflict: is} }
}

// conflict returns a conflict of a number.
func conflict(i int) v1alpha1.Conflict {
	return v1alpha1.Conflict{File: "a.yaml", Resource: "Deployment web", Field: fmt.Sprintf("spec.f%d", i), Original: "1",
		Local: "2", Updated: "3"}
}

// conflictText is what a message says of the conflict of a number.
func conflictText(i int) string {
	return fmt.Sprintf(`spec.f%d of Deployment web in a.yaml (here "2", upstream "3")`, i)
}

// conflicts says that merging the upstream into a revision has n conflicts, numbered from 1.
func conflicts(name string, n int) func(*Input) {
	return func(in *Input) {
		var m Merge
		for i := range n {
			m.Conflicts = append(m.Conflicts, conflict(i+1))
		}
		in.Merges[name] = m
	}
}

// mergeFails says that the upstream cannot be merged into a revision.
func mergeFails(name string) func(*Input) {
	return func(in *Input) { in.Merges[name] = Merge{Err: errMerge} }
}

func known(names ...string) func(*Input) {
	return func(in *Input) {
		for _, name := range names {
			in.OwnedNames[name] = true
		}
	}
}

// publishedBefore says that the status knows a published revision of the downstream package.
func publishedBefore(name string) func(*Input) {
	return func(in *Input) { in.Published = name }
}

// requests says that Porch was asked for a draft of the downstream package.
func requests(workspace string, task revision.TaskType, source string) func(*Input) {
	return func(in *Input) {
		in.Requested = Request{Name: revision.Package{Repo: "edge", Name: "web"}.NameOf(workspace),
			Task: revision.Task{Type: task, Source: source}}
	}
}

func elsewhere(revisions ...revision.Revision) func(*Input) {
	return func(in *Input) { in.OwnedInOtherPackages = revisions }
}

func repository(name string, is revision.Repository) func(*Input) {
	return func(in *Input) { in.Repositories[name] = is }
}

func all(changes ...func(*Input)) func(*Input) {
	return func(in *Input) {
		for _, c := range changes {
			c(in)
		}
	}
}

// makes is the step that makes a draft.
func makes(workspace, task string) []string {
	return []string{"Create edge/web " + workspace + " " + task}
}

// stepOf writes a step in one line.
func stepOf(s Step) string {
	text := string(s.Action)
	if s.Revision != nil {
		text += " " + s.Revision.Name
	}
	if d := s.Draft; d != nil {
		text += fmt.Sprintf(" %s %s %s %s", d.Package, d.Workspace, d.Task.Type, d.Task.Source)
		if d.Task.Base != "" || d.Task.Local != "" {
			text += fmt.Sprintf(" (%s, %s)", d.Task.Base, d.Task.Local)
		}
	}
	return text
}

// stepsOf writes each step in one line.
func stepsOf(steps []Step) (lines []string) {
	for _, s := range steps {
		lines = append(lines, stepOf(s))
	}
	return lines
}

// want is what a case asserts of a decision.
type want struct {
	Steps     []string
	Condition v1alpha1.Condition
	// Err reports whether the decision has to be tried again although no input changes.
	Err bool
}

func wantPending(message string, steps ...string) want {
	return want{Steps: steps, Condition: v1alpha1.Condition{Type: "Reconciling", Reason: "Pending",
		Message: message}}
}

func wantStalled(reason, message string, steps ...string) want {
	return want{Steps: steps, Condition: v1alpha1.Condition{Type: "Stalled", Reason: reason,
		Message: message}}
}

func wantReady(message string, steps ...string) want {
	return want{Steps: steps, Condition: v1alpha1.Condition{Type: "Ready", Reason: "UpToDate",
		Message: message}}
}

func wantMoved(message string) want {
	return want{Condition: v1alpha1.Condition{Type: "Ready", Reason: "BranchMoved", Message: message}}
}

// testDecide checks the decision for each input.
func testDecide(t *testing.T, cases map[string]decideCase) {
	t.Helper()
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Decide(c.in)
			got := want{Condition: d.Condition, Err: d.Err != nil}
			got.Steps = stepsOf(d.Steps)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

type decideCase struct {
	in   *Input
	want want
}

// notFrom is the message about a published revision that was not made from one of the variant's.
func notFrom(name, target string) string {
	return name + " was published, is not this variant's, and was not made from a revision of it: " + target +
		" stays as it is; set spec.adoptionPolicy to adoptExisting, or propose the deletion of " + name
}

// ofOther is the message about a published revision that another variant owns.
func ofOther(name, target string) string {
	return name + ` was published, and is not adopted, because it belongs to the PackageVariant "conflicting": ` + target +
		" stays as it is; propose the deletion of " + name + ", or name another package in spec.downstream"
}
