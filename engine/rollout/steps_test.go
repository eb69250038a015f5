// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// open are the rows of a rollout whose canary is open.
const open = "canary Progressing 11:00 opened=11:00\nrest Pending 11:00"

// stepsOf returns the steps that write, in lines.
func stepsOf(in *Input) []string {
	d := Plan(in)
	return got(&d).Steps
}

// TestMaxConcurrent checks how many targets are opened at once.
func TestMaxConcurrent(t *testing.T) {
	t.Parallel()
	const four = "a canary 2 Published\nb canary 2 Published\nc canary 2 Published\nd canary 2 Published\n"
	for name, c := range map[string]struct {
		limit, variants string
		want            []string
	}{
		"no limit":                              {"", four, []string{"Open a 3", "Open b 3", "Open c 3", "Open d 3"}},
		"one":                                   {"1", four, []string{"Open a 3"}},
		"three":                                 {"3", four, []string{"Open a 3", "Open b 3", "Open c 3"}},
		"more than there are":                   {"9", four, []string{"Open a 3", "Open b 3", "Open c 3", "Open d 3"}},
		"half":                                  {"50%", four, []string{"Open a 3", "Open b 3"}},
		"a percentage is rounded down":          {"74%", four, []string{"Open a 3", "Open b 3"}},
		"at least one":                          {"1%", four, []string{"Open a 3"}},
		"of the wave, not of all":               {"50%", "a canary 2 Published\nb canary 2 Published\nc - 2 Published\nd - 2 Published", []string{"Open a 3"}},
		"what is in flight counts":              {"2", "a canary 3 Busy\nb canary 2 Published\nc canary 2 Published", []string{"Open b 3"}},
		"what was just written counts":          {"1", "a canary 3 Old\nb canary 2 Published", nil},
		"what has reached it does not":          {"1", "a canary 3 Published\nb canary 2 Published", []string{"Open b 3"}},
		"what has failed does not":              {"1", "a canary 3 Stalled\nb canary 2 Published", []string{"Open b 3"}},
		"what is suspended does not":            {"1", "a canary 3 Busy suspended\nb canary 2 Published", []string{"Open b 3"}},
		"what is being deleted does not":        {"1", "a canary 3 Busy leaving\nb canary 2 Published", []string{"Open b 3"}},
		"what is made counts":                   {"1", "a canary -\nb canary -", []string{"Open a 3"}},
		"other waves do not":                    {"1", "a - 3 Busy\nb canary 2 Published", []string{"Open b 3"}},
		"what is on its way elsewhere is first": {"1", "a canary 1 Published\nb canary 2 Busy\nc canary 2 Busy", []string{"Open b 3"}},
		"and holds up the others":               {"2", "a canary 1 Published\nb canary 2 Busy\nc canary 2 Draft", []string{"Open b 3", "Open c 3"}},
		"as far as there is no room":            {"3", "a canary 1 Published\nb canary 2 Busy\nc canary 2 Busy\nd canary 1 Published", []string{"Open a 3", "Open b 3", "Open c 3"}},
		"what failed elsewhere is one of them":  {"1", "a canary 2 Stalled\nb canary 1 Published", []string{"Open a 3"}},
		"an old status is on its way":           {"2", "a canary 1 Published\nb canary 1 Old\nc canary 1 Old", []string{"Open b 3", "Open c 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wave := selects("canary")
			if c.limit != "" {
				atMost(c.limit)(&wave)
			}
			in := input(waves(wave), open, c.variants, func(in *Input) { in.Spec.MaxFailures = limitOf("9") })
			if diff := cmp.Diff(c.want, stepsOf(in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestSpecs checks what is written, and what is held.
func TestSpecs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variants string
		want     []string
	}{
		"latest is pinned to what it was":                  {"a canary 3 Busy\nb - latest Published on=2", []string{"Pin b 2"}},
		"a tag, too":                                       {"a canary 3 Busy\nb - stable Draft on=1", []string{"Pin b 1"}},
		"and a branch with published revisions":            {"a canary 3 Busy\nb - -1 Draft on=1", []string{"Pin b 1"}},
		"whatever it is like":                              {"a canary 3 Busy\nb - latest Stalled on=2", []string{"Pin b 2"}},
		"also in the wave that is open, without room":      {"a canary 3 Busy\nb canary latest Published on=2", []string{"Pin b 2"}},
		"one that is suspended is pinned":                  {"a canary 3 Busy\nb - latest Published on=2 suspended", []string{"Pin b 2"}},
		"what is opened needs no pin":                      {"a canary latest Published on=2\nb - 2 Published", []string{"Open a 3"}},
		"what the status says of another spec is no pin":   {"a canary 3 Busy\nb - latest Old", nil},
		"a branch is no pin":                               {"a canary 3 Busy\nb - latest Published on=-1", nil},
		"a number needs none":                              {"a canary 3 Busy\nb - 2 Published", nil},
		"nothing is written to what is being deleted":      {"a canary 3 Busy\nb - latest Published on=2 leaving", nil},
		"nothing is written to what has the spec":          {"a canary 3 Busy", nil},
		"somebody changed the spec: it is to be updated":   {"a canary 3 Published labelled\nb - 2 Published", []string{"Open a 3"}},
		"a target of a closed wave is held":                {"a canary 3 Busy\nb - 2 Published labelled", nil},
		"a target of a closed wave is not made":            {"a canary 3 Busy\nb - -", nil},
		"a target in a closed wave may have the spec":      {"a canary 3 Busy\nb - 3 Published", nil},
		"what has been rolled back to is no longer wanted": {"a canary 4 Published\nb - 4 Published", []string{"Open a 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(waves(selects("canary", atMost("1"))), open, c.variants)
			if diff := cmp.Diff(c.want, stepsOf(in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestWrittenSpec checks that a variant gets what the set makes, with the number of the revision, and keeps what people
// set in it.
func TestWrittenSpec(t *testing.T) {
	t.Parallel()
	in := input(nil, "", "a b 2 Published labelled suspended\nb b 2 Published labelled\nc b latest Published on=2 labelled\nd b -")
	in.Variants[1].Want.Pipeline, in.Variants[1].Want.AdoptionPolicy = nil, "adoptExisting"
	in.Spec.Waves = waves(selects("b", atMost("1")))
	d := Plan(in)
	b := *in.Variants[1].Want
	b.Upstream = numbered(b.Upstream, 3)
	c := in.Variants[2].Have.Spec
	c.Upstream = numbered(c.Upstream, 2)
	want := []Step{
		{Variant: "a", Action: Hold, Spec: &in.Variants[0].Have.Spec, Held: true}, {Variant: "b", Action: Open, Spec: &b},
		{Variant: "c", Action: Pin, Spec: &c, Held: true}, {Variant: "d", Action: Hold, Held: true},
	}
	if diff := cmp.Diff(want, d.Steps); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if d.OpenedAt != "2026-01-01T12:00:00Z" {
		t.Errorf("opened at %s", d.OpenedAt)
	}
	if got := in.Variants[1].Want.Upstream.Revision.String(); got != "latest" {
		t.Errorf("the input has the revision %s now", got)
	}
}

// TestHolds checks what keeps a rollout from opening anything. It keeps its place.
func TestHolds(t *testing.T) {
	const none = "it is not opened yet"
	rows := []string{"canary Pending 12:00 1/0/0/0: " + none, "rest Pending 12:00 1/0/0/0: waits for the wave canary"}
	testPlan(t, map[string]planCase{
		"paused": {input(canaryAndRest, "", "a canary 2 Published\nb - 2 Published", pause), want{Phase: "Paused canary", Waves: rows,
			Condition: "Reconciling RolloutPaused: paused at wave canary (1 of 2): " + none + "; set spec.rollout.paused to false to continue"}},
		"the set is suspended": {input(canaryAndRest, "", "a canary 2 Published\nb - 2 Published", suspend), want{Phase: "Paused canary", Waves: rows,
			Condition: "Reconciling RolloutPaused: paused at wave canary (1 of 2): " + none + "; set spec.suspend to false to continue"}},
		"paused, what floats is pinned": {input(nil, "", "b - latest Published on=2", pause), want{Steps: []string{"Pin b 2"}, Phase: "Paused rest",
			Waves:     []string{"rest Pending 12:00 1/0/0/0: " + none},
			Condition: "Reconciling RolloutPaused: paused at wave rest (1 of 1): " + none + "; set spec.rollout.paused to false to continue"}},
		"suspended, nothing is written at all": {input(nil, "", "b - latest Published on=2", suspend), want{Phase: "Paused rest",
			Waves:     []string{"rest Pending 12:00 1/0/0/0: " + none},
			Condition: "Reconciling RolloutPaused: paused at wave rest (1 of 1): " + none + "; set spec.suspend to false to continue"}},
		"paused, a wave comes through, and none opens": {input(canaryAndRest, open, "a canary 3 Published\nb - 2 Published", pause), want{Phase: "Paused rest",
			Waves:     []string{"canary Complete 12:00 1/1/1/0 opened=11:00", "rest Pending 11:00 1/0/0/0: " + none},
			Condition: "Reconciling RolloutPaused: paused at wave rest (2 of 2): " + none + "; set spec.rollout.paused to false to continue"}},
		"paused in a wave, which stays open": {input(canaryAndRest, open, "a canary 3 Draft\na2 canary 2 Published\nb - 2 Published", pause), want{
			Phase: "Paused canary", Waves: []string{"canary Progressing 11:00 2/1/0/0 opened=11:00: 0 of 2 targets are Published with blueprints.web.v3",
				"rest Pending 11:00 1/0/0/0: waits for the wave canary"},
			Condition: "Reconciling RolloutPaused: paused at wave canary (1 of 2): 0 of 2 targets are Published with blueprints.web.v3; set spec.rollout.paused to false to continue"}},
		"paused, a target is added to what is complete": {input(nil, "rest Complete 11:00 opened=11:00", "a - 3 Published\nb - -", pause), want{
			Phase: "Paused rest", Waves: []string{"rest Pending 12:00 2/1/1/0 opened=11:00: " + none},
			Condition: "Reconciling RolloutPaused: paused at wave rest (1 of 1): " + none + "; set spec.rollout.paused to false to continue"}},
		"nothing is wanted any more": {input(waves(selects("canary", after(true, 0))), "canary AwaitingApproval 11:30 opened=11:00\nrest Complete 11:00 opened=11:00 approved=11:10", "", noVariants), want{
			Phase: "Progressing", Waves: []string{"canary AwaitingApproval 11:30 0/0/0/0 opened=11:00: the set has no target",
				"rest Complete 11:00 0/0/0/0 opened=11:00 approved=11:10"}}},
		"nothing was ever wanted": {input(canaryAndRest, "", "", noVariants), want{}},
		"paused, complete":        {input(nil, "", "b - 3 Published", pause), want{Phase: "Complete", Waves: []string{"rest Complete 12:00 1/1/1/0 opened=12:00"}}},
		"the upstream is a draft": {input(canaryAndRest, open, "a canary 2 Published\nb - latest Published on=2", ofDraft), want{Steps: []string{"Pin b 2"}, Phase: "Stopped",
			Waves: []string{"canary Progressing 11:00 0/0/0/0 opened=11:00", "rest Pending 11:00 0/0/0/0"},
			Condition: "Stalled UpstreamNotPublished: a rollout needs a published revision with a number, and blueprints.web.next has none: " +
				"publish it, or name a number, latest or a tag in the upstream's revision"}},
		"the first upstream is a draft": {input(canaryAndRest, "", "a canary -", ofDraft), want{Phase: "Stopped",
			Condition: "Stalled UpstreamNotPublished: a rollout needs a published revision with a number, and blueprints.web.next has none: " +
				"publish it, or name a number, latest or a tag in the upstream's revision"}},
	})
}

func pause(in *Input) { in.Spec.Paused = true }

func suspend(in *Input) { in.Suspended = true }

func ofDraft(in *Input) {
	draft := v1alpha1.ResolvedUpstream{Name: "blueprints.web.next"}
	in.Upstreams = []v1alpha1.ResolvedUpstream{draft}
	for i := range in.Variants {
		in.Variants[i].Upstream = draft
	}
}

// TestReadLive checks when variants from a cache are not enough to open more, and what is known to be written.
func TestReadLive(t *testing.T) {
	t.Parallel()
	written := func(updated int32, generations int64) *v1alpha2.WrittenVariants {
		return &v1alpha2.WrittenVariants{Updated: updated, Generations: generations}
	}
	const one = "a canary 3 Busy\nb canary 2 Published" // each in generation 7
	for name, c := range map[string]struct {
		rows        string
		before      *v1alpha2.WrittenVariants
		variants    string
		live        bool
		want        string
		wantWritten *v1alpha2.WrittenVariants
	}{
		"a rollout begins":                       {"", nil, one, false, "ReadLive", nil},
		"it was read":                            {"", nil, one, true, "Progressing canary", written(2, 15)},
		"there is nothing to open":               {"", nil, "a canary 3 Busy", false, "Progressing canary", nil},
		"what is made has generation 1":          {"", nil, "a canary -", true, "Progressing canary", written(1, 1)},
		"a pin is written, too":                  {"", nil, "a canary 3 Busy\nb - latest Published on=2", true, "Progressing canary", written(1, 15)},
		"a pin can be all that is missing":       {"", nil, "a canary 3 Busy\nb - latest Published on=3", true, "Progressing canary", written(2, 15)},
		"the cache has what was written":         {open, written(1, 14), one, false, "Progressing canary", written(2, 15)},
		"it has not":                             {open, written(2, 15), one, false, "ReadLive", nil},
		"it has as many, but an older one":       {open, written(1, 16), one, false, "ReadLive", nil},
		"it has more":                            {open, written(0, 14), one, false, "ReadLive", nil},
		"it was not written, as can be read":     {open, written(2, 15), one, true, "Progressing canary", written(2, 15)},
		"what was written is never forgotten":    {open, written(2, 15), "a canary 3 Busy", false, "Progressing canary", written(2, 15)},
		"another spec is wanted":                 {open, written(2, 14), "a canary 3 Published labelled\nb - 3 Published labelled", false, "ReadLive", nil},
		"the status does not know what there is": {open, nil, one, false, "ReadLive", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(canaryAndRest, c.rows, c.variants)
			in.Live = c.live
			if in.Status != nil {
				in.Status.Written = c.before
			}
			d := Plan(in)
			if diff := cmp.Diff(c.want, got(&d).Phase); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.wantWritten, d.Status.Written); diff != "" {
				t.Errorf("written, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(Decision{ReadLive: true}, d); d.ReadLive && diff != "" {
				t.Errorf("what is not to be written, -want +got:\n%s", diff)
			}
		})
	}
}

// TestStamp checks that times are kept in whole seconds and rounded up.
func TestStamp(t *testing.T) {
	t.Parallel()
	base := at("12:00").Time
	for name, c := range map[string]struct{ now, want time.Time }{
		"whole":      {base, base},
		"a bit more": {base.Add(time.Nanosecond), base.Add(time.Second)},
		"a bit less": {base.Add(-time.Nanosecond), base},
		"elsewhere":  {base.In(time.FixedZone("", 3600)), base},
	} {
		if got := stamp(c.now); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
