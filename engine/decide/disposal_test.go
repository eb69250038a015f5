// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestPrune checks that what a variant left behind in other packages goes only when its replacement is ready.
func TestPrune(t *testing.T) {
	left := elsewhere(
		down("main", -1, published, of("before")), down("packagevariant-1", 1, published,
			of("before")), down("packagevariant-2", 0, draft, of("before")),
		down("packagevariant-3", 0, isProposed, of("before")), down("packagevariant-4", 2, deletionProposal,
			of("before")), down("theirs", 0, draft, of("before"), foreign))
	ready := one + " (Draft) is up to date with blueprints.web.v1"
	testDecide(t, map[string]decideCase{
		"the new downstream is ready": {input(left, down("packagevariant-1", 0, draft)),
			wantReady(ready, "ProposeDeletion before.web.packagevariant-1", "Delete before.web.packagevariant-2",
				"Orphan before.web.packagevariant-3")},
		"they are to be orphaned": {input(all(left, orphan), down("packagevariant-1", 0, draft)),
			wantReady(ready, "Orphan before.web.packagevariant-1", "Orphan before.web.packagevariant-2",
				"Orphan before.web.packagevariant-3", "Orphan before.web.packagevariant-4")},
		"Porch lost the owner of them": {input(all(known("before.web.packagevariant-2"),
			elsewhere(down("packagevariant-2", 0, draft, of("before"), foreign))), down("packagevariant-1", 0, draft)),
			wantReady(ready, "Delete before.web.packagevariant-2")},
		"Porch lost the owner of them, and they are to be orphaned": {input(all(orphan, known("before.web.packagevariant-2"),
			elsewhere(down("packagevariant-2", 0, draft, of("before"), foreign))), down("packagevariant-1", 0, draft)),
			wantReady(ready)},
		"they belonged to the variant before it was restored": {input(elsewhere(down("packagevariant-2", 0, draft,
			of("before"), restored)), down("packagevariant-1", 0, draft)),
			wantReady(ready, "Delete before.web.packagevariant-2")},
		"they are somebody's": {input(elsewhere(down("packagevariant-2", 0, draft, of("before"), others),
			down("mine", 1, published, of("before"), foreign)), down("packagevariant-1", 0, draft)),
			wantReady(ready)},
		"the new downstream is yet to be made": {input(left), wantPending(cloned,
			makes("packagevariant-1", cloneOfOne)...)},
		"the new downstream is to be changed": {input(all(left, changed(one)), down("packagevariant-1", 0, draft)),
			wantPending(one+" is to be changed: a.yaml, cm.yaml", "Mutate "+one)},
		"the new downstream is to be merged": {input(all(left, second), down("packagevariant-1", 0, draft)),
			wantPending(one+merges, "Mutate "+one)},
		"the new downstream is not ready": {input(all(left, second, onConflict("Stop"), conflicts(one, 1)),
			down("packagevariant-1", 0, draft)),
			wantStalled("Conflicted",
				one+" is not brought to blueprints.web.v2"+stopped+conflictText(1)+stoppedHelp)},
		"the new downstream is somebody's": {input(left, down("mine", 1, published, foreign)),
			wantStalled("DownstreamExists", "the package edge/web exists (edge.web.mine is Published)"+exists)},
		"another is taken back first": {input(all(left, known(one)), down("packagevariant-1", 1, published, foreign),
			down("packagevariant-2", 0, draft)),
			wantReady(two+" (Draft) is up to date with blueprints.web.v1", "TakeBack "+one)},
	})
}

