// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// approves makes the policy of a variant, whose controller may approve.
func approves(policy variant.ApprovalPolicy) func(*Input) {
	return func(in *Input) { in.Spec.ApprovalPolicy, in.MayApprove = policy, true }
}

// saved says that a revision has the content which the controller saved last.
func saved(name string) func(*Input) {
	return func(in *Input) {
		in.Saved = Saved{Name: name, Content: "digest"}
		m := in.Mutations[name]
		m.Content = "digest"
		in.Mutations[name] = m
	}
}

// proposedByUs says that it was the controller that proposed the draft it saved last.
func proposedByUs(in *Input) { in.Saved.Proposed = "proposed" }

// asProposed is the version of a draft once the controller had proposed it.
func asProposed(r *revision.Revision) { r.Version = "proposed" }

func TestApproval(t *testing.T) {
	t.Parallel()
	const (
		byPerson = " waits for a person, because someone else made or edited it, or may have: publish it"
		isReady  = "there is no draft yet that is what this variant asks for"
	)
	automatic, initial := approves(variant.ApprovalPolicyAutomatic), approves(variant.ApprovalPolicyInitial)
	waiting := func(reason, message string) *Aspect {
		return &Aspect{Type: "Approved", Reason: reason, Message: message}
	}
	for name, c := range map[string]struct {
		in     *Input
		want   *Aspect
		steps  []string
		failed bool
	}{
		"Manual is no policy": {in: input(all(approves("Manual"), saved(one)), down("packagevariant-1", 0, draft)), want: waiting("", "")},
		"none is Manual":      {in: input(saved(one), down("packagevariant-1", 0, draft)), want: waiting("", "")},
		"a draft is proposed": {in: input(all(automatic, saved(one)), down("packagevariant-1", 0, draft)),
			want: waiting("ApprovalPending", one+" is to be published"), steps: []string{"Propose " + one}},
		"where it is kept leaves it to people": {in: input(all(automatic, saved(one)), down("packagevariant-1", 0, draft,
			func(r *revision.Revision) { r.LeftToPeople = "its branch is protected: merge it there" })),
			want: waiting("LeftToPeople", one+" waits for a person, because its branch is protected: merge it there")},
		"a person has proposed it": {in: input(all(automatic, saved(one)), down("packagevariant-1", 0, isProposed, asProposed)),
			want: waiting("EditedByOthers", one+byPerson)},
		"somebody has rejected, edited and proposed it": {in: input(all(automatic, saved(one), proposedByUs), down("packagevariant-1", 0, isProposed)),
			want: waiting("EditedByOthers", one+byPerson)},
		"a proposed one is approved": {in: input(all(automatic, saved(one), proposedByUs), down("packagevariant-1", 0, isProposed, asProposed)),
			want: waiting("ApprovalPending", one+" is to be published"), steps: []string{"Approve " + one}},
		"a later draft, by an edit": {in: input(all(automatic, saved(two)), down("packagevariant-1", 1, published),
			down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waiting("ApprovalPending", two+" is to be published"), steps: []string{"Propose " + two}},
		"a later draft, by an upgrade": {in: input(all(automatic, saved(two)), down("packagevariant-1", 1, published),
			down("packagevariant-2", 0, draft, upgradedFrom(one))),
			want: waiting("ApprovalPending", two+" is to be published"), steps: []string{"Propose " + two}},
		"somebody has published another since": {in: input(all(automatic, saved(two)), down("packagevariant-1", 1, published),
			down("mine", 2, published, made(revision.Edit, one)),
			down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waiting("Overtaken", two+" waits for a person, because it was not made from edge.web.mine, which is the latest published revision, and would take back its changes: bring them into it before you publish it")},
		"a clone beside a published one": {in: input(all(automatic, saved(two)), down("mine", 1, published),
			down("packagevariant-2", 0, draft, made(revision.Clone, "blueprints.web.v1"))),
			want: waiting("Overtaken", two+" waits for a person, because it was not made from edge.web.mine, which is the latest published revision, and would take back its changes: bring them into it before you publish it")},
		"a clone beside one that is to be deleted": {in: input(all(automatic, saved(two)), down("mine", 1, deletionProposal, foreign),
			down("packagevariant-2", 0, draft, made(revision.Clone, "blueprints.web.v1"))),
			want: waiting("ApprovalPending", two+" is to be published"), steps: []string{"Propose " + two}},
		"somebody has rejected it": {in: input(all(automatic, saved(one), proposedByUs), down("packagevariant-1", 0, draft)),
			want: waiting("Rejected", one+" waits for a person, because someone has rejected it: publish it, or change what the variant or the upstream asks for")},
		"a guard holds": {in: input(all(automatic, saved(one), func(in *Input) { in.Upstream = nil }), down("packagevariant-1", 0, draft)),
			want: waiting("NotReady", isReady)},
		"Initial: the first": {in: input(all(initial, saved(one)), down("packagevariant-1", 0, draft)),
			want: waiting("ApprovalPending", one+" is to be published"), steps: []string{"Propose " + one}},
		"Initial: not the second": {in: input(all(initial, saved(two)), down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft)),
			want: waiting("LaterRevision", two+" waits for a person: spec.approvalPolicy Initial publishes the first revision only; publish it, or set the policy to Automatic")},
		"Initial: somebody published the first": {in: input(all(initial, saved(two)), down("mine", 1, published), down("packagevariant-2", 0, draft)),
			want: waiting("LaterRevision", two+" waits for a person: spec.approvalPolicy Initial publishes the first revision only; publish it, or set the policy to Automatic")},
		"Initial: the main branch is no revision": {in: input(all(initial, saved(one), publishedBefore("edge.web.packagevariant-0")), down("packagevariant-1", 0, draft), down("main", -1, published, foreign)),
			want: waiting("ApprovalPending", one+" is to be published"), steps: []string{"Propose " + one}},
		"one that it replaces is missing": {in: input(all(automatic, known(one, two), saved(two)), down("packagevariant-2", 0, draft)),
			want: waiting("DraftMissing", two+inPlaceOf(one))},
		"one that it replaces is missing, after a published one": {in: input(all(automatic, known(one, two), saved(three)),
			down("packagevariant-1", 1, published), down("packagevariant-3", 0, draft, made(revision.Edit, one))),
			want: waiting("DraftMissing", three+inPlaceOf(two))},
		"one is missing that was published before": {in: input(all(automatic, known(one, two), saved(three)),
			down("packagevariant-2", 1, published), down("packagevariant-3", 0, draft, made(revision.Edit, two))),
			want: waiting("ApprovalPending", three+" is to be published"), steps: []string{"Propose " + three}},
		"one is missing of which people published a change": {in: input(all(automatic, known(one, two), saved(two)),
			down("mine", 2, published, made(revision.Edit, one)), down("packagevariant-2", 0, draft, made(revision.Edit, "edge.web.mine"))),
			want: waiting("ApprovalPending", two+" is to be published"), steps: []string{"Propose " + two}},
		"the package was pushed to the branch": {in: input(all(automatic, saved(one)), down("packagevariant-1", 0, draft), down("main", -1, published, foreign)),
			want: waiting("DownstreamExists", one+overBranchText)},
		"it is on the branch before Porch says that it is published": {
			in:   input(all(automatic, saved(one), proposedByUs, func(in *Input) { in.Pushed = "digest" }), down("packagevariant-1", 0, isProposed, asProposed), down("main", -1, published, foreign)),
			want: waiting("ApprovalPending", one+" is to be published"), steps: []string{"Approve " + one}},
		"another package was pushed to the branch since it was proposed": {
			in:   input(all(automatic, saved(one), proposedByUs, func(in *Input) { in.Pushed = "other" }), down("packagevariant-1", 0, isProposed, asProposed), down("main", -1, published, foreign)),
			want: waiting("DownstreamExists", one+overBranchText)},
		"the package was removed from the branch": {in: input(all(automatic, saved(two), wasOnBranch),
			down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waiting("LeftToPeople", two+offBranchText)},
		"it is on the branch": {in: input(all(automatic, saved(two), wasOnBranch), down("main", -1, published, foreign),
			down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waiting("ApprovalPending", two+" is to be published"), steps: []string{"Propose " + two}},
		"it is not known whether it was on the branch": {in: input(all(automatic, saved(two)),
			down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waiting("ApprovalPending", two+" is to be published"), steps: []string{"Propose " + two}},
		"it is published": {in: input(automatic, down("packagevariant-1", 1, published)),
			want: &Aspect{Type: "Approved", True: true, Reason: "Published", Message: one + " is published"}},
		"it has other content": {in: input(all(automatic, saved(one), func(in *Input) { in.Saved.Content = "other" }), down("packagevariant-1", 0, draft)),
			want: waiting("EditedByOthers", one+byPerson)},
		"another draft was saved":        {in: input(all(automatic, saved(two)), down("packagevariant-1", 0, draft)), want: waiting("EditedByOthers", one+byPerson)},
		"it is not known what was saved": {in: input(automatic, down("packagevariant-1", 0, draft)), want: waiting("EditedByOthers", one+byPerson)},
		"one of two drafts is the controller's": {in: input(all(automatic, saved(two)), down("mine", 0, draft), down("packagevariant-2", 0, draft)),
			want: waiting("EditedByOthers", "edge.web.mine"+byPerson), steps: []string{"Propose " + two}},
		"a package inside it is published": {in: input(all(automatic, saved(one), beside(inner("v1", 1, published))), down("packagevariant-1", 0, draft)),
			want: waiting("DownstreamExists", one+overInnerText)},
		"a gate is not met": {in: input(all(automatic, saved(one), gate("ready (not yet)", "b")), down("packagevariant-1", 0, draft)),
			want: waiting("GatesNotMet", one+" waits for the readiness gates in its Kptfile: ready (not yet), b")},
		"the pipeline failed": {in: input(all(automatic, saved(one), func(in *Input) {
			m := in.Mutations[one]
			m.RenderError = "boom"
			in.Mutations[one] = m
		}), down("packagevariant-1", 0, draft)), want: waiting("RenderFailed", one+" is not published, because the pipeline in its Kptfile failed: boom")},
		"a merge had conflicts": {in: input(all(automatic, saved(one), func(in *Input) { in.Conflicts = []v1alpha1.Conflict{conflict(1)} }), down("packagevariant-1", 0, draft)),
			want: waiting("Conflicted", one+" waits for a person, because the upstream and the package changed the same values: "+conflictText(1)+"; publish it if it is right")},
		"the controller may not": {in: input(all(automatic, saved(one), func(in *Input) { in.MayApprove = false }), down("packagevariant-1", 0, draft)), failed: true,
			want: waiting("PermissionMissing", one+" is not published, because the controller may not approve package revisions: bind its ServiceAccount to the ClusterRole package-variants-approver, in this namespace or in all")},
		"it is to be changed": {in: input(all(automatic, saved(one), changed(one)), down("packagevariant-1", 0, draft)), want: waiting("NotReady", isReady), steps: []string{"Mutate " + one}},
		"there is none":       {in: input(automatic), want: waiting("NotReady", isReady), steps: makes("packagevariant-1", cloneOfOne)},
		"proposed by us, and to be upgraded": {in: input(all(automatic, second, saved(one), proposedByUs), down("packagevariant-1", 0, isProposed, asProposed)),
			want: waiting("NotReady", isReady), steps: []string{"Withdraw " + one}},
		"proposed by us, and to be changed": {in: input(all(automatic, saved(one), changed(one), proposedByUs), down("packagevariant-1", 0, isProposed, asProposed)),
			want: waiting("NotReady", isReady), steps: []string{"Withdraw " + one}},
		"proposed by a person after a rejection, and to be upgraded": {in: input(all(automatic, second, saved(one), proposedByUs),
			down("packagevariant-1", 0, isProposed)), want: waiting("NotReady", isReady)},
		"proposed by a person, and to be upgraded": {in: input(all(automatic, second, saved(one)), down("packagevariant-1", 0, isProposed)), want: waiting("NotReady", isReady)},
		"proposed by us before the policy changed": {in: input(all(approves("Manual"), second, saved(one), proposedByUs),
			down("packagevariant-1", 0, isProposed, asProposed)), want: waiting("", ""), steps: []string{"Withdraw " + one}},
		"proposed by us, and the right is gone": {in: input(all(second, saved(one), proposedByUs), down("packagevariant-1", 0, isProposed, asProposed)), want: waiting("", "")},
		"suspended": {in: input(all(automatic, saved(one), suspend), down("packagevariant-1", 0, draft)),
			want: waiting("Suspended", "suspended: would propose "+one+"; set spec.suspend to false to continue")},
		"waiting for another": {in: input(all(automatic, saved(one), dependsOn(Dependency{Name: "ns", AtLeast: 1, Found: true, Ready: true})), down("packagevariant-1", 0, draft)),
			want: waiting("DependencyNotReady", "waits for ns, of which revision 1 is to be published, and none is")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Decide(c.in)
			if diff := cmp.Diff(c.want, d.Approved); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.steps, stepsOf(d.Steps)); diff != "" {
				t.Errorf("steps, -want +got:\n%s", diff)
			}
			if (d.Err != nil) != c.failed {
				t.Errorf("got error %v", d.Err)
			}
		})
	}
}

// gate says which readiness gates of the first draft are not met.
func gate(unmet ...string) func(*Input) {
	return func(in *Input) {
		m := in.Mutations[one]
		m.Gates = unmet
		in.Mutations[one] = m
	}
}

// upgradedFrom says that a draft was made by an upgrade of a revision of the package.
func upgradedFrom(local string) edit {
	return func(r *revision.Revision) { r.Task = revision.Task{Type: revision.Upgrade, Local: local} }
}

func suspend(in *Input) { in.Spec.Suspend = true }

func suspendBecause(in *Input) { in.Spec.Suspend, in.SuspendReason = true, "freeze until Monday" }

func dependsOn(dependencies ...Dependency) func(*Input) {
	return func(in *Input) { in.Dependencies = dependencies }
}

func TestSuspended(t *testing.T) {
	held := func(would string) want {
		return wantStalled("Suspended", "suspended: would "+would+"; set spec.suspend to false to continue")
	}
	testDecide(t, map[string]decideCase{
		"a clone": {input(suspend), held("clone blueprints.web.v1 into edge/web")},
		"an upgrade": {input(all(suspend, second), down("packagevariant-1", 1, published)),
			held("upgrade " + one + " from blueprints.web.v1 to blueprints.web.v2")},
		"an edit":               {input(all(suspend, changed(one)), down("packagevariant-1", 1, published)), held("edit " + one)},
		"a change of the draft": {input(all(suspend, changed(one)), down("packagevariant-1", 0, draft)), held("change " + one)},
		"an adoption":           {input(all(suspend, adopt), down("mine", 0, draft, foreign)), held("adopt edge.web.mine, change edge.web.mine")},
		"nothing": {input(suspend, down("packagevariant-1", 0, draft)),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"pruning keeps it ready": {input(all(suspend, elsewhere(down("old", 0, draft, of("core")))), down("packagevariant-1", 0, draft)),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"a guard says more": {input(all(suspend, func(in *Input) { in.Upstream = nil })), wantStalled("UpstreamNotFound",
			"there is no PackageRevision of blueprints/web with revision 1: publish it, or correct spec.upstream")},
		"its deletion": {input(all(suspend, deleting), down("packagevariant-1", 1, published)),
			held("propose the deletion of " + one + ", let the variant go")},
	})
}

func TestSuspension(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   *Input
		want *Aspect
	}{
		"not suspended":       {input(nil), &Aspect{Type: "Suspended"}},
		"nothing to do":       {input(suspend, down("packagevariant-1", 0, draft)), &Aspect{Type: "Suspended", True: true, Reason: "Suspended", Message: "there is nothing to do"}},
		"something to do":     {input(suspend), &Aspect{Type: "Suspended", True: true, Reason: "Suspended", Message: "would clone blueprints.web.v1 into edge/web"}},
		"somebody said why":   {input(suspendBecause), &Aspect{Type: "Suspended", True: true, Reason: "Suspended", Message: "freeze until Monday; would clone blueprints.web.v1 into edge/web"}},
		"why, nothing to do":  {input(suspendBecause, down("packagevariant-1", 0, draft)), &Aspect{Type: "Suspended", True: true, Reason: "Suspended", Message: "freeze until Monday; there is nothing to do"}},
		"why, not suspended":  {input(func(in *Input) { in.SuspendReason = "freeze" }), &Aspect{Type: "Suspended"}},
		"a guard holds":       {input(all(suspend, func(in *Input) { in.Upstream = nil })), &Aspect{Type: "Suspended", True: true, Reason: "Suspended", Message: "there is nothing to do"}},
		"it is being deleted": {input(all(suspend, deleting)), &Aspect{Type: "Suspended", True: true, Reason: "Suspended", Message: "would let the variant go"}},
	} {
		if diff := cmp.Diff(c.want, Decide(c.in).Suspended); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}

func TestDependencies(t *testing.T) {
	ns := Dependency{Name: "ns", AtLeast: 2, Found: true, Ready: true, Published: 2}
	without := func(change func(*Dependency)) func(*Input) {
		d := ns
		change(&d)
		return dependsOn(ns, d)
	}
	waits := func(message string) want {
		return want{Condition: v1alpha1.Condition{Type: "Reconciling", Reason: "DependencyNotReady", Message: message}}
	}
	none := func(in *Input) { in.Spec.Downstream = &variant.Downstream{Repo: "edge", Package: "web"} }
	testDecide(t, map[string]decideCase{
		"met":       {input(dependsOn(ns)), wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"not ready": {input(without(func(d *Dependency) { d.Ready = false })), waits("waits for ns, which is not ready")},
		"stalled": {input(without(func(d *Dependency) { d.Ready, d.Message = false, "boom" })),
			waits("waits for ns, which is not ready: boom")},
		"not published": {input(without(func(d *Dependency) { d.Published = 0 })),
			waits("waits for ns, of which revision 2 is to be published, and none is")},
		"published, but not late enough": {input(without(func(d *Dependency) { d.Published = 1 })),
			waits("waits for ns, of which revision 2 is to be published, and revision 1 is")},
		"what is settled stays ready": {input(without(func(d *Dependency) { d.Ready = false }), down("packagevariant-1", 0, draft)),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"an upgrade waits": {input(all(second, without(func(d *Dependency) { d.Published = 1 })), down("packagevariant-1", 1, published)),
			waits("waits for ns, of which revision 2 is to be published, and revision 1 is")},
		"missing": {input(without(func(d *Dependency) { *d = Dependency{Name: "gone", AtLeast: 1} }), down("packagevariant-1", 0, draft)),
			wantStalled("DependencyNotFound", `there is no PackageVariant "gone" in this namespace: make it, or correct spec.dependsOn[1].name`)},
		"a cycle": {input(all(dependsOn(ns), func(in *Input) { in.Cycle = []string{"web-eu", "ns", "web-eu"} })),
			wantStalled("DependencyCycle", "spec.dependsOn makes a cycle, in which each waits for the next: web-eu -> ns -> web-eu; take one of them out of spec.dependsOn")},
		"a revision that would be changed is being deleted": {input(changed(one), down("packagevariant-1", 0, draft, func(r *revision.Revision) { r.Deleting = true })),
			wantPending("nothing is written to the package revision edge.web.packagevariant-1, which is being deleted, until it is gone")},
		"the Repository for a new draft is being deleted": {input(func(in *Input) {
			r := in.Repositories["edge"]
			r.Deleting = true
			in.Repositories = map[string]revision.Repository{"edge": r, "blueprints": in.Repositories["blueprints"]}
		}), wantPending("nothing is written to the Repository edge, which is being deleted, until it is gone")},
		"deletion waits for those that depend on it": {input(all(deleting, none, func(in *Input) { in.Dependents = []string{"app-a", "app-b"} }), down("packagevariant-1", 0, draft)),
			want{Condition: v1alpha1.Condition{Type: "Reconciling", Reason: "DependentsExist", Message: "the variant is deleted once its package revisions are dealt with: " +
				"variants with packages depend on it: app-a, app-b; delete them first, or take it out of their spec.dependsOn"}}},
		"deletion does not wait for what it depends on": {input(all(deleting, without(func(d *Dependency) { d.Ready = false }))),
			wantPending("the variant is deleted once its package revisions are dealt with", "RemoveFinalizer")},
	})
}
