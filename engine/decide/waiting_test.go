// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestWaiting checks which open draft is reported, and what it is said to wait for.
func TestWaiting(t *testing.T) {
	t.Parallel()
	automatic := approves(variant.ApprovalPolicyAutomatic)
	unmet := func(in *Input) {
		in.Mutations[one] = Mutation{Points: []Point{{Condition: "config.injection.A.r", Required: true, Message: "no A named r"}}}
	}
	waits := func(name, reason, message string) *v1alpha1.OpenDraft {
		return &v1alpha1.OpenDraft{Name: name, Reason: reason, Message: message}
	}
	for name, c := range map[string]struct {
		in        *Input
		want      *v1alpha1.OpenDraft
		published string
	}{
		"there is no package": {in: input(nil)},
		"it is published":     {in: input(nil, down("packagevariant-1", 1, published)), published: one},
		"a draft": {in: input(nil, down("packagevariant-1", 0, draft)),
			want: waits(one, "ManualApproval", one+" waits for a person to publish it")},
		"a proposed one": {in: input(nil, down("packagevariant-1", 0, isProposed)),
			want: waits(one, "ManualApproval", one+" is proposed, and waits for a person to approve it")},
		"a draft with conflicts": {in: input(earlier(1), down("packagevariant-1", 0, draft)),
			want: waits(one, "Conflicted", one+" waits for a person to publish it")},
		"a draft after a published one": {in: input(nil, down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waits(two, "ManualApproval", two+" waits for a person to publish it"), published: one},
		"a draft after a change by people": {in: input(nil, down("packagevariant-1", 1, published),
			down("mine", 2, published, foreign, made(revision.Edit, one)), down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waits(two, "Overtaken", two+" waits for a person, because it was not made from edge.web.mine, which is the "+
				"latest published revision, and would take back its changes: bring them into it before you publish it"),
			published: "edge.web.mine"},
		"a draft over what was pushed to the branch": {in: input(nil, down("packagevariant-1", 0, draft), down("main", -1, published, foreign)),
			want: waits(one, "DownstreamExists", one+overBranchText)},
		"a draft of what was removed from the branch": {in: input(wasOnBranch, down("packagevariant-1", 1, published),
			down("packagevariant-2", 0, draft, made(revision.Edit, one))),
			want: waits(two, "LeftToPeople", two+offBranchText), published: one},
		"a draft in place of one that is missing": {in: input(known(one, two), down("packagevariant-2", 0, draft)),
			want: waits(two, "DraftMissing", two+inPlaceOf(one))},
		"a draft that changes more than its package": {in: input(nil, down("packagevariant-1", 0, draft,
			func(r *revision.Revision) { r.LeftToPeople = "its branch changes more: look at it" })),
			want: waits(one, "LeftToPeople", one+" waits for a person, because its branch changes more: look at it")},
		"two drafts": {in: input(nil, down("yours", 0, draft), down("mine", 0, draft)),
			want: waits("edge.web.mine", "ManualApproval", "edge.web.mine waits for a person to publish it")},
		"another's draft": {in: input(nil, down("packagevariant-1", 0, draft, others))},
		"an injection point is not filled": {in: input(unmet, down("packagevariant-1", 0, draft)),
			want: waits(one, "InjectionUnmet", one+" waits for config.injection.A.r: no A named r")},
		"a policy waits": {in: input(automatic, down("packagevariant-1", 0, draft)), want: waits(one, "EditedByOthers",
			one+" waits for a person, because someone else made or edited it, or may have: publish it")},
		"a policy publishes": {in: input(all(automatic, saved(one)), down("packagevariant-1", 0, draft)),
			want: waits(one, "ApprovalPending", one+" is to be published")},
		"it is to be changed": {in: input(changed(one), down("packagevariant-1", 0, draft)),
			want: waits(one, "Pending", one+" is to be changed: a.yaml, cm.yaml")},
		"a function fails, whatever the policy": {in: input(all(automatic, fails(one)), down("packagevariant-1", 0, draft)),
			want: waits(one, "FunctionFailed", "cannot change "+one+": apply-package-context: boom")},
		"it is suspended, with something to do": {
			in:   input(all(changed(one), func(in *Input) { in.Spec.Suspend = true }), down("packagevariant-1", 0, draft)),
			want: waits(one, "Suspended", "suspended: would change "+one+"; set spec.suspend to false to continue")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Decide(c.in)
			if diff := cmp.Diff(c.want, Waiting(c.in, &d, d.Condition)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			got := ""
			if r := Downstream(c.in); r != nil {
				got = r.Name
			}
			if got != c.published {
				t.Errorf("%q is published, want %q", got, c.published)
			}
		})
	}
}
