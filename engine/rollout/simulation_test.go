// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"k8s.io/apimachinery/pkg/api/equality"
)

// world is a fleet, the controller of its variants, and the controller of their set, which reads from a cache that lags
// behind, and is killed now and then.
type world struct {
	*rand.Rand
	t    *testing.T
	spec v1alpha2.Rollout
	now  time.Time
	// wanted is the revision that the upstream stands for.
	wanted int
	// variants are those at the API server, cached are those that the controller of the set knows.
	variants, cached []Variant
	// status is at the API server in a version, cachedStatus is what the controller of the set knows.
	status, cachedStatus versioned
	approved             string
	// failing is how many of a hundred tries of a variant fail.
	failing int
	// until is what the wave of each variant waits for.
	until []v1alpha2.Until
	// peace keeps anything from happening while the controller of the set is at work.
	peace bool
	// passed are the variants that have reached what their wave waits for, or have failed, since their spec was written.
	passed map[string]bool
	// plans, reads and writes count what the controller of the set did.
	plans, reads, writes int
}

// versioned is a status in a version.
type versioned struct {
	version int
	status  *v1alpha2.RolloutStatus
}

// newWorld returns a world with a random fleet on revision 1, and a rollout to revision 2.
func newWorld(t *testing.T, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, now: at("12:00").Time, wanted: 2, failing: 15, passed: map[string]bool{}}
	pick := func(of ...string) string { return of[w.IntN(len(of))] }
	for _, name := range []string{"canary", "eu"} {
		wave := selects(name, after(w.IntN(2) == 0, time.Duration(w.IntN(3))*time.Minute))
		if limit := pick("", "1", "2", "3", "30%"); limit != "" {
			atMost(limit)(&wave)
		}
		if w.IntN(2) == 0 {
			ready(&wave)
		}
		w.spec.Waves = append(w.spec.Waves, wave)
	}
	w.spec.MaxFailures = limitOf(pick("0", "2", "50%"))
	in := &Input{Spec: &w.spec}
	if w.IntN(2) == 0 {
		within(10 * time.Minute)(in)
	}
	for i := range 3 + w.IntN(25) {
		line := fmt.Sprintf("v%02d %s ", i, pick("canary", "eu", "-"))
		w.variants = append(w.variants, parse(line+pick("-", "1 Published", "1 Published", "1 Draft", "latest Published on=1", "1 Stalled", "1 Published suspended")))
	}
	w.cached = append(w.cached, w.variants...)
	for _, t := range newRollout(w.input(w.variants, true)).targets {
		w.until = append(w.until, t.wave.until())
		w.passed[t.Name] = t.Have != nil && (t.failure != nil || stands(t.Have, t.wave.until()))
	}
	return w
}

// input returns what a plan sees, with variants from the API server or from a cache.
func (w *world) input(variants []Variant, live bool) *Input {
	in := &Input{Namespace: "fleet", Name: "web", Spec: &w.spec, Status: w.cachedStatus.status, Approvals: w.approved, Live: live,
		Now: w.now, Upstreams: []v1alpha1.ResolvedUpstream{upstream(w.wanted)}, Variants: append([]Variant(nil), variants...)}
	for i := range in.Variants {
		in.Variants[i].Upstream = in.Upstreams[0]
	}
	return in
}

// reconcile plans, writes the status and then the steps. If kill is not negative, it is killed after that many writes.
func (w *world) reconcile(kill int) Decision {
	in := w.input(w.cached, false)
	known := w.cachedStatus
	w.plans++
	d := Plan(in)
	if d.ReadLive {
		w.reads++
		in = w.input(w.variants, true)
		d = Plan(in)
	}
	for range w.IntN(3) {
		if !w.peace {
			w.progress()
		}
	}
	if kill == 0 {
		return d
	}
	if known.status == nil || !equality.Semantic.DeepEqual(*known.status, d.Status) {
		if known.version != w.status.version {
			return d // a conflict
		}
		w.status = versioned{known.version + 1, throughAPI(w.t, &d.Status)}
	}
	last := -1
	for i, s := range d.Steps {
		if s.Action == Hold {
			continue
		}
		if kill--; kill == 0 {
			break
		}
		w.write(in, &d, i)
		if s.Action == Open {
			last = i
		}
	}
	if last >= 0 { // with it most are in flight
		w.check(last)
	}
	return d
}

