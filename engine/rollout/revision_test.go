// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// approvals sets the annotation of the set.
func approvals(text string) func(*Input) {
	return func(in *Input) { in.Approvals = text }
}

// TestApproval checks what lets a wave go that needs approval.
func TestApproval(t *testing.T) {
	const (
		all       = "1 of 1 targets are Published with blueprints.web.v3"
		none      = "0 of 1 targets are Published with blueprints.web.v3"
		asks      = "; to be approved as canary@blueprints.web.v3"
		rest      = "rest Pending 11:00 1/0/0/0: waits for the wave canary"
		variants  = "a canary 3 Published\nb - 2 Published"
		waiting   = "canary AwaitingApproval 11:30 opened=11:00\nrest Pending 11:00"
		condition = "Reconciling RolloutAwaitingApproval: wave canary (1 of 2) is to be approved: " + all +
			"; look at its packages, and approve it by the annotation " +
			"config.porch.kpt.dev/approve-wave=canary@blueprints.web.v3 of this PackageVariantSet"
	)
	canary := waves(selects("canary", after(true, 0)))
	soaking := waves(selects("canary", after(true, 10*time.Minute)))
	goesOn := func(approved string) want {
		return want{Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00 approved=" + approved, "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}
	}
	waits := func(since, more string) want {
		return want{Phase: "AwaitingApproval canary", Condition: condition + more,
			Waves: []string{"canary AwaitingApproval " + since + " 1/1/1/0 opened=11:00: " + all + asks, rest}}
	}
	other := func(text string) string {
		return `; its present value "` + text + `" is for another wave or revision`
	}
	testPlan(t, map[string]planCase{
		"it asks":                       {input(canary, open, variants), waits("12:00", "")},
		"it waits":                      {input(canary, waiting, variants), waits("11:30", "")},
		"approved by name":              {input(canary, waiting, variants, approvals("canary@blueprints.web.v3")), goesOn("12:00")},
		"approved by number":            {input(canary, waiting, variants, approvals("canary@3")), goesOn("12:00")},
		"approved by v and number":      {input(canary, waiting, variants, approvals("canary@v3")), goesOn("12:00")},
		"approved with others":          {input(canary, waiting, variants, approvals("canary@v2, canary@v3,eu@v3")), goesOn("12:00")},
		"approved before":               {input(canary, open, variants, approvals("canary@v3")), goesOn("12:00")},
		"another revision":              {input(canary, waiting, variants, approvals("canary@v2")), waits("11:30", other("canary@v2"))},
		"another wave":                  {input(canary, waiting, variants, approvals("eu@v3")), waits("11:30", other("eu@v3"))},
		"no revision":                   {input(canary, waiting, variants, approvals("canary")), waits("11:30", other("canary"))},
		"a tag":                         {input(canary, waiting, variants, approvals("canary@latest")), waits("11:30", other("canary@latest"))},
		"it was seen, and is gone":      {input(canary, "canary AwaitingApproval 11:30 opened=11:00 approved=11:40\nrest Pending 11:00", variants), goesOn("11:40")},
		"a wave that does not ask":      {input(canaryAndRest, open, variants, approvals("canary@v3")), want{Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none, Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}},
		"it soaks first, then it waits": {input(soaking, "canary Soaking 11:50 opened=11:00\nrest Pending 11:00", variants), waits("12:00", "")},
		"it does not soak twice":        {input(soaking, waiting, variants), waits("11:30", "")},
		"approved, it soaks all the same": {input(soaking, "canary Soaking 11:51 opened=11:00\nrest Pending 11:00", variants, approvals("canary@3")), want{
			Phase: "Progressing canary", Condition: progressing + all + soaks + "12:01:00Z", Again: time.Minute,
			Waves: []string{"canary Soaking 11:51 1/1/1/0 opened=11:00 approved=12:00: " + all + soaks + "12:01:00Z", rest}}},
		"it is not there any more": {input(canary, waiting, "a canary 3 Busy\nb - 2 Published", approvals("canary@3")), want{
			Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=11:00 approved=12:00: " + none, rest}}},
		"a wave without targets asks": {input(canary, "", "b - 2 Published"), want{Phase: "AwaitingApproval canary",
			Condition: "Reconciling RolloutAwaitingApproval: wave canary (1 of 2) is to be approved: no target matches its selector; " +
				"look at its packages, and approve it by the annotation " +
				"config.porch.kpt.dev/approve-wave=canary@blueprints.web.v3 of this PackageVariantSet",
			Waves: []string{"canary AwaitingApproval 12:00 0/0/0/0 opened=12:00: no target matches its selector" + asks, "rest Pending 12:00 1/0/0/0: waits for the wave canary"}}},
		"paused, approved": {input(canary, waiting, variants, approvals("canary@3"), pause), want{Phase: "Paused rest",
			Condition: "Reconciling RolloutPaused: paused at wave rest (2 of 2): it is not opened yet; set spec.rollout.paused to false to continue",
			Waves:     []string{"canary Complete 12:00 1/1/1/0 opened=11:00 approved=12:00", "rest Pending 11:00 1/0/0/0: it is not opened yet"}}},
	})
}

// TestRevisions checks what becomes of a rollout when another revision is wanted.
func TestRevisions(t *testing.T) {
	t.Parallel()
	revision := func(n int) v1alpha2.RolloutRevision {
		return revisionOf([]v1alpha1.ResolvedUpstream{upstream(n)})
	}
	was := func(n, previous, completed int) func(*Input) {
		return func(in *Input) {
			in.Status.Revision = revision(n)
			if previous > 0 {
				r := revision(previous)
				in.Status.PreviousRevision = &r
			}
			if completed > 0 {
				r := revision(completed)
				in.Status.CompletedRevision = &r
			}
		}
	}
	const complete = "canary Complete 11:00 opened=10:00 approved=10:30\nrest Complete 11:00 opened=11:00"
	for name, c := range map[string]struct {
		in                             *Input
		steps                          []string
		phase                          string
		wanted, previous, completed    int
		started, firstOpened, approved string
	}{
		"the first": {in: input(canaryAndRest, "", "a canary -\nb - -"),
			steps: []string{"Open a 3"}, phase: "Progressing canary", wanted: 3, started: "12:00", firstOpened: "12:00"},
		"the same": {in: input(canaryAndRest, complete, "a canary 3 Published\nb - 3 Published", was(3, 2, 3)),
			phase: "Complete", wanted: 3, previous: 2, completed: 3, started: "11:00", firstOpened: "10:00"},
		"it completes": {in: input(canaryAndRest, open, "a canary 3 Published\nb - 3 Published", was(3, 2, 2)),
			phase: "Complete", wanted: 3, previous: 2, completed: 3, started: "11:00", firstOpened: "11:00"},
		"a newer one": {in: input(canaryAndRest, complete, "a canary 2 Published\nb - 2 Published", was(2, 1, 2)),
			steps: []string{"Open a 3"}, phase: "Progressing canary", wanted: 3, previous: 2, completed: 2, started: "12:00", firstOpened: "12:00"},
		"a newer one in the middle begins again": {in: input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00",
			"a canary 2 Published\nb - 2 Busy\nc - 1 Published", was(2, 1, 1)),
			steps: []string{"Open a 3"}, phase: "Progressing canary", wanted: 3, previous: 2, completed: 1, started: "12:00", firstOpened: "12:00"},
		"going back is a rollout like any other": {in: input(canaryAndRest, complete, "a canary 4 Published\nb - 4 Published", was(4, 3, 4)),
			steps: []string{"Open a 3"}, phase: "Progressing canary", wanted: 3, previous: 4, completed: 4, started: "12:00", firstOpened: "12:00"},
		"going back in the middle": {in: input(waves(selects("canary", after(true, 0))), open, "a canary 4 Stalled\nb - 3 Published", was(4, 3, 3)),
			steps: []string{"Open a 3"}, phase: "Progressing canary", wanted: 3, previous: 4, completed: 3, started: "12:00", firstOpened: "12:00"},
		"an approval is for its revision": {in: input(waves(selects("canary", after(true, 0))), complete, "a canary 3 Published\nb - 2 Published", was(2, 1, 2), approvals("canary@v2")),
			phase: "AwaitingApproval canary", wanted: 3, previous: 2, completed: 2, started: "12:00", firstOpened: "12:00"},
		"an approval stays for another spec": {in: input(waves(selects("canary", after(true, 0))), complete, "a canary 3 Published labelled\nb - 3 Published labelled", was(3, 2, 3)),
			steps: []string{"Open a 3"}, phase: "Progressing canary", wanted: 3, previous: 2, completed: 3, started: "11:00", firstOpened: "12:00", approved: "10:30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Plan(c.in)
			g := got(&d)
			if diff := cmp.Diff(want{Steps: c.steps, Phase: c.phase}, want{Steps: g.Steps, Phase: g.Phase}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			optional := func(n int) *v1alpha2.RolloutRevision {
				if n == 0 {
					return nil
				}
				r := revision(n)
				return &r
			}
			started, opened := at(c.started), at(c.firstOpened)
			first := d.Status.Waves[0]
			wantStatus := v1alpha2.RolloutStatus{Revision: revision(c.wanted), PreviousRevision: optional(c.previous),
				CompletedRevision: optional(c.completed), StartedAt: &started, Waves: []v1alpha2.WaveStatus{{OpenedAt: &opened}}}
			if c.approved != "" {
				approved := at(c.approved)
				wantStatus.Waves[0].ApprovedAt = &approved
			}
			gotStatus := v1alpha2.RolloutStatus{Revision: d.Status.Revision, PreviousRevision: d.Status.PreviousRevision,
				CompletedRevision: d.Status.CompletedRevision, StartedAt: d.Status.StartedAt,
				Waves: []v1alpha2.WaveStatus{{OpenedAt: first.OpenedAt, ApprovedAt: first.ApprovedAt}}}
			if diff := cmp.Diff(wantStatus, gotStatus); diff != "" {
				t.Errorf("status, -want +got:\n%s", diff)
			}
		})
	}
}

// TestRevisionOf checks how a rollout is named: with several upstreams by all of them, in any order.
func TestRevisionOf(t *testing.T) {
	t.Parallel()
	web, api := upstream(3), v1alpha1.ResolvedUpstream{Name: "blueprints.api.v1", Revision: 1}
	long := v1alpha1.ResolvedUpstream{Name: "blueprints." + strings.Repeat("z", 80) + ".v1"}
	for name, c := range map[string]struct {
		of   []v1alpha1.ResolvedUpstream
		want v1alpha2.RolloutRevision
	}{
		"one":               {[]v1alpha1.ResolvedUpstream{web}, v1alpha2.RolloutRevision{Name: "blueprints.web.v3", Revision: 3}},
		"two":               {[]v1alpha1.ResolvedUpstream{web, api}, v1alpha2.RolloutRevision{Name: "blueprints.api.v1+blueprints.web.v3"}},
		"in another order":  {[]v1alpha1.ResolvedUpstream{api, web}, v1alpha2.RolloutRevision{Name: "blueprints.api.v1+blueprints.web.v3"}},
		"another revision":  {[]v1alpha1.ResolvedUpstream{api, upstream(4)}, v1alpha2.RolloutRevision{Name: "blueprints.api.v1+blueprints.web.v4"}},
		"too long for all":  {[]v1alpha1.ResolvedUpstream{web, long, api}, v1alpha2.RolloutRevision{Name: "blueprints.api.v1+2-more-506b0e98"}},
		"none, as a set is": {nil, v1alpha2.RolloutRevision{Name: "none"}},
	} {
		if diff := cmp.Diff(c.want, revisionOf(c.of)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// TestSeveralUpstreams checks that each variant gets the number of its own upstream.
func TestSeveralUpstreams(t *testing.T) {
	t.Parallel()
	in := input(nil, "", "a - 2 Published\nb - 2 Published")
	api := v1alpha1.ResolvedUpstream{Name: "blueprints.api.v7", Revision: 7}
	in.Upstreams = append(in.Upstreams, api)
	in.Variants[1].Upstream = api
	d := Plan(in)
	if diff := cmp.Diff([]string{"Open a 3", "Open b 7"}, got(&d).Steps); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
