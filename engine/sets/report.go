// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/words"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// errBehind ends a reconcile whose cache does not know the newest variants. There is nothing to report.
var errBehind = errors.New("the cache does not know the newest PackageVariants yet")

// outcome is the result of a reconcile. Without a condition there is nothing to report.
type outcome struct {
	condition v1alpha1.Condition
	// pending says what remains to do, or that nothing does, if that is known.
	pending string
	// counts is nil if the set could not be expanded. states and failures count the variants by their state.
	counts   *counts
	states   v1alpha2.VariantCounts
	failures []v1alpha2.VariantFailure
	// observed is the digest of the input if the variants are as wanted, and a plan over it has nothing to do.
	observed string
	// err causes a retry; without one, the set is reconciled again after wait, unless that is 0.
	err  error
	wait time.Duration
}

type counts struct{ desired, current, ready, injected int }

// failed returns the outcome for a set that could not be expanded.
func failed(err error) outcome {
	known, isKnown := errors.AsType[*problem](err)
	runtime, noRuntime := errors.AsType[*mutate.UnavailableError](err)
	switch {
	case noRuntime:
		return outcome{condition: v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable,
			"will try again: "+runtime.Message), err: err}
	case isKnown:
		return outcome{condition: known.Condition}
	default:
		return outcome{condition: v1alpha1.Reconciling(v1alpha2.ReasonExpansionFailed, "will try again: "+err.Error()),
			err: err}
	}
}

// unapplied returns the outcome for a set that was expanded, and for which the cluster refused something else.
func unapplied(err error) outcome {
	return outcome{condition: v1alpha1.Reconciling(v1alpha2.ReasonApplyFailed, "will try again: "+err.Error()), err: err}
}

// tally sums up the steps for the set's status.
type tally struct {
	counts
	errs           []error
	behind         bool
	names, unready []string
	// moved is how many variants are ready and follow a branch that has moved since they were made from it.
	moved int
}

// count returns the tally of steps that were applied, or held back.
func count(in *input, steps []step, held bool) *tally {
	t := &tally{counts: counts{desired: in.desired}}
	for i := range steps {
		s := &steps[i]
		switch {
		case isBehind(s):
			t.behind = true
		case s.err != nil:
			t.errs = append(t.errs, s.err)
		case s.do == taken:
			t.names = append(t.names, s.takenBy())
		case s.do == waiting:
			t.unready = append(t.unready, s.have.Name+" (being deleted)")
		case s.do == remove, held && s.does():
		case s.spared: // it has not the spec that the set gives it
		case in.heldBack[s.want.Name]: // nor has this one; when the rollout is complete, it is because of suspend
			t.unready = append(t.unready, s.want.Name+" (suspended)")
		default:
			t.variant(s.want)
		}
	}
	return t
}

// variant counts a variant that has the spec which the set gives it.
func (t *tally) variant(pv *v1alpha1.PackageVariant) {
	t.current++
	state := readiness(pv)
	if state.injected {
		t.injected++
	}
	if state.ready {
		t.ready++
		if state.reason == v1alpha1.ReasonBranchMoved {
			t.moved++
		}
	} else {
		t.unready = append(t.unready, fmt.Sprintf("%s (%s)", pv.Name, state.reason))
	}
}

// judge returns the outcome of steps that were applied, unless something held them back.
func judge(in *input, steps []step, held hold) outcome {
	t := count(in, steps, held.reason != "")
	o := outcome{counts: &t.counts, err: errors.Join(t.errs...), wait: in.again(),
		states: in.rolled.Counts, failures: in.rolled.Failures,
		pending: cmp.Or(held.would, "there is nothing to do")}
	if len(in.allNotes()) == 0 && !slices.ContainsFunc(steps, func(s step) bool { return s.do != keep }) {
		o.observed = in.digest
	}
	undecided := in.undecided(steps)
	say := func(of func(reason, message string) v1alpha1.Condition, reason, format string, args ...any) {
		said := append([]string{fmt.Sprintf(format, args...)}, in.allNotes()...)
		if undecided != "" && undecided != said[0] {
			said = append(said, undecided)
		}
		o.condition = of(reason, strings.TrimPrefix(strings.Join(said, "; "), "; "))
	}
	switch {
	case held.reason != "":
		say(v1alpha1.Stalled, held.reason, "%s", held.message)
	case len(t.errs) > 0:
		say(failedToApply(t.errs))
	case t.behind:
		o.err = errBehind
	case len(t.names) > 0:
		say(v1alpha1.Stalled, v1alpha2.ReasonNameTaken,
			"PackageVariants that are not this set's have the names of its variants: "+
				"%s; delete them, or hand them over to this set by the label %s: %q",
			strings.Join(t.names, ", "), v1alpha2.OwnerLabel, in.owner.uid)
	case in.rolled.Condition != nil:
		c := in.rolled.Condition
		say(func(reason, message string) v1alpha1.Condition {
			return v1alpha1.Condition{Type: c.Type, Reason: reason, Message: message}
		}, c.Reason, "%s", c.Message)
	case len(in.excluded) > 0: // the notes say why, and not how many are ready: each change of a message is an Event
		say(v1alpha1.Stalled, v1alpha2.ReasonExpansionFailed, "")
	case len(in.refused) > 0:
		say(v1alpha1.Stalled, v1alpha2.ReasonVariantRefused, "")
	case undecided != "": // and nothing fails
		say(v1alpha1.Stalled, v1alpha2.ReasonEmptySelection, "%s", undecided)
	case t.ready < t.desired:
		say(v1alpha1.Reconciling, v1alpha2.ReasonVariantsNotReady, "%d of %d variants are not ready: %s", t.desired-t.ready,
			t.desired, words.Some(t.unready, ", "))
	default:
		say(v1alpha1.Ready, v1alpha2.ReasonVariantsReady, "%d of %d variants are ready%s", t.ready, t.desired,
			t.branchMoved())
	}
	return o
}

