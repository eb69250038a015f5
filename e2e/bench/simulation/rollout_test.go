// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"

	"github.com/google/go-cmp/cmp"
)

// mostPerTarget is the most requests per target. The controller may see a draft as proposed, or only once it is
// published; each time it reads the draft and writes the status.
var mostPerTarget = map[string]struct{ first, next int }{
	"create packagevariants":          {1, 0},
	"patch packagevariants":           {0, 1},
	"get packagevariants":             {0, 0}, // what is written is refused if it has changed
	"patch packagevariants/status":    {4, 4}, // announced, ready, proposed, published
	"create packagerevisions":         {1, 1},
	"get packagerevisionresources":    {3, 3}, // as cloned, or to be merged; as proposed; as published
	"update packagerevisionresources": {1, 1},
	"get configmaps":                  {1, 1},
	"create events":                   {0, 0},
	"patch packagevariantsets/status": {0, 0},
	"list packagevariants":            {0, 0},
}

// TestMeasureRollouts checks that two rollouts over a small fleet complete with the simulated Porch, with no more
// requests per target than needed, and no more targets in flight than a wave allows.
func TestMeasureRollouts(t *testing.T) {
	const targets = 40
	// besides allows for requests for the set, a watch of objects, the blueprint, and retries.
	const besides = 30
	var run report.Run
	err := MeasureRollouts(t.Context(), RolloutOptions{
		Targets: []int{targets}, Log: t.Output(),
		Latencies: Latencies{Create: time.Millisecond, Save: time.Millisecond, Read: time.Millisecond},
	}, &run)
	if err != nil {
		t.Fatal(err)
	}
	point := &run.Rollouts.Points[0]
	for _, rolled := range point.Both() {
		for _, r := range rolled.Requests {
			most := mostPerTarget[r.Verb+" "+r.Resource]
			limit := most.first
			if rolled.RolledOut == &point.Next {
				limit = most.next
			}
			if r.Count > limit*targets+besides {
				t.Errorf("%s: %d %s %s, want at most %d for each of %d targets", rolled.Name, r.Count, r.Verb, r.Resource, limit,
					targets)
			}
		}
		if rolled.Seconds <= 0 || rolled.CPUSeconds <= 0 || rolled.Reconciles < targets || rolled.SetSeconds <= 0 ||
			rolled.SetReconciles < len(rolled.Waves) {
			t.Errorf("%s: %+v, want something of everything", rolled.Name, rolled.RolledOut)
		}
		var waves []report.RolledWave
		for _, w := range rolled.Waves {
			if w.InFlight < 1 || w.InFlight > min(w.Targets, w.MaxConcurrent) {
				t.Errorf("%s, wave %s: %d of %d targets were in flight", rolled.Name, w.Name, w.InFlight, w.Targets)
			}
			waves = append(waves, report.RolledWave{Name: w.Name, Targets: w.Targets, MaxConcurrent: w.MaxConcurrent})
		}
		want := []report.RolledWave{{Name: "canary", Targets: 2, MaxConcurrent: 10},
			{Name: "early", Targets: 8, MaxConcurrent: 50}, {Name: "all", Targets: 30, MaxConcurrent: 100}}
		if diff := cmp.Diff(want, waves); diff != "" {
			t.Errorf("%s: waves (-want +got):\n%s", rolled.Name, diff)
		}
	}
}

// TestMeasureRolloutsRefuses checks that sizes too large or small for one set are refused.
func TestMeasureRolloutsRefuses(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{
		0:    "cannot simulate a set of 0 targets: there must be 1 to 1000",
		1001: "cannot simulate a set of 1001 targets: there must be 1 to 1000",
	} {
		err := MeasureRollouts(t.Context(), RolloutOptions{Targets: []int{size}}, &report.Run{})
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestPublish checks a published draft: it has the next number, and the placeholder of the branch has its content.
func TestPublish(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	if err := p.Approve("fleet", draft); err == nil || err.Error() != draft+" is Draft, not Proposed" {
		t.Errorf("a draft is approved: %v", err)
	}
	if err := publish(p, draft); err != nil {
		t.Fatal(err)
	}
	if err := publish(p, draft); err == nil || err.Error() != "cannot propose "+draft+": "+draft+" is Published, not Draft" {
		t.Errorf("it is published again: %v", err)
	}
	p.Publish("fleet", "site", "web", "v9", nil)
	got := map[string]int{}
	for name, r := range p.repository("fleet", "site").revisions {
		got[name] = r.object.Spec.Revision
	}
	want := map[string]int{draft: 1, "site.web.main": -1, "site.web.v9": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
	published, err := p.Files("fleet", draft)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := p.Files("fleet", "site.web.main")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(published, branch); diff != "" {
		t.Errorf("the branch (-want +got):\n%s", diff)
	}
}
