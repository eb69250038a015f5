// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// canaryAndRest are the waves of many cases: a canary and all others.
var canaryAndRest = []v1alpha2.Wave{selects("canary")}

// progressing is the condition of a rollout that waits for its canary, one of two waves.
const progressing = "Reconciling RolloutProgressing: wave canary (1 of 2): "

const soaks = ", and must stay so until 2026-01-01T"

func waves(list ...v1alpha2.Wave) []v1alpha2.Wave { return list }

// TestWaves checks what a wave waits for.
func TestWaves(t *testing.T) {
	const none, one, all = "0 of 1 targets are Published with blueprints.web.v3", "1 of 2 targets are Published with blueprints.web.v3", "1 of 1 targets are Published with blueprints.web.v3"
	const waits = "rest Pending 12:00 1/0/0/0: waits for the wave canary"
	testPlan(t, map[string]planCase{
		"a rollout begins": {input(canaryAndRest, "", "a canary 2 Published\nb - 2 Published"), want{
			Steps: []string{"Open a 3"}, Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=12:00: " + none, waits}}},
		"a variant that does not exist belongs to its wave": {input(canaryAndRest, "", "a canary - \nb - -"), want{
			Steps: []string{"Open a 3"}, Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=12:00: " + none, waits}}},
		"another spec is held back like another revision": {input(canaryAndRest, "canary Complete 11:00 opened=11:00\nrest Complete 11:00 opened=11:00",
			"a canary 3 Published labelled\nb - 3 Published labelled"), want{
			Steps: []string{"Open a 3"}, Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=12:00: " + none, waits}}},
		"an old readiness does not count": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Old\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + none, "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"a readiness with another revision does not count": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Published on=2\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + none, "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"a draft is not Published": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Draft\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + none, "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"drafts wait for people": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Draft\na2 canary 3 Draft\nb - 2 Published",
			waitsFor("EditedByOthers", "ApprovalPending")), want{
			Phase: "Progressing canary", Condition: progressing + "0 of 2 targets are Published with blueprints.web.v3, 1 waiting for a person: a (EditedByOthers)",
			Waves: []string{"canary Progressing 11:00 2/2/0/0 opened=11:00: 0 of 2 targets are Published with blueprints.web.v3, 1 waiting for a person: a (EditedByOthers)", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"a draft is Ready": {input(waves(selects("canary", ready)), "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Draft\nb - 2 Published"), want{
			Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}},
		"a draft with conflicts is not, until a person publishes it": {input(waves(selects("canary", ready)), "canary Progressing 11:00 opened=11:00\nrest Pending 11:00",
			"a canary 3 Draft conflicted waits=Conflicted\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + "0 of 1 targets are Ready with blueprints.web.v3, 1 waiting for a person: a (Conflicted)",
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: 0 of 1 targets are Ready with blueprints.web.v3, 1 waiting for a person: a (Conflicted)", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"all must be there": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Published\na2 canary 3 Busy\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + one,
			Waves: []string{"canary Progressing 11:00 2/2/1/0 opened=11:00: " + one, "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"a revision that is written in another way is the same": {input(nil, "", `a - "v3" Published`), want{Phase: "Complete",
			Waves: []string{"rest Complete 12:00 1/1/1/0 opened=12:00"}}},
		"what is complete stays so, whatever becomes of it": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Draft\nb - 3 Busy"), want{
			Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 11:00 1/1/0/0 opened=10:00", "rest Progressing 11:00 1/1/0/0 opened=11:00: " + none}}},
		"a new target opens its wave again": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Published\na2 canary -\nb - 3 Busy\nb2 - 2 Published"), want{
			Steps: []string{"Open a2 3"}, Phase: "Progressing canary", Condition: progressing + one,
			Waves: []string{"canary Progressing 12:00 2/2/1/0 opened=12:00: " + one, "rest Pending 12:00 2/1/0/0 opened=11:00: waits for the wave canary"}}},
		"a wave that is complete itself stays so behind one that is open again": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Complete 11:00 opened=11:00", "a canary 3 Published\na2 canary -\nb - 3 Published"), want{
			Steps: []string{"Open a2 3"}, Phase: "Progressing canary", Condition: progressing + one,
			Waves: []string{"canary Progressing 12:00 2/2/1/0 opened=12:00: " + one, "rest Complete 11:00 1/1/1/0 opened=11:00"}}},
		"one that is being deleted is waited for, and not written": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 2 Published leaving\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + none + ", 1 being deleted and then created again",
			Waves: []string{"canary Progressing 11:00 1/0/0/0 opened=11:00: " + none + ", 1 being deleted and then created again", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"a suspended one keeps its spec and is not waited for": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 2 Stalled suspended\nb - 2 Published"), want{
			Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 12:00 1/0/0/0 opened=11:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}},
		"one that is resumed opens its wave again": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Complete 11:00 opened=11:00", "a canary 2 Published\nb - 3 Published"), want{
			Steps: []string{"Open a 3"}, Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=12:00: " + none, "rest Complete 11:00 1/1/1/0 opened=11:00"}}},
		"a wave without targets is through": {input(canaryAndRest, "", "b - 2 Published"), want{
			Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 12:00 0/0/0/0 opened=12:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}},
		"a wave without targets, and one that cannot be made": {input(waves(selects("canary", after(true, 0))), "", "b - 2 Published", excludes("x")), want{
			Phase: "AwaitingApproval canary", Condition: "Reconciling RolloutAwaitingApproval: wave canary (1 of 2) is to be approved: no target that can be made matches its selector; " +
				"look at its packages, and approve it by the annotation " +
				"config.porch.kpt.dev/approve-wave=canary@blueprints.web.v3 of this PackageVariantSet",
			Waves: []string{"canary AwaitingApproval 12:00 0/0/0/0 opened=12:00: no target that can be made matches its selector; to be approved as canary@blueprints.web.v3", waits}}},
		"without a rest there is no last wave": {input(canaryAndRest, "canary Progressing 11:00 opened=11:00", "a canary 3 Published"), want{
			Phase: "Complete", Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00"}}},
		"a wave that is put in between is opened before what is open": {input(waves(selects("canary"), selects("eu")), "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Published\nb - 3 Busy\nc eu 2 Published\nd - 2 Published"), want{
			Steps: []string{"Open c 3"}, Phase: "Progressing eu", Condition: "Reconciling RolloutProgressing: wave eu (2 of 3): " + none,
			Waves: []string{"canary Complete 11:00 1/1/1/0 opened=10:00", "eu Progressing 12:00 1/1/0/0 opened=12:00: " + none, "rest Pending 12:00 2/1/0/0 opened=11:00: waits for the wave eu"}}},
		"it soaks from when all are there": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Progressing 11:00 opened=11:00\nrest Pending 11:00", "a canary 3 Published\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + all + soaks + "12:10:00Z", Again: 10 * time.Minute,
			Waves: []string{"canary Soaking 12:00 1/1/1/0 opened=11:00: " + all + soaks + "12:10:00Z", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"it soaks on": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Soaking 11:51 opened=11:00\nrest Pending 11:00", "a canary 3 Published\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + all + soaks + "12:01:00Z", Again: time.Minute,
			Waves: []string{"canary Soaking 11:51 1/1/1/0 opened=11:00: " + all + soaks + "12:01:00Z", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"what was not ready in between soaks from there": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Soaking 11:49 opened=11:00\nrest Pending 11:00",
			"a canary 3 Published since=11:53\na2 canary 3 Busy since=11:54 suspended\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + "1 of 2 targets are Published with blueprints.web.v3, 1 suspended" + soaks + "12:03:00Z", Again: 3 * time.Minute,
			Waves: []string{"canary Soaking 11:49 2/2/1/0 opened=11:00: 1 of 2 targets are Published with blueprints.web.v3, 1 suspended" + soaks + "12:03:00Z", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"it has soaked": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Soaking 11:50 opened=11:00\nrest Pending 11:00", "a canary 3 Published\nb - 2 Published"), want{
			Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}},
		"it soaks from now after the clock was set back": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Soaking 15:00 opened=14:00\nrest Pending 11:00", "a canary 3 Published since=14:59\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + all + soaks + "12:10:00Z", Again: 10 * time.Minute,
			Waves: []string{"canary Soaking 12:00 1/1/1/0 opened=12:00: " + all + soaks + "12:10:00Z", "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"what became ready before the clock was set back holds up nothing": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Soaking 11:50 opened=11:00\nrest Pending 11:00", "a canary 3 Published since=14:59\nb - 2 Published"), want{
			Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + none,
			Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + none}}},
		"what is interrupted soaks anew": {input(waves(selects("canary", after(false, 10*time.Minute))), "canary Soaking 11:51 opened=11:00\nrest Pending 11:00", "a canary 3 Busy\nb - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + none,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=11:00: " + none, "rest Pending 11:00 1/0/0/0: waits for the wave canary"}}},
		"a wave without targets soaks": {input(waves(selects("canary", after(false, 10*time.Minute))), "", "b - 2 Published"), want{
			Phase: "Progressing canary", Condition: progressing + "no target matches its selector" + soaks + "12:10:00Z", Again: 10 * time.Minute,
			Waves: []string{"canary Soaking 12:00 0/0/0/0 opened=12:00: no target matches its selector" + soaks + "12:10:00Z", waits}}},
	})
}

// waitsFor gives the reasons for which the open drafts of the first targets wait.
func waitsFor(reasons ...string) func(*Input) {
	return func(in *Input) {
		for i, reason := range reasons {
			in.Variants[i].Have.Status.OpenDraft = &v1alpha1.OpenDraft{Name: "draft", Reason: reason}
		}
	}
}