// throughAPI returns a status as the API server keeps it.
func throughAPI(t *testing.T, status *v1alpha2.RolloutStatus) *v1alpha2.RolloutStatus {
	data, err := json.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	out := &v1alpha2.RolloutStatus{}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// write writes a step of the i-th variant, unless that is not what the plan saw.
func (w *world) write(in *Input, d *Decision, i int) {
	have := w.variants[i].Have
	if have != in.Variants[i].Have {
		return // a conflict
	}
	pv := &v1alpha1.PackageVariant{}
	if have != nil {
		pv = have.DeepCopy()
	}
	pv.Name, pv.Spec = d.Steps[i].Variant, *d.Steps[i].Spec.DeepCopy()
	pv.Generation++
	if d.Steps[i].Action == Open {
		pv.Annotations = map[string]string{v1alpha2.OpenedAtAnnotation: d.OpenedAt}
	}
	w.variants[i].Have = pv
	w.writes++
	w.passed[pv.Name] = d.Steps[i].Action == Pin
}

// check checks, when the i-th variant was opened, that its wave has no more in flight than allowed, and that the waves
// before it are complete.
func (w *world) check(i int) {
	r := newRollout(w.input(w.variants, true))
	wave, inFlight := r.targets[i].wave, 0
	for _, t := range wave.targets {
		if t.updated && !t.suspended && !w.isPassed(t) {
			inFlight++
		}
	}
	if inFlight > wave.limit() {
		w.t.Fatalf("%d in flight in wave %s, which may have %d", inFlight, wave.Name, wave.limit())
	}
	for _, earlier := range r.waves {
		if earlier == wave {
			return
		}
		for _, t := range earlier.targets {
			if !t.suspended && (!t.updated || !w.isPassed(t)) {
				w.t.Fatalf("%s in wave %s was opened before %s in wave %s was through", r.targets[i].Name, wave.Name, t.Name, earlier.Name)
			}
		}
	}
}

// isPassed reports whether a target has reached what its wave waits for, or has failed, since it was opened.
func (w *world) isPassed(t *target) bool {
	if limit := w.spec.ProgressDeadline; limit != nil {
		opened, err := time.Parse(time.RFC3339, t.Have.Annotations[v1alpha2.OpenedAtAnnotation])
		if err == nil && !w.now.Before(opened.Add(limit.Duration)) {
			return true
		}
	}
	return w.passed[t.Name]
}

// progress lets the controller of the variants take a step for one of them.
func (w *world) progress() {
	i := w.IntN(len(w.variants))
	if w.variants[i].Have == nil || w.variants[i].Have.Spec.Suspend {
		return
	}
	pv := w.variants[i].Have.DeepCopy()
	number, isFixed := pv.Spec.Upstream.Revision.Number()
	if !isFixed {
		number = w.wanted
	}
	s := &pv.Status
	switch {
	case s.ObservedGeneration != pv.Generation || isTrue(pv, v1alpha1.ConditionStalled):
		s.DownstreamTargets = nil
		setState(pv, "Busy", number)
	case isTrue(pv, v1alpha1.ConditionReconciling) && w.IntN(100) < w.failing:
		setState(pv, "Stalled", number)
	case isTrue(pv, v1alpha1.ConditionReconciling):
		setState(pv, "Draft", number)
	default:
		setState(pv, "Published", number)
	}
	if isTrue(pv, v1alpha1.ConditionStalled) || stands(pv, w.until[i]) {
		w.passed[pv.Name] = true
	}
	w.variants[i].Have = pv
}

// deliver updates the cache with a variant, or with the status.
func (w *world) deliver() {
	if i := w.IntN(len(w.variants) + 2); i < len(w.variants) {
		w.cached[i] = w.variants[i]
	} else {
		w.cachedStatus = w.status
	}
}

// approve approves the waves, for the revision wanted.
func (w *world) approve() { w.approved = fmt.Sprintf("canary@v%d,eu@v%d", w.wanted, w.wanted) }

// TestSimulation runs fleets through random events, and then in peace: no plan has more in flight than allowed, the
// waves open in their order, and in the end all are complete, with work that grows with the fleet.
func TestSimulation(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			for range 400 {
				switch n := w.IntN(100); {
				case n < 30:
					w.progress()
				case n < 60:
					w.deliver()
				case n < 70:
					w.now = w.now.Add(time.Duration(w.IntN(90_000)) * time.Millisecond)
				case n < 73:
					w.approve()
				case n < 74:
					w.wanted = 1 + w.IntN(4)
				case n < 76:
					w.spec.Paused = !w.spec.Paused
				case n < 86:
					w.reconcile(w.IntN(4)) // killed
				default:
					w.reconcile(-1)
				}
			}
			w.finish()
		})
	}
}