// TestDeletion checks what becomes of the revisions of a variant that is being deleted: none keeps it as its owner, or
// the cluster would delete the revision.
func TestDeletion(t *testing.T) {
	const going = "the variant is deleted once its package revisions are dealt with"
	waits := func(kind, reason, message string) want {
		return want{Condition: v1alpha1.Condition{Type: kind, Reason: reason, Message: going + ": " + message}}
	}
	every := []revision.Revision{
		down("packagevariant-1", 1, published), down("packagevariant-2", 2, deletionProposal), down("packagevariant-3", 0,
			draft), down("packagevariant-4", 0, isProposed),
		down("packagevariant-5", 3, published, restored), down("main", -1, published), down("theirs", 0, draft,
			others), down("mine", 0, draft, foreign),
	}
	left := elsewhere(down("packagevariant-1", 0, draft, of("before")))
	unregistered := func(in *Input) { in.Repositories = map[string]revision.Repository{} }
	testDecide(t, map[string]decideCase{
		"there is nothing": {input(deleting), wantPending(going, "RemoveFinalizer")},
		"there is something of everything": {input(all(deleting, left), every...), wantPending(going,
			"ProposeDeletion edge.web.packagevariant-1", "Orphan edge.web.packagevariant-2", "Delete edge.web.packagevariant-3",
			"Orphan edge.web.packagevariant-4",
			"ProposeDeletion edge.web.packagevariant-5", "Delete before.web.packagevariant-1", "RemoveFinalizer")},
		"all are to be orphaned": {input(all(deleting, left, orphan), every...), wantPending(going,
			"Orphan edge.web.packagevariant-1", "Orphan edge.web.packagevariant-2", "Orphan edge.web.packagevariant-3",
			"Orphan edge.web.packagevariant-4",
			"Orphan edge.web.packagevariant-5", "Orphan before.web.packagevariant-1", "RemoveFinalizer")},
		"the deletion asks that dependents stay": {input(all(deleting, cascades), every...), wantPending(
			"the variant is deleted, and its packages stay", "KeepPackages")},
		"it asks that, and the variant is suspended": {input(all(deleting, cascades, suspend), every...), wantPending(
			"the variant is deleted, and its packages stay", "KeepPackages")},
		"it asked that": {input(all(deleting, func(in *Input) { in.KeepPackages = true }, known(one)),
			down("packagevariant-1", 1, published, foreign), down("packagevariant-3", 0, draft)),
			wantPending(going, "Orphan "+three, "RemoveFinalizer")},
		"one that the controller proposed": {input(all(deleting, func(in *Input) { in.Saved.Name = one }, proposedByUs),
			down("packagevariant-1", 0, isProposed, asProposed)), wantPending(going, "Delete "+one, "RemoveFinalizer")},
		"one that people proposed": {input(all(deleting, saved(one)), down("packagevariant-1", 0, isProposed)),
			wantPending(going, "Orphan "+one, "RemoveFinalizer")},
		"one that people proposed, and that has no owner": {input(all(deleting, known(one)),
			down("packagevariant-1", 0, isProposed, foreign)), wantPending(going, "RemoveFinalizer")},
		"Porch lost the owners": {input(all(deleting, known(one, two, three)),
			down("packagevariant-1", 1, published, foreign), down("packagevariant-2", 2, deletionProposal,
				foreign), down("packagevariant-3", 0, draft, foreign)),
			wantPending(going, "ProposeDeletion "+one, "Delete "+three, "RemoveFinalizer")},
		"Porch lost the owners, and they are to be orphaned": {input(all(deleting, orphan, known(one, three)),
			down("packagevariant-1", 1, published, foreign), down("packagevariant-3", 0, draft, foreign)),
			wantPending(going, "RemoveFinalizer")},
		"a draft that was asked for has no owner yet": {input(all(deleting,
			requests("packagevariant-1", revision.Clone, "blueprints.web.v1")),
			down("packagevariant-1", 0, draft, foreign, unlocked, made(revision.Clone, "blueprints.web.v1"))),
			wantPending(going, "Delete "+one, "RemoveFinalizer")},
		"a published package was left alone": {input(all(deleting, adopt), down("mine", 1, published, foreign)),
			wantPending(going, "RemoveFinalizer")},
		"the spec is invalid": {input(func(in *Input) {
			in.Deleting = true
			in.Spec.Upstream = nil
			in.Spec.Downstream = nil
			in.Upstream = nil
		}, down("packagevariant-1", 0, draft)),
			wantPending(going, "Delete "+one, "RemoveFinalizer")},
		"the upstream is gone": {input(func(in *Input) { in.Deleting = true; in.Upstream = nil },
			down("packagevariant-1", 0, draft)),
			wantPending(going, "Delete "+one, "RemoveFinalizer")},
		"the package is another variant's": {input(func(in *Input) { in.Deleting = true; in.Conflicting = "web-us" },
			down("packagevariant-1", 0, draft, shared)),
			wantPending(going, "Delete "+one, "RemoveFinalizer")},
		"the Repositories are not registered any more": {input(all(deleting, unregistered)),
			wantPending(going, "RemoveFinalizer")},
		"the upstream's Repository is not ready": {input(all(deleting,
			repository("blueprints", revision.Repository{Message: "down"}))), wantPending(going, "RemoveFinalizer")},
		"the downstream's Repository is not ready": {input(all(deleting, repository("edge", revision.Repository{Message: "no route"})),
			down("packagevariant-1", 0, draft)),
			waits("Reconciling", "RepositoryNotReady", `the Repository "edge" is not ready: no route`)},
		"the downstream's Repository is migrated: it is not taken for empty": {input(all(deleting,
			repository("edge", revision.Repository{Ready: true, Migrated: true}))),
			waits("Stalled", "RepositoryMigrated", migratedEdge)},
	})
}

func TestOwned(t *testing.T) {
	t.Parallel()
	in := input(all(known(three), elsewhere(down("packagevariant-1", 0, draft, of("before")),
		down("theirs", 0, draft, of("before"), others))),
		down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft, foreign), down("packagevariant-3", 0,
			draft, foreign), down("main", -1, published))
	names := func(revisions []revision.Revision) (out []string) {
		for i := range revisions {
			out = append(out, revisions[i].Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{one, three, "before.web.packagevariant-1"}, names(Owned(in))); diff != "" {
		t.Errorf("Owned, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"before.web.packagevariant-1"}, names(Obsolete(in))); diff != "" {
		t.Errorf("Obsolete, -want +got:\n%s", diff)
	}
	if len(in.Revisions) != 4 || in.Revisions[3].Workspace != "main" || len(in.OwnedInOtherPackages) != 2 {
		t.Error("the input has changed")
	}
}
