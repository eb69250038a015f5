// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	draft            = porchapi.PackageRevisionLifecycleDraft
	isProposed       = porchapi.PackageRevisionLifecycleProposed
	published        = porchapi.PackageRevisionLifecyclePublished
	deletionProposal = porchapi.PackageRevisionLifecycleDeletionProposed
)

var us = revision.Owner{Name: "web-eu", UID: "uid"}

// upstream returns a revision of the blueprint.
func upstream(number int, lifecycle porchapi.PackageRevisionLifecycle) revision.Revision {
	workspace := string(rune('0' + number))
	return revision.Revision{
		Name: "blueprints.web.v" + workspace, Package: revision.Package{Repo: "blueprints", Name: "web"},
		Workspace: "v" + workspace, Number: number, Lifecycle: lifecycle, Commit: "commit-" + workspace,
		PublishedAt: time.Unix(int64(number), 0),
	}
}

type edit func(*revision.Revision)

// down returns a revision of the downstream package that is ours and was derived from the blueprint's first revision.
func down(workspace string, number int, lifecycle porchapi.PackageRevisionLifecycle, edits ...edit) revision.Revision {
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

func foreign(r *revision.Revision) { r.Owners = nil }
func unlocked(r *revision.Revision) {
	r.Lock = nil
}
func restored(r *revision.Revision) {
	r.Owners = []metav1.OwnerReference{revision.Owner{Name: us.Name, UID: "before"}.Reference()}
}
func others(r *revision.Revision) {
	r.Owners = []metav1.OwnerReference{revision.Owner{Name: "rival", UID: "r"}.Reference()}
}
func from(ref, commit string) edit {
	return func(r *revision.Revision) {
		r.Lock = &revision.Lock{Repo: address + ".git", Directory: "web", Ref: ref, Commit: commit}
	}
}

// address is that of the blueprint's repository.
const address = "https://example.com/blueprints"

// at says when a revision was created, in the time in which the blueprint's revisions are published at their numbers.
func at(second int64) edit {
	return func(r *revision.Revision) { r.Created = time.Unix(second, 0) }
}

// input returns the input of a variant that asks for the blueprint's first revision.
func input(change func(*Input), revisions ...revision.Revision) *Input {
	one := upstream(1, published)
	in := &Input{
		Spec: &variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
			Downstream: &variant.Downstream{Repo: "edge", Package: "web"},
		},
		Owner: us, Upstream: &one, Revisions: revisions, Bases: []revision.Revision{one, upstream(2, published)},
		Repositories: map[string]Repository{"blueprints": {Ready: true, Address: address}, "edge": {Ready: true}},
		Mutations:    map[string]Mutation{},
	}
	if change != nil {
		change(in)
	}
	return in
}

func second(in *Input) { two := upstream(2, published); in.Upstream = &two }
func adopt(in *Input)  { in.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting }
func changed(name string) func(*Input) {
	return func(in *Input) { in.Mutations[name] = Mutation{Changed: []string{"cm.yaml"}} }
}
func known(name string) func(*Input) {
	return func(in *Input) { in.Known = map[string]bool{name: true} }
}
func both(changes ...func(*Input)) func(*Input) {
	return func(in *Input) {
		for _, c := range changes {
			c(in)
		}
	}
}

// want is what a case asserts of a decision.
type want struct {
	State   State
	Action  Action
	Target  string
	Base    string
	Verdict conditions.Verdict
}

