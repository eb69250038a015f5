// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// at returns a time of the day of all tests. The plans are made at 12:00.
func at(clock string) metav1.Time {
	t, err := time.Parse(time.RFC3339, "2026-01-01T"+clock+":00Z")
	if err != nil {
		panic(err)
	}
	return metav1.NewTime(t)
}

// clock is the inverse of at.
func clock(t metav1.Time) string { return t.UTC().Format("15:04") }

// upstream is revision n of the package that is rolled out.
func upstream(n int) v1alpha1.ResolvedUpstream {
	return v1alpha1.ResolvedUpstream{Name: "blueprints.web.v" + strconv.Itoa(n), Revision: n}
}

// wants is what a set with the upstream latest makes for a target.
func wants(name string) *variant.Spec {
	return &variant.Spec{
		Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: parsed("latest")},
		Downstream: &variant.Downstream{Repo: name, Package: "web"},
	}
}

// parse returns a variant described by a line: its name, its wave (- for the last), the revision in its spec (- if
// it does not exist), and how it is:
//
//   - Published, Draft or Proposed: it is ready with such a downstream revision, of the revision in its spec;
//   - Old: its spec was just written, the status is that of revision 2, published;
//   - Busy: the controller works on its spec;
//   - Stalled: it is stalled since 11:45 with its spec.
//
// More words change it: suspended, leaving, conflicted, labelled (the spec has another label than it should have), on=N
// (the status has revision N), opened=11:00, since=11:50 (of its conditions).
func parse(line string) Variant {
	words := strings.Fields(line)
	v := Variant{Name: words[0], Want: wants(words[0])}
	if words[1] != "-" {
		v.Wave = words[1]
	}
	if words[2] == "-" {
		return v
	}
	spec := wants(words[0])
	spec.Upstream.Revision = parsed(words[2])
	number, _ := spec.Upstream.Revision.Number()
	v.Have = &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: v.Name, Generation: 7}, Spec: *spec}
	setState(v.Have, words[3], number)
	for _, word := range words[4:] {
		change(v.Have, word)
	}
	return v
}

// parsed returns a revision as YAML has it: 3 is a number, and "v3" and latest are strings.
func parsed(text string) variant.Revision {
	if n, err := strconv.Atoi(text); err == nil {
		return variant.RevisionNumber(n)
	}
	r, err := variant.ParseRevision(strings.Trim(text, `"`))
	if err != nil {
		panic(err)
	}
	return r
}

// setState sets the status of a variant whose spec has the revision with the number.
func setState(pv *v1alpha1.PackageVariant, state string, number int) {
	s := &pv.Status
	s.ObservedGeneration = pv.Generation
	resolved := upstream(number)
	s.Upstream = &resolved
	is := func(c v1alpha1.Condition) {
		c.Set(&s.Conditions, s.ObservedGeneration)
		for i := range s.Conditions {
			s.Conditions[i].LastTransitionTime = at("11:45")
		}
	}
	switch state {
	case "Published", "Draft", "Proposed":
		s.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: pv.Name + ".web.1", Lifecycle: state}}
		is(v1alpha1.Ready(v1alpha1.ReasonUpToDate, ""))
	case "Old":
		setState(pv, "Published", 2)
		pv.Generation++
	case "Busy":
		is(v1alpha1.Reconciling(v1alpha1.ReasonPending, ""))
	case "Stalled":
		is(v1alpha1.Stalled(v1alpha1.ReasonFunctionFailed, ""))
	default:
		panic(state)
	}
}

func change(pv *v1alpha1.PackageVariant, word string) {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "suspended":
		pv.Spec.Suspend = true
	case "leaving":
		pv.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	case "conflicted":
		pv.Status.Conditions = append(pv.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionConflicted, Status: metav1.ConditionTrue})
	case "waits":
		pv.Status.OpenDraft = &v1alpha1.OpenDraft{Name: pv.Name + ".web.1", Reason: value}
	case "labelled":
		pv.Spec.Labels = map[string]string{"tier": "old"}
	case "on":
		n, err := strconv.Atoi(value)
		if err != nil {
			panic(err)
		}
		resolved := upstream(n)
		pv.Status.Upstream = &resolved
	case "since":
		for i := range pv.Status.Conditions {
			pv.Status.Conditions[i].LastTransitionTime = at(value)
		}
	case "opened":
		pv.Annotations = map[string]string{v1alpha2.OpenedAtAnnotation: at(value).Format(time.RFC3339)}
	default:
		panic(word)
	}
}

// selects returns a wave of the targets with its name as their label wave.
func selects(name string, edits ...func(*v1alpha2.Wave)) v1alpha2.Wave {
	w := v1alpha2.Wave{Name: name, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"wave": name}}}
	for _, edit := range edits {
		edit(&w)
	}
	return w
}

func atMost(limit string) func(*v1alpha2.Wave) {
	return func(w *v1alpha2.Wave) { w.MaxConcurrent = limitOf(limit) }
}

