// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// Names and messages that many cases have.
const (
	one, two, three = "edge.web.packagevariant-1", "edge.web.packagevariant-2", "edge.web.packagevariant-3"

	cloned     = "the downstream package is to be cloned"
	cloneOfOne = "clone blueprints.web.v1"
	exists     = " and is not this variant's: set spec.adoptionPolicy to adoptExisting, or name another package " +
		"in spec.downstream"
	ofAPackage = "name in upstreamLock.git the ref and the commit of the revision that it is nearest to, and what differs " +
		"from that is kept as the package's own"
	madeAnew = "delete the draft, which is then made anew, in git as soon as something else is asked for"
	ofADraft = ofAPackage + ", or " + madeAnew
	noBase   = ", of which no published package revision is known: it was deleted, or its Repository is not registered, " +
		"and without it the changes from there to "
	noBaseHelp = lostHelp + sameBase
	lostHelp   = " are not known; register the Repository that has it"
	sameBase   = "; if another revision has what the package was made from, name its ref and commit in upstreamLock.git" +
		keptByLock
	sameContent = " has the same content still, as after a history was rewritten, set upstreamLock.git.commit to what git " +
		"rev-parse web/v1^0 says of it now,"
	bringBack  = " back in git until a newer revision has taken its place"
	keptByLock = " in its Kptfile, and what people changed in it is kept; otherwise "
	noLock     = " does not say what it was derived from, so that it cannot be upgraded, though what this variant sets " +
		"in it is kept in step: its Kptfile has no upstreamLock of a git repository; restore the upstream and upstreamLock " +
		"fields there, or "
	adopting  = "have the command adopt write them (variants adopt, or kubectl variants adopt)"
	merges    = " is to be merged with the changes from blueprints.web.v1 to blueprints.web.v2"
	movedHelp = ", and it is not known what changed in the package: to follow it, publish it, name its revision in " +
		"spec.upstream, and "
	revertsText = "the pipeline in the Kptfile of " + one +
		" changes back what this variant sets in a.yaml, cm.yaml: change the function in the pipeline that does, or what " +
		"the variant asks for"
)