// failedToApply returns what to report about steps that failed. A right that the controller lacks comes first.
func failedToApply(errs []error) (of func(reason, message string) v1alpha1.Condition, reason, format string, arg any) {
	for _, err := range errs {
		if c, _ := packages.ConditionOf(err); c.Reason == v1alpha2.ReasonPermissionMissing {
			return v1alpha1.Stalled, c.Reason, "%s", c.Message
		}
	}
	return v1alpha1.Reconciling, v1alpha2.ReasonApplyFailed, "will try again: %s", words.Some(errs, ", ")
}

// again returns after how long to plan again even if nothing changes; 0 is never. It is needed because no event reports
// that the API server would now accept a variant.
func (in *input) again() time.Duration {
	if wait := in.rolled.Again; len(in.refused) == 0 || wait > 0 && wait < lastRetry {
		return wait
	}
	return lastRetry
}

// allNotes returns the notes, and which variants the set cannot make.
func (in *input) allNotes() []string {
	notes := slices.Clone(in.notes)
	for _, left := range []struct {
		out []mutate.Excluded
		are string
	}{
		{in.excluded, "targets cannot be expanded"}, {in.refused, "variants are refused by the API server"},
	} {
		var failing []string
		for _, x := range left.out {
			failing = append(failing, x.Target+": "+x.Message)
		}
		if len(failing) > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d %s and stay as they are: %s", len(failing), in.desired, left.are,
				words.Some(failing, ", ")))
		}
	}
	return notes
}

// branchMoved names the variants that were made from an older commit of their upstream branch.
func (t *tally) branchMoved() string {
	if t.moved == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of them were made from an older commit of the branch that is the upstream: "+
		"to follow it, publish it and name its revision in spec.upstream", t.moved)
}

// state is what a set asks of a variant's condition Ready.
type state struct {
	ready    bool
	injected bool
	reason   string
}

func readiness(pv *v1alpha1.PackageVariant) state {
	c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	if c == nil || c.ObservedGeneration != pv.Generation {
		return state{reason: v1alpha1.ReasonPending}
	}
	return state{
		ready: c.Status == metav1.ConditionTrue, reason: c.Reason,
		injected: meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionConfigInjected),
	}
}

// withoutEvent are the reasons that cause no Event: variants that are not ready have their own. Those of asAsked cause
// an Event that is no warning.
var (
	withoutEvent = []string{v1alpha2.ReasonVariantsNotReady, v1alpha2.ReasonRolloutProgressing}
	asAsked      = []string{
		v1alpha1.ReasonSuspended, v1alpha2.ReasonRolloutPaused, v1alpha2.ReasonRolloutAwaitingApproval,
	}
)

// report writes the status, if it changed, and records an Event for a new problem.
func (r *Reconciler) report(ctx context.Context, set *v1alpha2.PackageVariantSet, o *outcome) error {
	if o.condition.Reason == "" {
		return nil
	}
	before := set.DeepCopy()
	news := o.condition.Set(&set.Status.Conditions, set.Generation)
	o.setSuspended(set)
	set.Status.ObservedGeneration = set.Generation
	if c := o.counts; c != nil {
		set.Status.ObservedInputs = o.observed
		set.Status.Desired, set.Status.Current, set.Status.Ready, set.Status.Injected = int32(c.desired), int32(c.current),
			int32(c.ready), int32(c.injected)
		set.Status.Counts, set.Status.Failures = &o.states, o.failures
	}
	if equality.Semantic.DeepEqual(before.Status, set.Status) {
		return nil
	}
	if err := r.Sets.WriteSetStatus(ctx, before, set); err != nil {
		return fmt.Errorf("cannot write the status: %w", err)
	}
	switch c := o.condition; {
	case !news || c.Type == v1alpha1.ConditionReady || slices.Contains(withoutEvent, c.Reason):
	case slices.Contains(asAsked, c.Reason):
		r.event(set, objects.Normal, c.Reason, c.Message)
	default:
		r.event(set, objects.Warning, c.Reason, c.Message)
	}
	return nil
}

// setSuspended sets the condition Suspended of a suspended set, with the reason and what there is to do. Other sets do
// not have it.
func (o *outcome) setSuspended(set *v1alpha2.PackageVariantSet) {
	suspended := decide.Aspect{Type: v1alpha1.ConditionSuspended, True: true}
	if set.Spec.Suspend {
		suspended.Reason = v1alpha1.ReasonSuspended
		suspended.Message = v1alpha1.Because(v1alpha1.SuspendReason(set.Annotations),
			cmp.Or(o.pending, "the set cannot be expanded: see the condition Ready"))
	}
	suspended.Set(&set.Status.Conditions, set.Generation)
}

// lastRetry is after how long variants that are refused are tried again at the latest.
const lastRetry = 5 * time.Minute

// event records an Event of the set.
func (r *Reconciler) event(set *v1alpha2.PackageVariantSet, kind, reason, message string) {
	r.Event(set, kind, reason, v1alpha1.ShortenNote(message))
}
