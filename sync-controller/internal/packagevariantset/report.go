// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Reasons of the conditions of a set, beside those of package decide.
const (
	// ReasonVariantsReady says that all variants of the set are ready. It is the only reason of a True condition.
	ReasonVariantsReady = "VariantsReady"
	// ReasonVariantsNotReady says that there are variants that are not ready, or not yet.
	ReasonVariantsNotReady = "VariantsNotReady"
	// ReasonEmptySelection says that the targets select nothing any more, and that the variants are kept nevertheless.
	ReasonEmptySelection = "EmptySelection"
	// ReasonExpansionFailed says that the set cannot be expanded over the objects in the cluster. Nothing is changed.
	ReasonExpansionFailed = "ExpansionFailed"
	// ReasonKindNotFound says that the cluster does not know a kind that an object selector names. Nothing is changed.
	ReasonKindNotFound = "KindNotFound"
	// ReasonNameTaken says that PackageVariants that are not the set's have names that its variants are to have.
	ReasonNameTaken = "NameTaken"
	// ReasonApplyFailed says that the cluster refused changes of variants.
	ReasonApplyFailed = "ApplyFailed"
)

// outcome is what came of a reconcile. Without a verdict there is nothing to say.
type outcome struct {
	verdict conditions.Verdict
	// counts is nil if the set could not be expanded.
	counts *counts
	// err is to be tried again; without one, there is something to look for again after wait, unless that is 0.
	err  error
	wait time.Duration
}

type counts struct{ desired, current, ready int }

// failed returns the outcome for a set that could not be expanded.
func failed(err error) outcome {
	var known *problem
	var denied *objects.DeniedError
	var runtime *mutate.UnavailableError
	switch {
	case errors.As(err, &runtime):
		return outcome{verdict: conditions.Verdict{Reason: decide.ReasonFunctionRunnerUnavailable, Message: "will try again: " + runtime.Message}, wait: runnerRetry}
	case errors.As(err, &known):
		return outcome{verdict: known.Verdict}
	case errors.As(err, &denied):
		return outcome{verdict: conditions.Verdict{Reason: decide.ReasonPermissionMissing, Message: denied.Error()}, wait: permissionRetry}
	default:
		return outcome{verdict: conditions.Verdict{Reason: ReasonExpansionFailed, Message: "will try again: " + err.Error()}, err: err}
	}
}

// tally is what there is to say of the steps, by what it says of the set.
type tally struct {
	counts
	errs           []error
	behind         bool
	names, unready []string
}

// count returns the tally of steps that were applied.
func count(wanted int, steps []step) *tally {
	t := &tally{counts: counts{desired: wanted}}
	for i := range steps {
		s := &steps[i]
		switch {
		case isBehind(s):
			t.behind = true
		case s.err != nil:
			t.errs = append(t.errs, s.err)
		case s.do == taken:
			t.names = append(t.names, fmt.Sprintf("%q", s.have.Name))
		case s.do == waiting:
			t.unready = append(t.unready, s.have.Name+" (being deleted)")
		case s.do == remove:
		case readiness(s.want).ready:
			t.current, t.ready = t.current+1, t.ready+1
		default:
			t.current++
			t.unready = append(t.unready, fmt.Sprintf("%s (%s)", s.want.Name, readiness(s.want).reason))
		}
	}
	return t
}

// judge returns the outcome of steps that were applied.
func judge(in *input, steps []step) outcome {
	t := count(in.desired, steps)
	o := outcome{counts: &t.counts, err: errors.Join(t.errs...)}
	say := func(reason, format string, args ...any) {
		o.verdict = conditions.Verdict{Reason: reason, Message: strings.Join(append([]string{fmt.Sprintf(format, args...)}, in.notes...), "; ")}
	}
	switch {
	case len(t.errs) > 0:
		say(ReasonApplyFailed, "will try again: %s", some(t.errs))
	case t.behind:
		o.wait = delay
	case len(t.names) > 0:
		say(ReasonNameTaken, "PackageVariants that are not this set's have the names of its variants: %s; delete them, or hand them over to this set by the label %s: %q",
			strings.Join(t.names, ", "), v1alpha2.OwnerLabel, in.owner.uid)
	case t.desired == 0 && t.current > 0:
		say(ReasonEmptySelection, "%s", expansion.EmptySelection(specPath, t.current))
	case t.ready < t.desired:
		say(ReasonVariantsNotReady, "%d of %d variants are not ready: %s", t.desired-t.ready, t.desired, some(t.unready))
	default:
		say(ReasonVariantsReady, "%d of %d variants are ready", t.ready, t.desired)
		o.verdict.Ready = true
	}
	if t.desired == 0 {
		o.counts = &counts{} // what is kept is not asked for
	}
	return o
}

// state is what a set asks of a variant's condition Ready.
type state struct {
	ready  bool
	reason string
}

func readiness(pv *v1alpha1.PackageVariant) state {
	c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	if c == nil || c.ObservedGeneration != pv.Generation {
		return state{reason: decide.ReasonPending}
	}
	return state{ready: c.Status == metav1.ConditionTrue, reason: c.Reason}
}

// some joins the first three of a list, and says how many more there are.
func some[T any](list []T) string {
	var texts []string
	for i, each := range list {
		if i == 3 {
			return fmt.Sprintf("%s and %d more", strings.Join(texts, ", "), len(list)-i)
		}
		texts = append(texts, fmt.Sprint(each))
	}
	return strings.Join(texts, ", ")
}

// report writes the status, if it changed, and tells of a new problem by an Event. That variants are not ready is told
// by their own.
func (r *Reconciler) report(ctx context.Context, set *v1alpha2.PackageVariantSet, o *outcome) error {
	if o.verdict.Reason == "" {
		return nil
	}
	before := set.DeepCopy()
	news := conditions.Set(&set.Status.Conditions, set.Generation, o.verdict)
	if c := o.counts; c != nil {
		set.Status.Desired, set.Status.Current, set.Status.Ready = int32(c.desired), int32(c.current), int32(c.ready)
	}
	if equality.Semantic.DeepEqual(before.Status, set.Status) {
		return nil
	}
	if news && !o.verdict.Ready && o.verdict.Reason != ReasonVariantsNotReady {
		conditions.Tell(r.events, set, corev1.EventTypeWarning, o.verdict.Reason, o.verdict.Message)
	}
	if err := r.client.Status().Patch(ctx, set, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot write the status: %w", err)
	}
	r.statuses.Put(set, &set.Status) // also of one that is gone: nobody asks for it any more
	return nil
}
