// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// allows sets maxFailures.
func allows(limit string) func(*Input) {
	return func(in *Input) { in.Spec.MaxFailures = limitOf(limit) }
}

// within sets the progressDeadline.
func within(d time.Duration) func(*Input) {
	return func(in *Input) { in.Spec.ProgressDeadline = &metav1.Duration{Duration: d} }
}

// missed says that a variant had missed its deadline.
func missed(name string) func(*Input) {
	return func(in *Input) {
		in.Failures = []v1alpha2.VariantFailure{{Variant: name, Reason: v1alpha2.ReasonProgressDeadlineExceeded, Since: at("10:15")}}
	}
}

// TestFailures checks which targets have failed, and when that stops a rollout.
func TestFailures(t *testing.T) {
	text := func(reached, of, failed int) string {
		s := fmt.Sprintf("%d of %d targets are Published with blueprints.web.v3", reached, of)
		if failed > 0 {
			s += fmt.Sprintf(", %d failed", failed)
		}
		return s
	}
	stoppedAt := func(place, failed, limit string) string {
		return "Stalled RolloutStopped: stopped at wave " + place + ": with blueprints.web.v3, " + failed + "; " + limit +
			": repair them, and the rollout continues; or raise spec.rollout.maxFailures"
	}
	const rest, none = "rest Pending 11:00 1/0/0/0: waits for the wave canary", "maxFailures is 0"
	testPlan(t, map[string]planCase{
		"the first failure stops it": {input(canaryAndRest, open, "a canary 3 Stalled\na2 canary 2 Published\nb - 2 Published"), want{
			Phase: "Stopped canary", Condition: stoppedAt("canary (1 of 2)", "1 failed: a (FunctionFailed)", none),
			Waves: []string{"canary Progressing 11:00 2/1/0/1 opened=11:00: " + text(0, 2, 1) + "; the rollout is stopped", rest}}},
		"what is stopped is not through, though all are there or failed": {input(canaryAndRest, open, "a canary 3 Stalled\na2 canary 3 Published\nb - 2 Published"), want{
			Phase: "Stopped canary", Condition: stoppedAt("canary (1 of 2)", "1 failed: a (FunctionFailed)", none),
			Waves: []string{"canary Progressing 11:00 2/2/1/1 opened=11:00: " + text(1, 2, 1) + "; the rollout is stopped", rest}}},
		"it is mended, and goes on": {input(canaryAndRest, open, "a canary 3 Busy\na2 canary 2 Published\nb - 2 Published"), want{
			Steps: []string{"Open a2 3"}, Phase: "Progressing canary", Condition: progressing + text(0, 2, 0),
			Waves: []string{"canary Progressing 11:00 2/2/0/0 opened=11:00: " + text(0, 2, 0), rest}}},
		"one may fail": {input(canaryAndRest, open, "a canary 3 Stalled\na2 canary 3 Published\nb - 2 Published", allows("1")), want{
			Steps: []string{"Open b 3"}, Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + text(0, 1, 0),
			Waves: []string{"canary Complete 12:00 2/2/1/1 opened=11:00", "rest Progressing 12:00 1/1/0/0 opened=12:00: " + text(0, 1, 0)}}},
		"one more may not": {input(canaryAndRest, open, "a canary 3 Stalled\na2 canary 3 Stalled\nb - 2 Published", allows("1")), want{
			Phase: "Stopped canary", Condition: stoppedAt("canary (1 of 2)", "2 failed: a (FunctionFailed), a2 (FunctionFailed)", "maxFailures, 1, allows 1 of 2"),
			Waves: []string{"canary Progressing 11:00 2/2/0/2 opened=11:00: " + text(0, 2, 2) + "; the rollout is stopped", rest}}},
		"a percentage is of what was opened, rounded down": {input(canaryAndRest, open, "a canary 3 Stalled\nb - 2 Published\nc - 2 Published\nd - 2 Published", allows("99%")), want{
			Phase: "Stopped canary", Condition: stoppedAt("canary (1 of 2)", "1 failed: a (FunctionFailed)", "maxFailures, 99%, allows 0 of 1"),
			Waves: []string{"canary Progressing 11:00 1/1/0/1 opened=11:00: " + text(0, 1, 1) + "; the rollout is stopped", "rest Pending 11:00 3/0/0/0: waits for the wave canary"}}},
		"all may fail": {input(nil, "rest Progressing 11:00 opened=11:00", "a - 3 Stalled", allows("100%")), want{
			Phase: "Complete", Waves: []string{"rest Complete 12:00 1/1/0/1 opened=11:00"}}},
		"what was complete and fails later stops what is open": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Stalled\nb - 2 Published"), want{
			Phase: "Stopped rest", Condition: stoppedAt("rest (2 of 2)", "1 failed: a (FunctionFailed)", none),
			Waves: []string{"canary Complete 11:00 1/1/0/1 opened=10:00", "rest Progressing 11:00 1/0/0/0 opened=11:00: " + text(0, 1, 0) + "; the rollout is stopped"}}},
		"what fails when all is complete stops nothing": {input(nil, "rest Complete 11:00 opened=11:00", "a - 3 Stalled"), want{
			Phase: "Complete", Waves: []string{"rest Complete 11:00 1/1/0/1 opened=11:00"}}},
		"what failed with another spec does not count": {input(canaryAndRest, open, "a canary 2 Stalled\nb - 2 Stalled"), want{
			Steps: []string{"Open a 3"}, Phase: "Progressing canary", Condition: progressing + text(0, 1, 0),
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + text(0, 1, 0), rest}}},
		"what fails in a wave that was never opened does not count": {input(canaryAndRest, open, "a canary 2 Published\nb - 3 Stalled"), want{
			Steps: []string{"Open a 3"}, Phase: "Progressing canary", Condition: progressing + text(0, 1, 0),
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + text(0, 1, 0), "rest Pending 11:00 1/1/0/1: waits for the wave canary"}}},
		"it counts when the wave opens": {input(canaryAndRest, open, "a canary 3 Published\nb - 3 Stalled\nc - 2 Published"), want{
			Phase: "Stopped rest", Condition: stoppedAt("rest (2 of 2)", "1 failed: b (FunctionFailed)", none),
			Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Progressing 12:00 2/1/0/1 opened=12:00: " + text(0, 2, 1) + "; the rollout is stopped"}}},
		"a status of another spec does not count": {input(canaryAndRest, open, "a canary 3 Old\nb - 2 Published", stalledBefore), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 1, 0),
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + text(0, 1, 0), rest}}},
		"a deadline to come": {input(canaryAndRest, open, "a canary 3 Busy opened=11:50\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 1, 0), Again: 5 * time.Minute,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:00: " + text(0, 1, 0), rest}}},
		"of two the earlier": {input(canaryAndRest, open, "a canary 3 Busy opened=11:50\na2 canary 3 Busy opened=11:48\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 2, 0), Again: 3 * time.Minute,
			Waves: []string{"canary Progressing 11:00 2/2/0/0 opened=11:00: " + text(0, 2, 0), rest}}},
		"a deadline that has passed": {input(canaryAndRest, open, "a canary 3 Draft opened=11:45\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Stopped canary", Condition: stoppedAt("canary (1 of 2)", "1 failed: a (ProgressDeadlineExceeded)", none),
			Waves: []string{"canary Progressing 11:00 1/1/0/1 opened=11:00: " + text(0, 1, 1) + "; the rollout is stopped", rest}}},
		"it passed, and the target is there": {input(waves(selects("canary", ready)), open, "a canary 3 Draft opened=11:45\nb - 2 Published", within(15*time.Minute), pause), want{
			Phase: "Paused rest", Condition: "Reconciling RolloutPaused: paused at wave rest (2 of 2): it is not opened yet; set spec.rollout.paused to false to continue",
			Waves: []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Pending 11:00 1/0/0/0: it is not opened yet"}}},
		"an opening that is not known is the wave's": {input(canaryAndRest, "canary Progressing 11:00 opened=11:50\nrest Pending 11:00", "a canary 3 Busy\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 1, 0), Again: 5 * time.Minute,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:50: " + text(0, 1, 0), rest}}},
		"an opening that is to come is the wave's": {input(canaryAndRest, "canary Progressing 11:00 opened=11:50\nrest Pending 11:00", "a canary 3 Busy opened=23:00\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 1, 0), Again: 5 * time.Minute,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:50: " + text(0, 1, 0), rest}}},
		"a deadline counts from now after the clock was set back": {input(canaryAndRest, "canary Progressing 15:00 opened=15:00\nrest Pending 15:00", "a canary 3 Busy opened=15:00\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 1, 0), Again: 15 * time.Minute,
			Waves: []string{"canary Progressing 12:00 1/1/0/0 opened=12:00: " + text(0, 1, 0), "rest Pending 12:00 1/0/0/0: waits for the wave canary"}}},
		"a wave that opened again gives time": {input(canaryAndRest, "canary Progressing 11:00 opened=11:50\nrest Pending 11:00", "a canary 3 Busy opened=10:00\nb - 2 Published", within(15*time.Minute)), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 1, 0), Again: 5 * time.Minute,
			Waves: []string{"canary Progressing 11:00 1/1/0/0 opened=11:50: " + text(0, 1, 0), rest}}},
		"in a wave that is complete there is none": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Busy opened=10:00\nb - 3 Busy opened=11:59", within(15*time.Minute)), want{
			Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + text(0, 1, 0), Again: 14 * time.Minute,
			Waves: []string{"canary Complete 11:00 1/1/0/0 opened=10:00", "rest Progressing 11:00 1/1/0/0 opened=11:00: " + text(0, 1, 0)}}},
		"in a wave that is complete, one that was missed before still counts": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Draft opened=10:00\nb - 3 Stalled", within(15*time.Minute), allows("1"), missed("a")), want{
			Phase: "Stopped rest", Condition: stoppedAt("rest (2 of 2)", "2 failed: a (ProgressDeadlineExceeded), b (FunctionFailed)", "maxFailures, 1, allows 1 of 2"),
			Waves: []string{"canary Complete 11:00 1/1/0/1 opened=10:00", "rest Progressing 11:00 1/1/0/1 opened=11:00: " + text(0, 1, 1) + "; the rollout is stopped"}}},
		"one that was missed, and is not any more": {input(canaryAndRest, "canary Complete 11:00 opened=10:00\nrest Progressing 11:00 opened=11:00", "a canary 3 Draft opened=10:00\nb - 3 Busy opened=11:59", within(3*time.Hour), missed("a")), want{
			Phase: "Progressing rest", Condition: "Reconciling RolloutProgressing: wave rest (2 of 2): " + text(0, 1, 0), Again: 3*time.Hour - time.Minute,
			Waves: []string{"canary Complete 11:00 1/1/0/0 opened=10:00", "rest Progressing 11:00 1/1/0/0 opened=11:00: " + text(0, 1, 0)}}},
		"what is suspended has not failed": {input(canaryAndRest, open, "a canary 3 Stalled opened=11:00 suspended\na2 canary 3 Busy\nb - 2 Published", within(15*time.Minute), func(in *Input) {
			in.Status.Waves[0].OpenedAt = &metav1.Time{Time: in.Now}
		}), want{
			Phase: "Progressing canary", Condition: progressing + text(0, 2, 0) + ", 1 suspended", Again: 15 * time.Minute,
			Waves: []string{"canary Progressing 11:00 2/2/0/0 opened=12:00: " + text(0, 2, 0) + ", 1 suspended", rest}}},
		"a revision to go back to is named": {input(nil, "rest Progressing 11:00 opened=11:00", "a - 3 Stalled\nb - 3 Stalled\nc - 3 Stalled\nd - 3 Stalled\ne - 3 Stalled", func(in *Input) {
			in.Status.CompletedRevision = &v1alpha2.RolloutRevision{Name: "blueprints.web.v2", Revision: 2}
		}), want{
			Phase: "Stopped rest", Condition: "Stalled RolloutStopped: stopped at wave rest (1 of 1): with blueprints.web.v3, 5 failed: " +
				"a (FunctionFailed), b (FunctionFailed), c (FunctionFailed) and 2 more; maxFailures is 0: repair them, and the rollout continues; " +
				"or name another upstream, such as blueprints.web.v2, the last completed revision; or raise spec.rollout.maxFailures",
			Waves: []string{"rest Progressing 11:00 5/5/0/5 opened=11:00: " + text(0, 5, 5) + "; the rollout is stopped"}}},
		"what the set cannot make holds up nothing": {input(nil, "rest Progressing 11:00 opened=11:00", "a - 3 Published", exclude), want{
			Phase: "Complete", Waves: []string{"rest Complete 12:00 1/1/1/0 opened=11:00"}}},
	})
}