// TestClocks runs fleets with clocks that jump by up to an hour, forward and back, like those of replicas that take
// turns: the rollout keeps to its limits and its order, and never stands still for longer than the jumps.
func TestClocks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			w.spec.ProgressDeadline = nil // what took too long by one clock has not by another
			right := w.now
			for range 400 {
				switch n := w.IntN(100); {
				case n < 30:
					w.progress()
				case n < 60:
					w.deliver()
				case n < 70:
					right = right.Add(time.Duration(w.IntN(90)) * time.Second)
					w.now = right.Add(time.Duration(w.IntN(7200)-3600) * time.Second)
				case n < 73:
					w.approve()
				default:
					w.reconcile(-1)
				}
			}
			w.now = right
			w.finish()
		})
	}
}

// finish lets the rollout end without trouble, and checks that it does, with one write for each variant.
func (w *world) finish() {
	w.peace, w.failing, w.plans, w.reads, w.writes = true, 0, 0, 0, 0
	w.spec.Paused = false
	w.approve()
	for {
		copy(w.cached, w.variants)
		w.cachedStatus = w.status
		d := w.reconcile(-1)
		if d.Status.Phase == v1alpha2.RolloutComplete && w.cachedStatus.version == w.status.version {
			break
		}
		w.now = w.now.Add(10 * time.Second)
		for range 4 * len(w.variants) {
			w.progress()
		}
		// A wave takes its targets one by one at worst, and soaks for two minutes.
		if w.plans > 30*len(w.variants)+1000 {
			w.t.Fatalf("after %d plans: %v", w.plans, got(&d))
		}
	}
	if w.reads > 2 {
		w.t.Errorf("the variants were read from the API server %d times, without a reason", w.reads)
	}
	if w.writes > 2*len(w.variants) {
		w.t.Errorf("%d writes for %d variants", w.writes, len(w.variants))
	}
	for i := range w.variants {
		if v := &w.variants[i]; !v.Have.Spec.Suspend && v.Have.Spec.Upstream.Revision.Int != w.wanted {
			w.t.Errorf("%s has revision %s, not %d", v.Name, v.Have.Spec.Upstream.Revision, w.wanted)
		}
	}
}

// TestThousand brings a thousand targets to another revision: with one write for each, one read of all variants, and no
// more plans than the waves have batches and soaking times.
func TestThousand(t *testing.T) {
	t.Parallel()
	w := &world{Rand: rand.New(rand.NewPCG(1, 1)), t: t, now: at("12:00").Time, wanted: 2, passed: map[string]bool{}, peace: true}
	w.spec.Waves = waves(selects("canary", after(true, time.Minute)), selects("eu", atMost("10%")))
	for i := range 1000 {
		w.variants = append(w.variants, parse(fmt.Sprintf("v%04d %s 1 Published", i, []string{"canary", "eu", "-"}[min(i/10, 60)/30])))
	}
	for range w.variants {
		w.until = append(w.until, v1alpha2.UntilPublished)
	}
	w.approve()
	for {
		w.cached, w.cachedStatus = append([]Variant(nil), w.variants...), w.status
		if d := w.reconcile(-1); d.Status.Phase == v1alpha2.RolloutComplete {
			break
		}
		w.now = w.now.Add(30 * time.Second)
		for i := range w.variants { // all that is open is published
			pv := w.variants[i].Have.DeepCopy()
			setState(pv, "Published", pv.Spec.Upstream.Revision.Int)
			w.variants[i].Have, w.passed[pv.Name] = pv, true
		}
	}
	// The canary at once, three plans for its minute, ten batches, the rest at once, and the last look.
	if diff := cmp.Diff([]int{1000, 1, 15}, []int{w.writes, w.reads, w.plans}); diff != "" {
		t.Errorf("writes, reads and plans, -want +got:\n%s", diff)
	}
}

// TestLinear checks that the cost of a plan for each target does not depend on their number.
func TestLinear(t *testing.T) {
	cost := func(targets int) float64 {
		variants := ""
		for i := range targets {
			variants += fmt.Sprintf("v%05d canary 2 Published\n", i)
		}
		in := input(waves(selects("canary", atMost("10%"))), open, variants)
		return testing.AllocsPerRun(3, func() { Plan(in) }) / float64(targets)
	}
	small, large := cost(200), cost(4000)
	if large > small*1.1 {
		t.Errorf("a target costs %.1f allocations among 4,000, and %.1f among 200", large, small)
	}
}