func TestNoDownstream(t *testing.T) {
	testDecide(t, map[string]decideCase{
		"there is nothing": {input(nil), wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"what there was is to be deleted": {input(nil, down("mine", 1, deletionProposal, foreign)),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.mine is DeletionProposed) and is not this "+
				"variant's: approve its deletion, or in git merge its removal, to have it made anew; or set spec.adoptionPolicy "+
				"to adoptExisting, or name another package in spec.downstream")},
		"some of what there was is to be deleted": {input(nil, down("mine", 1, deletionProposal, foreign), down("other", 2, published, foreign)),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.other is Published) and is not this "+
				"variant's: set spec.adoptionPolicy to adoptExisting, or name another package in spec.downstream")},
		"somebody deleted the draft": {input(known(one)), wantPending(cloned, makes("packagevariant-2",
			cloneOfOne)...)},
		"a draft was deleted long ago": {input(func(in *Input) { in.LastDraft = two }), wantPending(cloned,
			makes("packagevariant-3", cloneOfOne)...)},
		"drafts of other packages were deleted": {input(all(known("edge.shop.packagevariant-3"),
			func(in *Input) { in.LastDraft = "edge.web.shop.packagevariant-4" })),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"a draft was asked for, and went before it was complete": {input(all(known(one), func(in *Input) { in.LastDraft = one },
			requests("packagevariant-1", revision.Clone, "blueprints.web.v1"))),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"a draft was asked for before others": {input(all(known(two), requests("packagevariant-1", revision.Clone, "blueprints.web.v1"))),
			wantPending(cloned, makes("packagevariant-3", cloneOfOne)...)},
		"a draft was asked for and is not there": {input(requests("packagevariant-1", revision.Clone, "blueprints.web.v1")),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"there is the main branch only": {input(nil, down("main", -1, published, foreign)),
			wantStalled("DownstreamExists", "the package edge/web exists on the branch main, though no revision of it is "+
				"published, and is not this variant's: set spec.adoptionPolicy to adoptExisting (for Porch, publish it before), "+
				"remove it there, or name another package in spec.downstream")},
		"there is the main branch only, and it may be replaced": {input(adopt, down("main", -1, published, foreign)),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"a function fails over the upstream: no clone": {input(fails("blueprints.web.v1")), want{
			Err: true, Condition: wantStalled("FunctionFailed",
				"cannot change blueprints.web.v1: apply-package-context: boom").Condition}},
		"the upstream is too large": {input(all(large("blueprints.web.v1"), fails("blueprints.web.v1"))),
			wantStalled("PackageTooLarge", "blueprints.web.v1 is large")},
		"the functions change the upstream: they will change the clone": {input(changed("blueprints.web.v1")),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"the package is somebody's": {input(nil, down("mine", 1, published, foreign)), wantStalled("DownstreamExists",
			"the package edge/web exists (edge.web.mine is Published)"+exists)},
		"the package is somebody's and a function fails over the upstream": {input(fails("blueprints.web.v1"),
			down("mine", 0, draft, foreign)), wantStalled("DownstreamExists",
			"the package edge/web exists (edge.web.mine is Draft)"+exists)},
		"the package is known and another variant's": {input(known(one), down("packagevariant-1", 1, published, others)),
			wantStalled("DownstreamExists",
				"the package edge/web exists (edge.web.packagevariant-1 is Published)"+exists)},
		"the draft that was asked for is another variant's": {
			input(requests("packagevariant-1", revision.Clone, "blueprints.web.v1"),
				down("packagevariant-1", 0, draft, others, made(revision.Clone, "blueprints.web.v1"))),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.packagevariant-1 is Draft)"+exists)},
		"nothing of another variant is adopted": {input(adopt, down("theirs", 0, draft, others)),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
	})
}

func TestUpToDate(t *testing.T) {
	testDecide(t, map[string]decideCase{
		"a draft": {input(nil, down("packagevariant-1", 0, draft)),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"a proposed": {input(nil, down("packagevariant-1", 0, isProposed)),
			wantReady(one + " (Proposed) is up to date with blueprints.web.v1")},
		"the latest published": {input(nil, down("packagevariant-1", 1, published), down("packagevariant-2", 2, published),
			down("main", -1, published, foreign)),
			wantReady(two + " (Published) is up to date with blueprints.web.v1")},
		"a draft of somebody else does not count": {input(nil, down("packagevariant-1", 1, published),
			down("theirs", 0, draft, foreign)),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"cloned from the branch when it held the first": {input(nil,
			down("packagevariant-1", 1, published, from("main", "head"), at(1))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"edited after the branch had moved on": {input(nil, down("packagevariant-1", 1, published, from("main", "head"),
			at(1)), down("packagevariant-2", 2, published, from("main", "head"), at(5))),
			wantReady(two + " (Published) is up to date with blueprints.web.v1")},
		"of a branch without published revisions": {input(branch("head"),
			down("packagevariant-1", 1, published, from("main", "head"))),
			wantReady(one + " (Published) is up to date with blueprints.web.main")},
		"of a branch that has moved": {input(branch("later"), down("packagevariant-1", 1, published, from("main", "head"))),
			wantMoved(one + " (Published) was made from the branch main at head, which is at later now" + movedHelp + ofAPackage)},
		"a draft of a branch that has moved": {input(branch("later"),
			down("packagevariant-1", 0, draft, from("main", "head"))),
			wantMoved(one + " (Draft) was made from the branch main at head, which is at later now" + movedHelp + ofADraft)},
		"an injection point is not filled: the gate holds the package back, not the variant": {input(func(in *Input) {
			in.Mutations[one] = Mutation{Points: []Point{{Condition: "config.injection.A.b", Required: true, Message: "no A"}}}
		}, down("packagevariant-1", 0, draft)), wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
	})
}

func TestUpstreamChanged(t *testing.T) {
	upgradeTo := func(workspace, to, from string) []string {
		return makes(workspace, "upgrade blueprints.web."+to+" (blueprints.web."+from+", "+one+")")
	}
	testDecide(t, map[string]decideCase{
		"a published one is upgraded": {input(second, down("packagevariant-1", 1, published)),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				upgradeTo("packagevariant-2", "v2", "v1")...)},
		"a published one is downgraded": {input(nil, down("packagevariant-1", 1, published, from("web/v2", "commit-2"))),
			wantPending(one+" is to be upgraded from blueprints.web.v2 to blueprints.web.v1",
				upgradeTo("packagevariant-2", "v1", "v2")...)},
		"the workspaces go on where the last ended": {input(second, down("packagevariant-1", 1, published),
			down("packagevariant-7", 0, deletionProposal, foreign)),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				upgradeTo("packagevariant-8", "v2", "v1")...)},
		"cloned from main at the commit of the first": {input(second,
			down("packagevariant-1", 1, published, from("main", "commit-1"))),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				upgradeTo("packagevariant-2", "v2", "v1")...)},
		"cloned from the branch when it held the first": {input(second,
			down("packagevariant-1", 1, published, from("main", "head"), at(1))),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				upgradeTo("packagevariant-2", "v2", "v1")...)},
		"cloned from the branch when it held the second": {input(nil,
			down("packagevariant-1", 1, published, from("main", "head"), at(2))),
			wantPending(one+" is to be upgraded from blueprints.web.v2 to blueprints.web.v1",
				upgradeTo("packagevariant-2", "v1", "v2")...)},
		"cloned from the branch of another repository": {input(second,
			down("packagevariant-1", 1, published, from("main", "head"), at(1),
				func(r *revision.Revision) { r.Lock.Repo = "https://example.com/other" })),
			wantStalled("BaseNotFound",
				one+" was derived from main at head"+noBase+"blueprints.web.v2"+noBaseHelp+ofAPackage)},
		"the same tag has another commit": {input(nil, down("packagevariant-1", 1, published, from("web/v1", "rewritten"))),
			wantStalled("BaseNotFound",
				one+" was derived from web/v1 at rewritten"+noBase+"blueprints.web.v1"+lostHelp+"; bring the tag web/v1"+bringBack+sameBase+
					ofAPackage)},
		"the tag of the base has another commit, and there is a newer one": {input(func(in *Input) {
			second(in)
			in.Bases[0].Origin = revision.LockOn(&in.Bases[0], address, "")
		}, down("packagevariant-1", 1, published, from("web/v1", "rewritten"))), wantStalled("BaseNotFound",
			one+" was derived from web/v1 at rewritten"+noBase+"blueprints.web.v2 are not known; register the Repository that "+
				"has it; if web/v1"+sameContent+keptByLock+ofAPackage)},
		"the base is not known": {input(second, down("packagevariant-1", 1, published, from("drafts/web/v0", "gone"))),
			wantStalled("BaseNotFound",
				one+" was derived from drafts/web/v0 at gone"+noBase+"blueprints.web.v2"+noBaseHelp+ofAPackage)},
		"a draft is open on the older": {input(second, down("packagevariant-1", 1, published),
			down("packagevariant-2", 0, draft)),
			wantPending(two+merges, "Mutate "+two)},
		"a draft is open on the older and to be mutated": {input(all(second, changed(two)),
			down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft)),
			wantPending(two+" is to be changed: a.yaml, cm.yaml", "Mutate "+two)},
		"a proposed one is on the older": {input(second, down("packagevariant-1", 0, isProposed)),
			wantStalled("DownstreamProposed",
				one+" is proposed for publication, but would have to be upgraded to blueprints.web.v2: "+
					"publish it, and an upgrade follows, or reject it, and the upstream is merged into it")},
	})
}

func TestMutationsChanged(t *testing.T) {
	testDecide(t, map[string]decideCase{
		"a published one is edited": {input(changed(one), down("packagevariant-1", 1, published)),
			wantPending(one+" is to be edited: a.yaml, cm.yaml", makes("packagevariant-2", "edit "+one)...)},
		"a draft is changed": {input(changed(one), down("packagevariant-1", 0, draft)),
			wantPending(one+" is to be changed: a.yaml, cm.yaml", "Mutate "+one)},
		"the second of two drafts is changed": {input(changed("edge.web.yours"), down("mine", 0, draft),
			down("yours", 0, draft)),
			wantPending("edge.web.yours is to be changed: a.yaml, cm.yaml", "Mutate edge.web.yours")},
		"both of two drafts are changed": {input(all(changed("edge.web.mine"), changed("edge.web.yours")), down("yours", 0, draft),
			down("mine", 0, draft)),
			wantPending("edge.web.mine is to be changed: a.yaml, cm.yaml", "Mutate edge.web.mine", "Mutate edge.web.yours")},
		"a draft is ready, a proposed one is not": {input(changed("edge.web.yours"), down("mine", 0, draft),
			down("yours", 0, isProposed)),
			wantStalled("DownstreamProposed",
				"edge.web.yours is proposed for publication, but would have to be changed (a.yaml, cm.yaml): "+
					"reject it, and it is changed, or publish it, and a new draft follows")},
		"a draft is changed beside a proposed one that is not ready": {input(all(changed("edge.web.mine"), changed("edge.web.yours")),
			down("mine", 0, isProposed), down("yours", 0, draft)),
			wantPending("edge.web.yours is to be changed: a.yaml, cm.yaml", "Mutate edge.web.yours")},
		"a proposed one would have to be changed": {input(changed(one), down("packagevariant-1", 0, isProposed)),
			wantStalled("DownstreamProposed",
				one+" is proposed for publication, but would have to be changed (a.yaml, cm.yaml): "+
					"reject it, and it is changed, or publish it, and a new draft follows")},
		"the proposal to delete is taken back": {input(nil, down("packagevariant-1", 1, deletionProposal)),
			wantPending("the proposal to delete "+one+" is to be taken back", "Keep "+one)},

		"a function fails over a draft": {input(fails(one), down("packagevariant-1", 0, draft)), want{
			Err: true, Condition: wantStalled("FunctionFailed",
				"cannot change "+one+": apply-package-context: boom").Condition}},
		"a function fails over a published one": {input(fails(one), down("packagevariant-1", 1, published)), want{
			Err: true, Condition: wantStalled("FunctionFailed",
				"cannot change "+one+": apply-package-context: boom").Condition}},
		"a function fails over the draft that was asked for, which somebody has edited": {
			input(all(fails(one), requests("packagevariant-1", revision.Clone, "blueprints.web.v1")),
				down("packagevariant-1", 0, draft, made(revision.Clone, "blueprints.web.v1"))),
			want{Err: true,
				Condition: wantStalled("FunctionFailed", "cannot change "+one+": apply-package-context: boom").Condition}},
		"a function fails over the draft that was asked for: it is not whole": {
			input(all(fails(one), untouched(one), requests("packagevariant-1", revision.Clone, "blueprints.web.v1")),
				down("packagevariant-1", 0, draft, made(revision.Clone, "blueprints.web.v1"))),
			want{Err: true, Steps: []string{"Discard " + one},
				Condition: wantStalled("FunctionFailed", "cannot change blueprints.web.v1: apply-package-context: boom").Condition}},
		"a function fails over one of two drafts: the other is changed": {
			input(all(fails("edge.web.mine"), changed("edge.web.yours")), down("mine", 0, draft), down("yours", 0, draft)),
			wantPending("edge.web.yours is to be changed: a.yaml, cm.yaml", "Mutate edge.web.yours")},

		"a draft is too large, or what would be merged into it: nothing is done": {
			input(all(second, large(one), changed(one)), down("packagevariant-1", 0, draft)),
			wantStalled("PackageTooLarge", one+" is large")},
		"the upstream of a published one is too large: no upgrade": {
			input(all(second, large(one)), down("packagevariant-1", 1, published)),
			wantStalled("PackageTooLarge", one+" is large")},

		"the pipeline changes back a draft": {input(reverted(one), down("packagevariant-1", 0, draft)),
			wantStalled("PipelineConflict", revertsText)},
		"a published one of a branch that has moved is edited": {input(all(branch("later"), changed(one)),
			down("packagevariant-1", 1, published, from("main", "head"))),
			wantPending(one+" is to be edited: a.yaml, cm.yaml", makes("packagevariant-2", "edit "+one)...)},
		"the pipeline changes back a draft on an older upstream": {input(all(second, reverted(one)),
			down("packagevariant-1", 0, draft)),
			wantStalled("PipelineConflict", revertsText)},
	})
}

func TestLockMissing(t *testing.T) {
	testDecide(t, map[string]decideCase{
		"a published one": {input(nil, down("packagevariant-1", 1, published, unlocked)),
			wantStalled("UpstreamLockMissing", one+noLock+adopting)},
		"a published one, other upstream": {input(second, down("packagevariant-1", 1, published, unlocked)),
			wantStalled("UpstreamLockMissing", one+noLock+adopting)},
		"a draft": {input(nil, down("packagevariant-1", 0, draft, unlocked)),
			wantStalled("UpstreamLockMissing", one+noLock+madeAnew)},
		"an adopted one is edited": {input(all(adopt, changed("edge.web.mine")),
			down("mine", 1, published, unlocked)),
			wantPending("edge.web.mine is to be edited: a.yaml, cm.yaml",
				makes("packagevariant-1", "edit edge.web.mine")...)},
		"an adopted one is as it should be": {input(adopt, down("mine", 1, published, unlocked)),
			wantStalled("UpstreamLockMissing", "edge.web.mine"+noLock+adopting)},
		"a draft is changed": {input(changed(one), down("packagevariant-1", 0, draft, unlocked)),
			wantPending(one+" is to be changed: a.yaml, cm.yaml", "Mutate "+one)},
		"a function fails": {input(fails(one), down("packagevariant-1", 1, published, unlocked)), want{
			Err: true, Condition: wantStalled("FunctionFailed",
				"cannot change "+one+": apply-package-context: boom").Condition}},
	})
}

// lacksFiles is the decision for a draft that Porch may still be writing.
func lacksFiles(name, files string) want {
	w := wantPending(name + " lacks files (" + files + "): they may still be written")
	w.Err = true
	return w
}

// interrupted is the decision for a draft that lacks files for good.
func interrupted(name, files string) want {
	w := wantStalled("SaveInterrupted", name+" lacks files ("+files+"), because the save that was to write "+
		"them was interrupted: delete the draft, and a new one is made, without what people changed in this one; or write the files "+
		"into it")
	w.Err = true
	return w
}

// TestSaveInterrupted checks that nothing is done to a draft that lacks files, nor is it published.
func TestSaveInterrupted(t *testing.T) {
	ours := down("packagevariant-1", 0, draft)
	testDecide(t, map[string]decideCase{
		"a moment after the save": {input(lacks(one, false, "a.yaml"), ours), lacksFiles(one, "a.yaml")},
		"some time after the save": {input(all(approves(variant.ApprovalPolicyAutomatic), lacks(one, true, "a.yaml", "b.yaml", "c.yaml", "d.yaml")), ours),
			interrupted(one, "a.yaml, b.yaml, c.yaml and 1 more")},
		"on another upstream": {input(all(second, lacks(one, true, "a.yaml")), ours), interrupted(one, "a.yaml")},
	})
}

// TestRequested checks what becomes of a draft that the controller asked for and did not see completed. Its workspace
// and task identify it, however much of it Porch made.
func TestRequested(t *testing.T) {
	clone := requests("packagevariant-1", revision.Clone, "blueprints.web.v1")
	ofClone := made(revision.Clone, "blueprints.web.v1")
	upgrade := requests("packagevariant-2", revision.Upgrade, "blueprints.web.v2")
	edited := requests("packagevariant-2", revision.Edit, one)
	testDecide(t, map[string]decideCase{
		"nothing came of it": {input(clone), wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"it has no files": {input(all(clone, lacks(one, false, "Kptfile")),
			down("packagevariant-1", 0, draft, unlocked, ofClone)), lacksFiles(one, "Kptfile")},
		"it has no files, and no owner": {input(clone, down("packagevariant-1", 0, draft, foreign, unlocked, ofClone)),
			wantPending(one+" is to become this variant's", "TakeBack "+one, "Mutate "+one)},
		"it is an edit without files": {input(all(edited, lacks(two, true, "Kptfile")), down("packagevariant-1", 1, published),
			down("packagevariant-2", 0, draft, made(revision.Edit, one))), interrupted(two, "Kptfile")},
		"it has no files and no task, in a database": {input(all(edited, lacks(two, true, "Kptfile")),
			down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft, unlocked, made("", ""), inParts)),
			interrupted(two, "Kptfile")},
		"it has no task, and is saved as a whole": {input(clone, down("packagevariant-1", 0, draft, foreign, unlocked, made("", ""))),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.packagevariant-1 is Draft)"+exists)},
		"it has no owner": {input(clone, down("packagevariant-1", 0, draft, foreign, ofClone)),
			wantPending(one+" is to become this variant's", "TakeBack "+one, "Mutate "+one)},
		"it has an owner and is not mutated": {input(all(clone, changed(one)), down("packagevariant-1", 0, draft, ofClone)),
			wantPending(one+" is to be changed: a.yaml, cm.yaml", "Mutate "+one)},
		"it is whole": {input(clone, down("packagevariant-1", 0, draft, ofClone)),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"it is an upgrade without owner": {input(all(second, upgrade), down("packagevariant-1", 1, published),
			down("packagevariant-2", 0, draft, foreign, from("web/v2", "commit-2"),
				made(revision.Upgrade, "blueprints.web.v2"))),
			wantPending(two+" is to become this variant's", "TakeBack "+two, "Mutate "+two)},
		"it is an upgrade that is not our own merge yet": {
			input(all(second, upgrade, changed(two)), down("packagevariant-1", 1, published),
				down("packagevariant-2", 0, draft, from("web/v2", "commit-2"), made(revision.Upgrade, "blueprints.web.v2"))),
			wantPending(two+" is to be changed: a.yaml, cm.yaml", "Mutate "+two)},
		"it is an upgrade that is as our own merge makes it": {
			input(all(second, upgrade), down("packagevariant-1", 1, published),
				down("packagevariant-2", 0, draft, from("web/v2", "commit-2"), made(revision.Upgrade, "blueprints.web.v2"))),
			wantReady(two + " (Draft) is up to date with blueprints.web.v2")},
		"it is an upgrade that kept local values and was saved": {
			input(all(second, onConflict("KeepLocal")), down("packagevariant-1", 1, published),
				down("packagevariant-2", 0, draft, from("web/v2", "commit-2"), made(revision.Upgrade, "blueprints.web.v2"))),
			wantReady(two + " (Draft) is up to date with blueprints.web.v2")},
		"it is a clone, and local values are to be kept": {input(all(clone, onConflict("KeepLocal")),
			down("packagevariant-1", 0, draft, ofClone)),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"it is an edit of a package without a lock": {input(edited, down("packagevariant-1", 1, published, unlocked),
			down("packagevariant-2", 0, draft, foreign, unlocked, made(revision.Edit, one))),
			wantPending(two+" is to become this variant's", "TakeBack "+two, "Mutate "+two)},

		"somebody made another of its workspace: by another task": {input(clone,
			down("packagevariant-1", 0, draft, foreign, unlocked, made("init", ""))),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.packagevariant-1 is Draft)"+exists)},
		"somebody made another of its workspace: of another source": {input(clone,
			down("packagevariant-1", 0, draft, foreign, made(revision.Clone, "blueprints.web.v2"))),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.packagevariant-1 is Draft)"+exists)},
		"somebody made another by the same task": {input(clone, down("mine", 0, draft, foreign, ofClone)),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.mine is Draft)"+exists)},
		"somebody has published it": {input(clone, down("packagevariant-1", 1, published, foreign, ofClone)),
			wantPending(one+" is to become this variant's", "TakeBack "+one)},
		"somebody has published another of its workspace": {input(clone,
			down("packagevariant-1", 1, published, foreign, unlocked, made("init", ""))),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.packagevariant-1 is Published)"+exists)},
	})
}

// TestOwnership checks that the variant adopts, or takes back, only what it may.
func TestOwnership(t *testing.T) {
	becomes := func(name string) string { return name + " is to become this variant's" }
	testDecide(t, map[string]decideCase{
		"a draft is adopted": {input(adopt, down("mine", 0, draft, foreign)),
			wantPending(becomes("edge.web.mine"), "Adopt edge.web.mine", "Mutate edge.web.mine")},
		"a draft without a lock is adopted": {input(adopt, down("mine", 0, draft, foreign, unlocked)),
			wantPending(becomes("edge.web.mine"), "Adopt edge.web.mine", "Mutate edge.web.mine")},
		"a published one is adopted": {input(adopt, down("mine", 1, published, foreign)),
			wantPending(becomes("edge.web.mine"), "Adopt edge.web.mine")},
		"all published ones are adopted": {input(adopt, down("earlier", 1, published, foreign),
			down("mine", 2, published, foreign)), wantPending(becomes("edge.web.mine"),
			"Adopt edge.web.earlier", "Adopt edge.web.mine")},
		"a published one behind a newer of the variant is adopted": {input(all(adopt, known(one)),
			down("mine", 1, published, foreign), down("packagevariant-1", 2, published)),
			wantReady(one+" (Published) is up to date with blueprints.web.v1", "Adopt edge.web.mine")},
		"what people published as a change to the variant's is adopted": {input(nil, down("packagevariant-1", 1, published),
			down("mine", 2, published, foreign, made(revision.Edit, one))), wantPending(becomes("edge.web.mine"), "Adopt edge.web.mine")},
		"a change to a change, of one that has gone": {input(known(one),
			down("mine", 2, published, foreign, made(revision.Edit, "edge.web.fix")),
			down("fix", 1, published, foreign, made(revision.Edit, one))),
			wantPending(becomes("edge.web.mine"), "Adopt edge.web.fix", "Adopt edge.web.mine")},
		"a change of another variant's": {input(nil, down("packagevariant-1", 1, published),
			down("mine", 2, published, others, made(revision.Edit, one))), wantStalled("DownstreamExists",
			ofOther("edge.web.mine", one))},
		"one of another variant's, which may not be adopted": {input(adopt, down("packagevariant-1", 1, published),
			down("mine", 2, published, others)), wantStalled("DownstreamExists",
			ofOther("edge.web.mine", one))},
		"a draft by people of the variant's": {input(nil, down("packagevariant-1", 1, published),
			down("mine", 0, draft, foreign, made(revision.Edit, one))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"what somebody published anew": {input(nil, down("packagevariant-1", 1, published),
			down("mine", 2, published, foreign, made(revision.Clone, "blueprints.web.v1"))),
			wantStalled("DownstreamExists", notFrom("edge.web.mine", one))},
		"what somebody published anew, and is to be deleted": {input(nil, down("packagevariant-1", 1, published),
			down("mine", 2, deletionProposal, foreign)), wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"a proposed one is not touched by an adoption": {input(all(adopt, changed("edge.web.mine")),
			down("mine", 0, isProposed, foreign)), wantStalled("DownstreamProposed",
			"edge.web.mine is proposed for publication, but would have to be changed (a.yaml, cm.yaml): "+
				"reject it, and it is changed, or publish it, and a new draft follows")},
		"a published one is adopted before it is edited": {input(all(adopt, changed("edge.web.mine")),
			down("mine", 1, published, foreign)),
			wantPending(becomes("edge.web.mine"), "Adopt edge.web.mine")},
		"the proposal to delete a published one that is not ours is taken back": {input(adopt,
			down("mine", 1, deletionProposal, foreign)),
			wantPending("the proposal to delete edge.web.mine is to be taken back", "Keep edge.web.mine")},

		"a restored draft": {input(nil, down("packagevariant-1", 0, draft, restored)),
			wantPending(becomes(one), "TakeBack "+one, "Mutate "+one)},
		"a restored published one": {input(nil, down("packagevariant-1", 1, published, restored)),
			wantPending(becomes(one), "TakeBack "+one)},
		"a draft that Porch lost the owner of": {input(known(one), down("packagevariant-1", 0, draft, foreign)),
			wantPending(becomes(one), "TakeBack "+one, "Mutate "+one)},
		"a published one that Porch lost the owner of": {input(known(one), down("packagevariant-1", 1, published, foreign)),
			wantPending(becomes(one), "TakeBack "+one)},
		"a known one that is shared with another is the variant's": {input(known(one),
			down("packagevariant-1", 1, published, shared)),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},

		"Porch lost the owner of revisions behind an open draft": {
			input(known(one, two, three), down("packagevariant-1", 1, published, foreign),
				down("packagevariant-2", 2, published, foreign), down("packagevariant-3", 0, draft)),
			wantReady(three+" (Draft) is up to date with blueprints.web.v1", "TakeBack "+one, "TakeBack "+two)},
		"Porch lost the owner of all": {input(known(one, two), down("packagevariant-1", 1, published, foreign),
			down("packagevariant-2", 0, draft, foreign)),
			wantPending(becomes(two), "TakeBack "+one, "TakeBack "+two, "Mutate "+two)},
		"Porch lost the owner of one behind the latest published": {input(known(one, two),
			down("packagevariant-1", 1, published, foreign), down("packagevariant-2", 2, published)),
			wantReady(two+" (Published) is up to date with blueprints.web.v1", "TakeBack "+one)},
		"Porch lost the owner of one behind a draft on an older upstream": {input(all(second, known(one)),
			down("packagevariant-1", 1, published, foreign), down("packagevariant-2", 0, draft)),
			wantPending(two+merges, "TakeBack "+one, "Mutate "+two)},
		"what is not known behind an open draft is left alone": {input(known(one), down("mine", 1, published, foreign),
			down("packagevariant-2", 0, draft)),
			wantStalled("DownstreamExists", notFrom("edge.web.mine", two))},
		"what is another's behind an open draft is left alone": {input(known(one),
			down("packagevariant-1", 1, published, others), down("packagevariant-2", 0, draft)),
			wantStalled("DownstreamExists", ofOther(one, two))},
		"the main branch is nobody's": {input(known("edge.web.main"), down("main", -1, published, foreign),
			down("packagevariant-2", 0, draft)),
			wantReady(two + " (Draft) is up to date with blueprints.web.v1")},
	})
}

// TestFinalizer checks that the variant gets its finalizer before anything is written, and only if it is needed.
func TestFinalizer(t *testing.T) {
	noFinalizer := func(in *Input) { in.Finalizer = false }
	testDecide(t, map[string]decideCase{
		"it comes first": {input(noFinalizer),
			wantPending(cloned, append([]string{"AddFinalizer"}, makes("packagevariant-1", cloneOfOne)...)...)},
		"it comes before anything is taken back": {input(all(noFinalizer, known(one)),
			down("packagevariant-1", 1, published, foreign), down("packagevariant-2", 0, draft)),
			wantReady(two+" (Draft) is up to date with blueprints.web.v1", "AddFinalizer", "TakeBack "+one)},
		"it comes before what was left behind goes": {input(all(noFinalizer,
			elsewhere(down("packagevariant-1", 0, draft, of("before")))), down("packagevariant-1", 0, draft)),
			wantReady(one+" (Draft) is up to date with blueprints.web.v1", "AddFinalizer",
				"Delete before.web.packagevariant-1")},
		"nothing is to be done": {input(all(noFinalizer, adopt), down("mine", 0, isProposed, foreign)),
			wantReady("edge.web.mine (Proposed) is up to date with blueprints.web.v1")},
		"a guard holds": {input(func(in *Input) { in.Finalizer = false; in.Conflicting = "web-us" }),
			wantStalled("DownstreamClaimed",
				`the package edge/web belongs to the PackageVariant "web-us": `+
					`name another in spec.downstream, or delete that variant`)},
	})
}