// stalledBefore gives the first variant the status of an earlier spec that was stalled.
func stalledBefore(in *Input) {
	pv := in.Variants[0].Have
	for i := range pv.Status.Conditions {
		c := &pv.Status.Conditions[i]
		c.Status = metav1.ConditionFalse
		if c.Type == v1alpha1.ConditionStalled {
			c.Status = metav1.ConditionTrue
		}
	}
}

func exclude(in *Input) {
	in.Excluded = []Excluded{{Name: "z", Reason: v1alpha2.ReasonExpansionFailed}, {Name: "y", Reason: v1alpha2.ReasonNameTaken}}
	in.Failures = []v1alpha2.VariantFailure{{Variant: "z", Reason: v1alpha2.ReasonExpansionFailed, Since: at("11:30")},
		{Variant: "y", Reason: v1alpha2.ReasonExpansionFailed, Since: at("11:31")}}
}

// TestCounts checks the counts and the first failures of a set, with a rollout and without.
func TestCounts(t *testing.T) {
	t.Parallel()
	const variants = `
a canary 3 Published
b canary 3 Draft conflicted waits=Conflicted
c canary 3 Proposed suspended
d canary 3 Stalled waits=FunctionFailed
e canary 3 Busy opened=11:00
f canary 3 Old
g - 2 Draft waits=ApprovalPending
h - 2 Stalled leaving
i - -
j - 2 Published suspended conflicted
k - 2 Stalled`
	in := input(canaryAndRest, open, variants, exclude, within(time.Minute))
	d := Plan(in)
	want := v1alpha2.VariantCounts{Desired: 13, UpToDate: 3, Updated: 6, PendingApproval: 3, Conflicted: 2, Suspended: 2, Failed: 7,
		Waiting: []v1alpha2.VariantWaiting{{Variant: "b", Reason: v1alpha1.ReasonConflicted}}}
	if diff := cmp.Diff(want, d.Counts); diff != "" {
		t.Errorf("counts, -want +got:\n%s", diff)
	}
	failures := func(of []v1alpha2.VariantFailure) (lines []string) {
		for _, f := range of {
			lines = append(lines, f.Variant+" "+f.Reason+" "+clock(f.Since))
		}
		return lines
	}
	// The status of b is that of a draft, and its wave was opened an hour ago: it is not Published in a minute.
	wantFailures := []string{"b ProgressDeadlineExceeded 11:01", "e ProgressDeadlineExceeded 11:01", "f ProgressDeadlineExceeded 11:01",
		"z ExpansionFailed 11:30", "d FunctionFailed 11:45", "k FunctionFailed 11:45", "y NameTaken 12:00"}
	if diff := cmp.Diff(wantFailures, failures(d.Failures)); diff != "" {
		t.Errorf("failures, -want +got:\n%s", diff)
	}

	fraction := Plan(input(nil, "rest Progressing 11:00 opened=11:00", "a - 3 Busy opened=11:58", within(90500*time.Millisecond)))
	if want := at("11:59").Add(31 * time.Second); len(fraction.Failures) != 1 || !fraction.Failures[0].Since.Time.Equal(want) {
		t.Errorf("the API keeps whole seconds, and the failures are %v, want %s", fraction.Failures, want)
	}

	plain := input(nil, "", "a - latest Published on=3\nb - latest Draft on=2 waits=ManualApproval\nc - latest Stalled on=3\nd - 3 Published", exclude)
	plain.Spec = nil
	counts, failed := Count(plain)
	want = v1alpha2.VariantCounts{Desired: 6, UpToDate: 1, Updated: 3, PendingApproval: 1, Failed: 3,
		Waiting: []v1alpha2.VariantWaiting{{Variant: "b", Reason: v1alpha1.ReasonManualApproval}}}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("without a rollout, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"z ExpansionFailed 11:30", "c FunctionFailed 11:45", "y NameTaken 12:00"}, failures(failed)); diff != "" {
		t.Errorf("failures without a rollout, -want +got:\n%s", diff)
	}

	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, "v%02d - 3 Stalled\nw%02d - 3 Draft waits=EditedByOthers\n", i, i)
	}
	d = Plan(input(nil, "rest Progressing 11:00 opened=11:00", many.String()))
	if got := d.Counts.Waiting; len(got) != 10 || got[9].Variant != "w09" || d.Counts.PendingApproval != 30 {
		t.Errorf("of %d that wait the status has %v", d.Counts.PendingApproval, got)
	}
	if got := failures(d.Failures); len(got) != 10 || got[0] != "v00 FunctionFailed 11:45" || got[9] != "v09 FunctionFailed 11:45" || d.Counts.Failed != 30 {
		t.Errorf("of %d failures the status has %q", d.Counts.Failed, got)
	}
}