func TestDecide(t *testing.T) {
	t.Parallel()
	pending := func(message string) conditions.Verdict {
		return conditions.Verdict{Reason: "Pending", Message: message}
	}
	no := func(reason, message string) conditions.Verdict {
		return conditions.Verdict{Reason: reason, Message: message}
	}
	stalled := func(reason, message string) conditions.Verdict {
		return conditions.Verdict{Stalled: true, Reason: reason, Message: message}
	}
	yes := func(message string) conditions.Verdict {
		return conditions.Verdict{Ready: true, Reason: "UpToDate", Message: message}
	}
	for name, c := range map[string]struct {
		in   *Input
		want want
	}{
		// Guards.
		"invalid spec": {input(func(in *Input) { in.Spec.Downstream = nil; in.Spec.AdoptionPolicy = "x" }), want{Verdict: stalled("InvalidSpec",
			`spec.downstream is missing: name the package to create; spec.adoptionPolicy is "x", but must be one of ["adoptNone" "adoptExisting"]`)}},
		"no upstream": {input(func(in *Input) { in.Upstream = nil }), want{Verdict: stalled("UpstreamNotFound",
			"there is no package revision blueprints/web with the revision 1: publish it, or correct spec.upstream")}},
		"no upstream by workspace": {input(func(in *Input) { in.Upstream = nil; in.Spec.Upstream.WorkspaceName = "v9" }), want{Verdict: stalled("UpstreamNotFound",
			"there is no package revision blueprints/web with the workspace v9: publish it, or correct spec.upstream")}},
		"no upstream by tag": {input(func(in *Input) { in.Upstream = nil; in.Spec.Upstream.Revision = variant.Revision{Str: "stable"} }), want{Verdict: stalled("UpstreamNotFound",
			`there is no published package revision blueprints/web with the label tag.config.porch.kpt.dev/stable: "true": publish it, or correct spec.upstream`)}},
		"no upstream at all": {input(func(in *Input) { in.Upstream = nil; in.Spec.Upstream.Revision = variant.Revision{Str: "latest"} }), want{Verdict: stalled("UpstreamNotFound",
			"there is no published package revision blueprints/web: publish it, or correct spec.upstream")}},
		"no upstream Repository": {input(func(in *Input) { in.Upstream = nil; delete(in.Repositories, "blueprints") }), want{Verdict: stalled("UpstreamNotFound",
			`there is no Repository "blueprints" in this namespace: register it, or correct spec.upstream.repo`)}},
		"upstream is a draft": {input(func(in *Input) { in.Upstream.Lifecycle = draft }), want{Verdict: stalled("UpstreamNotPublished",
			"the upstream blueprints.web.v1 is a Draft, which may still change: publish it, or name a published revision in spec.upstream")}},
		"claimed": {input(func(in *Input) { in.Rival = "rival" }), want{Verdict: no("DownstreamClaimed",
			`the package edge/web belongs to the PackageVariant "rival": name another in spec.downstream, or delete that variant`)}},
		"exists": {input(nil, down("mine", 1, published, foreign)), want{Verdict: no("DownstreamExists",
			"the package edge/web exists (edge.web.mine is Published) and is not this variant's: set spec.adoptionPolicy to adoptExisting, or name another package in spec.downstream")}},

		// NoDownstream.
		"clone": {input(nil), want{State: NoDownstream, Action: Clone, Verdict: pending("the downstream package is to be cloned")}},
		"clone beside what is to be deleted": {input(nil, down("mine", 1, deletionProposal, foreign)),
			want{State: NoDownstream, Action: Clone, Verdict: pending("the downstream package is to be cloned")}},
		"clone, the main branch does not count": {input(nil, down("main", -1, published, foreign)),
			want{State: NoDownstream, Action: Clone, Verdict: pending("the downstream package is to be cloned")}},
		"downstream Repository not registered": {input(func(in *Input) { delete(in.Repositories, "edge") }), want{State: NoDownstream,
			Verdict: no("RepositoryNotFound", `there is no Repository "edge" in this namespace: register it, or correct spec.downstream.repo`)}},
		"downstream Repository not ready": {input(func(in *Input) { in.Repositories["edge"] = Repository{Message: "no route"} }), want{State: NoDownstream,
			Verdict: no("RepositoryNotReady", `the Repository "edge" is not ready: no route`)}},
		"settled while a Repository is not ready": {input(func(in *Input) { in.Repositories["edge"] = Repository{} }, down("packagevariant-1", 0, draft)),
			want{State: UpToDate, Target: "edge.web.packagevariant-1", Verdict: yes("edge.web.packagevariant-1 (Draft) is up to date with blueprints.web.v1")}},

		// UpToDate.
		"draft": {input(nil, down("packagevariant-1", 0, draft)),
			want{State: UpToDate, Target: "edge.web.packagevariant-1", Verdict: yes("edge.web.packagevariant-1 (Draft) is up to date with blueprints.web.v1")}},
		"proposed": {input(nil, down("packagevariant-1", 0, isProposed)),
			want{State: UpToDate, Target: "edge.web.packagevariant-1", Verdict: yes("edge.web.packagevariant-1 (Proposed) is up to date with blueprints.web.v1")}},
		"latest published": {input(nil, down("packagevariant-1", 1, published), down("packagevariant-2", 2, published), down("main", -1, published, foreign)),
			want{State: UpToDate, Target: "edge.web.packagevariant-2", Verdict: yes("edge.web.packagevariant-2 (Published) is up to date with blueprints.web.v1")}},
		"cloned from the branch when it held the first": {input(nil, down("packagevariant-1", 1, published, from("main", "head"), at(1))),
			want{State: UpToDate, Target: "edge.web.packagevariant-1", Verdict: yes("edge.web.packagevariant-1 (Published) is up to date with blueprints.web.v1")}},
		"edited after the branch had moved on": {input(nil, down("packagevariant-1", 1, published, from("main", "head"), at(1)), down("packagevariant-2", 2, published, from("main", "head"), at(5))),
			want{State: UpToDate, Target: "edge.web.packagevariant-2", Verdict: yes("edge.web.packagevariant-2 (Published) is up to date with blueprints.web.v1")}},
		"of a branch without published revisions": {input(func(in *Input) {
			in.Upstream.Number, in.Upstream.Workspace, in.Upstream.Name, in.Upstream.Commit = -1, "main", "blueprints.web.main", "later"
		}, down("packagevariant-1", 1, published, from("main", "head"))), want{State: UpToDate, Target: "edge.web.packagevariant-1",
			Verdict: yes("edge.web.packagevariant-1 (Published) is up to date with blueprints.web.main")}},
		"unmet": {input(func(in *Input) {
			in.Mutations["edge.web.packagevariant-1"] = Mutation{Unmet: []string{"a: b", "c: d"}}
		}, down("packagevariant-1", 0, draft)), want{State: UpToDate, Target: "edge.web.packagevariant-1",
			Verdict: no("InjectionUnmet", "edge.web.packagevariant-1 waits for objects to inject: a: b; c: d")}},

		// UpstreamChanged.
		"upgrade": {input(second, down("packagevariant-1", 1, published)), want{State: UpstreamChanged, Action: Upgrade,
			Target: "edge.web.packagevariant-1", Base: "blueprints.web.v1", Verdict: pending("edge.web.packagevariant-1 is to be upgraded from blueprints.web.v1 to blueprints.web.v2")}},
		"upgrade of what was cloned from the branch when it held the first": {input(second, down("packagevariant-1", 1, published, from("main", "head"), at(1))), want{State: UpstreamChanged, Action: Upgrade,
			Target: "edge.web.packagevariant-1", Base: "blueprints.web.v1", Verdict: pending("edge.web.packagevariant-1 is to be upgraded from blueprints.web.v1 to blueprints.web.v2")}},
		"downgrade of what was cloned from the branch when it held the second": {input(nil, down("packagevariant-1", 1, published, from("main", "head"), at(2))), want{State: UpstreamChanged, Action: Upgrade,
			Target: "edge.web.packagevariant-1", Base: "blueprints.web.v2", Verdict: pending("edge.web.packagevariant-1 is to be upgraded from blueprints.web.v2 to blueprints.web.v1")}},
		"cloned from the branch of another repository": {input(second, down("packagevariant-1", 1, published, from("main", "head"), at(1), func(r *revision.Revision) { r.Lock.Repo = "https://example.com/other" })),
			want{State: UpstreamChanged, Target: "edge.web.packagevariant-1", Verdict: no("BaseNotFound",
				"edge.web.packagevariant-1 was derived from main at head, of which no published package revision is known: without it Porch cannot upgrade to blueprints.web.v2; register the Repository that has it, or delete the package to have it cloned anew")}},
		"the same tag with another commit": {input(nil, down("packagevariant-1", 1, published, from("web/v1", "rewritten"))), want{State: UpstreamChanged,
			Target: "edge.web.packagevariant-1", Verdict: no("BaseNotFound",
				"edge.web.packagevariant-1 was derived from web/v1 at rewritten, of which no published package revision is known: without it Porch cannot upgrade to blueprints.web.v1; register the Repository that has it, or delete the package to have it cloned anew")}},
		"downgrade": {input(nil, down("packagevariant-1", 1, published, from("web/v2", "commit-2"))), want{State: UpstreamChanged, Action: Upgrade,
			Target: "edge.web.packagevariant-1", Base: "blueprints.web.v2", Verdict: pending("edge.web.packagevariant-1 is to be upgraded from blueprints.web.v2 to blueprints.web.v1")}},
		"upgrade of what was cloned from main": {input(second, down("packagevariant-1", 1, published, from("main", "commit-1"))), want{State: UpstreamChanged, Action: Upgrade,
			Target: "edge.web.packagevariant-1", Base: "blueprints.web.v1", Verdict: pending("edge.web.packagevariant-1 is to be upgraded from blueprints.web.v1 to blueprints.web.v2")}},
		"upgrade, base unknown": {input(second, down("packagevariant-1", 1, published, from("drafts/web/v0", "gone"))), want{State: UpstreamChanged,
			Target: "edge.web.packagevariant-1", Verdict: no("BaseNotFound",
				"edge.web.packagevariant-1 was derived from drafts/web/v0 at gone, of which no published package revision is known: without it Porch cannot upgrade to blueprints.web.v2; register the Repository that has it, or delete the package to have it cloned anew")}},
		"draft open on the older": {input(second, down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft)), want{State: UpstreamChanged,
			Target: "edge.web.packagevariant-2", Verdict: no("DraftOnOlderUpstream",
				"the draft edge.web.packagevariant-2 is open on another upstream revision (web/v1) than the one asked for (blueprints.web.v2), and Porch upgrades published packages only: publish the draft, and an upgrade follows, or delete it")}},
		"draft open on the older, to be mutated": {input(both(second, changed("edge.web.packagevariant-2")), down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft)),
			want{State: MutationsChanged, Action: Save, Target: "edge.web.packagevariant-2", Verdict: pending("edge.web.packagevariant-2 is to be changed: cm.yaml")}},
		"proposed on the older": {input(second, down("packagevariant-1", 0, isProposed)), want{State: UpstreamChanged, Target: "edge.web.packagevariant-1",
			Verdict: no("DownstreamProposed", "edge.web.packagevariant-1 is proposed for publication, but would have to be upgraded to blueprints.web.v2: publish it, and an upgrade follows, or delete it")}},
		"lock missing": {input(nil, down("packagevariant-1", 1, published, unlocked)), want{State: UpstreamChanged, Target: "edge.web.packagevariant-1",
			Verdict: no("UpstreamLockMissing", "edge.web.packagevariant-1 does not say what it was derived from: its Kptfile has no upstreamLock of a git repository; restore the upstream and upstreamLock fields there, or delete the package to have it cloned anew")}},
		"upgrade while the Repository is not ready": {input(both(second, func(in *Input) { in.Repositories["blueprints"] = Repository{Message: "down"} }), down("packagevariant-1", 1, published)),
			want{State: UpstreamChanged, Verdict: no("RepositoryNotReady", `the Repository "blueprints" is not ready: down`)}},

		// MutationsChanged.
		"edit": {input(changed("edge.web.packagevariant-1"), down("packagevariant-1", 1, published)), want{State: MutationsChanged, Action: Edit,
			Target: "edge.web.packagevariant-1", Verdict: pending("edge.web.packagevariant-1 is to be edited: cm.yaml")}},
		"save": {input(changed("edge.web.packagevariant-1"), down("packagevariant-1", 0, draft)), want{State: MutationsChanged, Action: Save,
			Target: "edge.web.packagevariant-1", Verdict: pending("edge.web.packagevariant-1 is to be changed: cm.yaml")}},
		"save the second of two drafts": {input(changed("edge.web.packagevariant-3"), down("packagevariant-2", 0, draft), down("packagevariant-3", 0, draft)), want{State: MutationsChanged, Action: Save,
			Target: "edge.web.packagevariant-3", Verdict: pending("edge.web.packagevariant-3 is to be changed: cm.yaml")}},
		"proposed, to be changed": {input(changed("edge.web.packagevariant-1"), down("packagevariant-1", 0, isProposed)), want{State: MutationsChanged, Target: "edge.web.packagevariant-1",
			Verdict: no("DownstreamProposed", "edge.web.packagevariant-1 is proposed for publication, but would have to be changed (cm.yaml): reject it, and it is changed, or publish it, and a new draft follows")}},
		"deletion taken back": {input(nil, down("packagevariant-1", 1, deletionProposal)), want{State: MutationsChanged, Action: Keep, Target: "edge.web.packagevariant-1",
			Verdict: pending("the proposal to delete edge.web.packagevariant-1 is to be taken back")}},

		// Ownership.
		"restored draft": {input(nil, down("packagevariant-1", 0, draft, restored)), want{State: MutationsChanged, Action: Own, Target: "edge.web.packagevariant-1",
			Verdict: pending("edge.web.packagevariant-1 is to become this variant's")}},
		"restored published": {input(nil, down("packagevariant-1", 1, published, restored)), want{State: MutationsChanged, Action: Own, Target: "edge.web.packagevariant-1",
			Verdict: pending("edge.web.packagevariant-1 is to become this variant's")}},
		"adopt a draft": {input(adopt, down("mine", 0, draft, foreign)), want{State: MutationsChanged, Action: Own, Target: "edge.web.mine",
			Verdict: pending("edge.web.mine is to become this variant's")}},
		"adopt no published": {input(adopt, down("mine", 1, published, foreign)), want{State: UpToDate, Target: "edge.web.mine",
			Verdict: yes("edge.web.mine (Published) is up to date with blueprints.web.v1")}},
		"adopt no proposed": {input(both(adopt, changed("edge.web.mine")), down("mine", 0, isProposed, foreign)), want{State: MutationsChanged, Target: "edge.web.mine",
			Verdict: no("DownstreamProposed", "edge.web.mine is proposed for publication, but would have to be changed (cm.yaml): reject it, and it is changed, or publish it, and a new draft follows")}},
		"edit a published one that is not ours": {input(both(adopt, changed("edge.web.mine")), down("mine", 1, published, foreign)), want{State: MutationsChanged, Action: Edit, Target: "edge.web.mine",
			Verdict: pending("edge.web.mine is to be edited: cm.yaml")}},
		"adopt nothing of another variant": {input(adopt, down("theirs", 0, draft, others)), want{State: NoDownstream, Action: Clone, Verdict: pending("the downstream package is to be cloned")}},
		"a draft that Porch lost the owner of": {input(known("edge.web.packagevariant-1"), down("packagevariant-1", 0, draft, foreign)),
			want{State: MutationsChanged, Action: Own, Target: "edge.web.packagevariant-1", Verdict: pending("edge.web.packagevariant-1 is to become this variant's")}},
		"a published one that Porch lost the owner of": {input(known("edge.web.packagevariant-1"), down("packagevariant-1", 1, published, foreign)),
			want{State: MutationsChanged, Action: Own, Target: "edge.web.packagevariant-1", Verdict: pending("edge.web.packagevariant-1 is to become this variant's")}},
		"one that is known and another's": {input(known("edge.web.packagevariant-1"), down("packagevariant-1", 1, published, others)), want{Verdict: no("DownstreamExists",
			"the package edge/web exists (edge.web.packagevariant-1 is Published) and is not this variant's: set spec.adoptionPolicy to adoptExisting, or name another package in spec.downstream")}},
		"a draft of somebody else does not count": {input(nil, down("packagevariant-1", 1, published), down("theirs", 0, draft, foreign)),
			want{State: UpToDate, Target: "edge.web.packagevariant-1", Verdict: yes("edge.web.packagevariant-1 (Published) is up to date with blueprints.web.v1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Decide(c.in)
			got := want{State: d.State, Action: d.Action, Verdict: d.Verdict}
			if d.Target != nil {
				got.Target = d.Target.Name
			}
			if d.Base != nil {
				got.Base = d.Base.Name
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDispose(t *testing.T) {
	t.Parallel()
	const orphan = variant.DeletionPolicyOrphan
	for name, c := range map[string]struct {
		policy    variant.DeletionPolicy
		lifecycle porchapi.PackageRevisionLifecycle
		goes      bool
		want      Disposal
	}{
		"draft":                             {"", draft, false, Delete},
		"proposed":                          {variant.DeletionPolicyDelete, isProposed, true, Delete},
		"published":                         {"", published, false, ProposeDeletion},
		"published, variant goes":           {"", published, true, ProposeDeletion},
		"deletion proposed":                 {"", deletionProposal, false, Leave},
		"deletion proposed, variant goes":   {"", deletionProposal, true, Orphan},
		"orphan draft":                      {orphan, draft, true, Orphan},
		"orphan published":                  {orphan, published, false, Orphan},
		"orphan what is proposed to delete": {orphan, deletionProposal, true, Orphan},
	} {
		r := down("x", 1, c.lifecycle)
		if got := Dispose(c.policy, &r, c.goes); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestObsolete(t *testing.T) {
	t.Parallel()
	here, elsewhere, notOurs := down("a", 0, draft), down("b", 0, draft), down("c", 0, draft, foreign)
	elsewhere.Package.Repo, notOurs.Package.Repo = "other", "other"
	got := Obsolete(us, here.Package, []revision.Revision{here, elsewhere, notOurs})
	if len(got) != 1 || got[0].Name != elsewhere.Name {
		t.Errorf("got %v, want %s", got, elsewhere.Name)
	}
}

func TestWinner(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claims []Claim
		want   string
	}{
		"none":               {nil, ""},
		"the oldest":         {[]Claim{{Name: "a", Since: 2}, {Name: "b", Since: 1}}, "b"},
		"the first by name":  {[]Claim{{Name: "b", Since: 1}, {Name: "a", Since: 1}}, "a"},
		"who owns, not old":  {[]Claim{{Name: "a", Since: 1}, {Name: "b", Since: 2, Owns: true}}, "b"},
		"oldest of the own.": {[]Claim{{Name: "a", Since: 3, Owns: true}, {Name: "b", Since: 2, Owns: true}, {Name: "c", Since: 1}}, "b"},
	} {
		if got := Winner(c.claims).Name; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
