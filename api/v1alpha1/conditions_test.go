// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// past is when all conditions were set that a test begins with.
var past = metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: 1, LastTransitionTime: past}
}

// TestConditionSet holds that of Ready, Stalled and Reconciling exactly one is True, and what is news.
func TestConditionSet(t *testing.T) {
	t.Parallel()
	ready, waiting, stalled := Ready("UpToDate", "all is well"), Reconciling("Pending", "is to be done"), Stalled("InvalidSpec", "correct it")
	notStalled, notReconciling := condition("Stalled", "False", "Valid", ""), condition("Reconciling", "False", "Valid", "")
	areReady := []metav1.Condition{condition("Ready", "True", "UpToDate", "all is well"), notStalled, notReconciling}
	areWaiting := []metav1.Condition{condition("Ready", "False", "Pending", "is to be done"), notStalled, condition("Reconciling", "True", "Pending", "is to be done")}
	areStalled := []metav1.Condition{condition("Ready", "False", "InvalidSpec", "correct it"), condition("Stalled", "True", "InvalidSpec", "correct it"), notReconciling}
	other := condition("Other", "True", "Mine", "of another controller")
	every := []string{"Ready", "Stalled", "Reconciling"}
	with := func(kind, reason, message string, of []metav1.Condition) []metav1.Condition {
		out := slices.Clone(of)
		for i := range out {
			if out[i].Type == kind {
				out[i].Reason, out[i].Message = reason, message
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		before  []metav1.Condition
		set     Condition
		want    []metav1.Condition
		changed []string // the types whose status, and with it the time, is new
		news    bool
	}{
		"first, ready":           {nil, ready, areReady, every, true},
		"first, reconciling":     {nil, waiting, areWaiting, every, true},
		"first, stalled":         {nil, stalled, areStalled, every, true},
		"no change":              {areReady, ready, areReady, nil, false},
		"no change, reconciling": {areWaiting, waiting, areWaiting, nil, false},
		"no change, stalled":     {areStalled, stalled, areStalled, nil, false},
		"ready":                  {areWaiting, ready, areReady, []string{"Ready", "Reconciling"}, true},
		"not ready any more":     {areReady, waiting, areWaiting, []string{"Ready", "Reconciling"}, true},
		"stalled":                {areWaiting, stalled, areStalled, []string{"Stalled", "Reconciling"}, true},
		"not stalled any more":   {areStalled, waiting, areWaiting, []string{"Stalled", "Reconciling"}, true},
		"ready out of stalled":   {areStalled, ready, areReady, []string{"Ready", "Stalled"}, true},
		"another reason":         {with("Ready", "Other", "is to be done", areWaiting), waiting, areWaiting, nil, true},
		"another message":        {with("Ready", "Pending", "was to be done", areWaiting), waiting, areWaiting, nil, true},
		"the same words, stalled now": {areWaiting, Stalled("Pending", "is to be done"),
			[]metav1.Condition{areWaiting[0], condition("Stalled", "True", "Pending", "is to be done"), notReconciling}, []string{"Stalled", "Reconciling"}, false},
		"of another controller":    {[]metav1.Condition{other}, ready, append([]metav1.Condition{other}, areReady...), every, true},
		"Stalled was never set":    {areReady[:1], ready, areReady, every[1:], false},
		"only the order is theirs": {[]metav1.Condition{areReady[2], areReady[1], areReady[0]}, ready, []metav1.Condition{areReady[2], areReady[1], areReady[0]}, nil, false},
		// The default status of an object that was not reconciled yet.
		"unknown before": {[]metav1.Condition{condition("Ready", "Unknown", "Pending", "is to be done")}, waiting, areWaiting, every, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := slices.Clone(c.before)
			if news := c.set.Set(&got, 1); news != c.news {
				t.Errorf("news is %v", news)
			}
			var changed []string
			trues := 0
			for i := range got {
				if got[i].Status == metav1.ConditionTrue && slices.Contains(every, got[i].Type) {
					trues++
				}
				if got[i].LastTransitionTime != past {
					changed = append(changed, got[i].Type)
					if age := time.Since(got[i].LastTransitionTime.Time); age < 0 || age > time.Minute {
						t.Errorf("the time of %s is %s", got[i].Type, got[i].LastTransitionTime)
					}
					got[i].LastTransitionTime = past
				}
			}
			if trues != 1 {
				t.Errorf("%d of the conditions are True", trues)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.changed, changed); diff != "" {
				t.Errorf("changed, -want +got:\n%s", diff)
			}
		})
	}
}

func TestObservedGeneration(t *testing.T) {
	t.Parallel()
	var got []metav1.Condition
	ready := Ready("UpToDate", "all is well")
	ready.Set(&got, 1)
	if ready.Set(&got, 7) {
		t.Error("a new generation alone is no news")
	}
	for _, c := range got {
		if c.ObservedGeneration != 7 {
			t.Errorf("%s is of generation %d, want 7", c.Type, c.ObservedGeneration)
		}
	}
}

func TestLongMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message string
		cut     bool
	}{
		"the longest":         {strings.Repeat("x", 32768), false},
		"one too long":        {strings.Repeat("x", 32769), true},
		"cut in a character":  {strings.Repeat("é", 20000), true},
		"cut in another":      {"x" + strings.Repeat("é", 20000), true},
		"cut in a longer one": {"xx" + strings.Repeat("𝄞", 10000), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var conditions []metav1.Condition
			stalled := Stalled("InvalidSpec", c.message)
			stalled.Set(&conditions, 1)
			if stalled.Set(&conditions, 1) {
				t.Error("the same long message is news")
			}
			for _, condition := range conditions {
				got := condition.Message
				if condition.Type == ConditionReconciling {
					continue
				}
				if len(got) > 32768 || len(got) < 32700 || !utf8.ValidString(got) {
					t.Errorf("%s: the message has %d bytes, valid UTF-8: %v", condition.Type, len(got), utf8.ValidString(got))
				}
				kept, cut := strings.CutSuffix(got, "... (cut)")
				if cut != c.cut || !strings.HasPrefix(c.message, kept) {
					t.Errorf("%s: the message ends in %q", condition.Type, got[len(got)-20:])
				}
			}
		})
	}
}

func TestShortenNote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ message, want string }{
		"short":              {"all is well", "all is well"},
		"the longest":        {strings.Repeat("x", 1024), strings.Repeat("x", 1024)},
		"one too long":       {strings.Repeat("x", 1025), strings.Repeat("x", 1015) + "... (cut)"},
		"cut in a character": {strings.Repeat("é", 600), strings.Repeat("é", 507) + "... (cut)"},
	} {
		if got := ShortenNote(c.message); got != c.want {
			t.Errorf("%s: got %d bytes that end in %q", name, len(got), got[len(got)-12:])
		}
	}
}

// TestSuspendReason holds what messages say of why an object is suspended.
func TestSuspendReason(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	for name, c := range map[string]struct{ annotation, want string }{
		"none":       {"", "would do it"},
		"a word":     {"freeze", "freeze; would do it"},
		"on lines":   {" freeze\n  until Monday\t", "freeze until Monday; would do it"},
		"only space": {" \n", "would do it"},
		"too long":   {long, long[:1015] + "... (cut); would do it"},
	} {
		reason := SuspendReason(map[string]string{"config.porch.kpt.dev/suspend-reason": c.annotation})
		if diff := cmp.Diff(c.want, Because(reason, "would do it")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