func limitOf(limit string) *intstr.IntOrString {
	l := intstr.Parse(limit)
	return &l
}

func ready(w *v1alpha2.Wave) { w.Until = v1alpha2.UntilReady }

func after(approval bool, soak time.Duration) func(*v1alpha2.Wave) {
	return func(w *v1alpha2.Wave) {
		w.After = &v1alpha2.WaveAfter{Approval: approval, MinSuccessTime: &metav1.Duration{Duration: soak}}
	}
}

// row returns a row of a status from a line: name, state, since, and when it was opened and approved.
func row(line string) v1alpha2.WaveStatus {
	words := strings.Fields(line)
	w := v1alpha2.WaveStatus{Name: words[0], State: v1alpha2.WaveState(words[1]), Since: at(words[2])}
	for _, word := range words[3:] {
		key, value, _ := strings.Cut(word, "=")
		t := at(value)
		switch key {
		case "opened":
			w.OpenedAt = &t
		case "approved":
			w.ApprovedAt = &t
		default:
			panic(word)
		}
	}
	return w
}

// input returns the input for a plan of revision 3 at 12:00, over variants read from the API server. Its status is of
// the same rollout if there are rows, which are lines for row.
func input(waves []v1alpha2.Wave, rows string, variants string, edits ...func(*Input)) *Input {
	in := &Input{
		Namespace: "fleet", Name: "web", Spec: &v1alpha2.Rollout{Waves: waves}, Live: true, Now: at("12:00").Time,
		Upstreams: []v1alpha1.ResolvedUpstream{upstream(3)},
	}
	if rows != "" {
		started := at("11:00")
		in.Status = &v1alpha2.RolloutStatus{Phase: v1alpha2.RolloutProgressing, StartedAt: &started,
			Revision: v1alpha2.RolloutRevision{Name: "blueprints.web.v3", Revision: 3}}
		for line := range strings.Lines(strings.TrimSpace(rows)) {
			in.Status.Waves = append(in.Status.Waves, row(line))
		}
	}
	for line := range strings.Lines(strings.TrimSpace(variants)) {
		v := parse(strings.TrimSpace(line))
		v.Upstream = upstream(3)
		in.Variants = append(in.Variants, v)
	}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// want is what a plan should be, in lines.
type want struct {
	// Steps are those that write, each with the revision that it writes.
	Steps []string
	// Phase is the phase, and the wave that the rollout is at.
	Phase string
	// Waves are the rows, with their numbers: targets, updated, reached, failed.
	Waves []string
	// Condition is the type, the reason and the message.
	Condition string
	Again     time.Duration
}

// got returns a plan in lines.
func got(d *Decision) want {
	w := want{Phase: strings.TrimSpace(fmt.Sprint(d.Status.Phase, " ", d.Status.Wave)), Again: d.Again}
	if d.ReadLive {
		w.Phase = "ReadLive"
	}
	for _, s := range d.Steps {
		if s.Action != Hold {
			w.Steps = append(w.Steps, fmt.Sprintf("%s %s %s", s.Action, s.Variant, s.Spec.Upstream.Revision))
		}
	}
	for _, r := range d.Status.Waves {
		line := fmt.Sprintf("%s %s %s %d/%d/%d/%d", r.Name, r.State, clock(r.Since), r.Targets, r.Updated, r.Reached, r.Failed)
		if r.OpenedAt != nil {
			line += " opened=" + clock(*r.OpenedAt)
		}
		if r.ApprovedAt != nil {
			line += " approved=" + clock(*r.ApprovedAt)
		}
		if r.Message != "" {
			line += ": " + r.Message
		}
		w.Waves = append(w.Waves, line)
	}
	if c := d.Condition; c != nil {
		w.Condition = fmt.Sprintf("%s %s: %s", c.Type, c.Reason, c.Message)
	}
	return w
}

// planCase is a row of a table.
type planCase struct {
	in   *Input
	want want
}

// testPlan tests plans, each made twice, and again from a status and variants that went through the API.
func testPlan(t *testing.T, cases map[string]planCase) {
	t.Helper()
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := Plan(c.in)
			if diff := cmp.Diff(c.want, got(&first)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if second := Plan(c.in); cmp.Diff(first, second) != "" {
				t.Errorf("planned again, -first +second:\n%s", cmp.Diff(first, second))
			}
			if len(first.Steps) != len(c.in.Variants) && !first.ReadLive {
				t.Errorf("%d steps for %d variants", len(first.Steps), len(c.in.Variants))
			}
		})
	}
}

// excludes says that the set cannot make a variant.
func excludes(name string) func(*Input) {
	return func(in *Input) { in.Excluded = append(in.Excluded, Excluded{Name: name, Reason: "ExpansionFailed"}) }
}

func noVariants(in *Input) { in.Variants = nil }
