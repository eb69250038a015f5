// SPDX-License-Identifier: Apache-2.0

package conditions

import (
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

const valid = "the spec is valid and can be worked on"

func TestSet(t *testing.T) {
	t.Parallel()
	ready := Verdict{Ready: true, Reason: "UpToDate", Message: "all is well"}
	waiting := Verdict{Reason: "Pending", Message: "is to be done"}
	stalled := Verdict{Stalled: true, Reason: "InvalidSpec", Message: "correct it"}
	isReady := condition("Ready", "True", "UpToDate", "all is well")
	isWaiting := condition("Ready", "False", "Pending", "is to be done")
	isInvalid := condition("Ready", "False", "InvalidSpec", "correct it")
	notStalled := condition("Stalled", "False", "Valid", valid)
	isStalled := condition("Stalled", "True", "InvalidSpec", "correct it")
	other := condition("Other", "True", "Mine", "of another controller")
	for name, c := range map[string]struct {
		before  []metav1.Condition
		verdict Verdict
		want    []metav1.Condition
		changed []string // the types whose status, and with it the time, is new
		news    bool
	}{
		"first, ready":             {nil, ready, []metav1.Condition{isReady, notStalled}, []string{"Ready", "Stalled"}, true},
		"first, not ready":         {nil, waiting, []metav1.Condition{isWaiting, notStalled}, []string{"Ready", "Stalled"}, true},
		"first, stalled":           {nil, stalled, []metav1.Condition{isInvalid, isStalled}, []string{"Ready", "Stalled"}, true},
		"no change":                {[]metav1.Condition{isReady, notStalled}, ready, []metav1.Condition{isReady, notStalled}, nil, false},
		"no change, stalled":       {[]metav1.Condition{isInvalid, isStalled}, stalled, []metav1.Condition{isInvalid, isStalled}, nil, false},
		"ready":                    {[]metav1.Condition{isWaiting, notStalled}, ready, []metav1.Condition{isReady, notStalled}, []string{"Ready"}, true},
		"not ready any more":       {[]metav1.Condition{isReady, notStalled}, waiting, []metav1.Condition{isWaiting, notStalled}, []string{"Ready"}, true},
		"stalled":                  {[]metav1.Condition{isWaiting, notStalled}, stalled, []metav1.Condition{isInvalid, isStalled}, []string{"Stalled"}, true},
		"not stalled any more":     {[]metav1.Condition{isInvalid, isStalled}, waiting, []metav1.Condition{isWaiting, notStalled}, []string{"Stalled"}, true},
		"another reason":           {[]metav1.Condition{condition("Ready", "False", "Other", "is to be done"), notStalled}, waiting, []metav1.Condition{isWaiting, notStalled}, nil, true},
		"another message":          {[]metav1.Condition{condition("Ready", "False", "Pending", "was to be done"), notStalled}, waiting, []metav1.Condition{isWaiting, notStalled}, nil, true},
		"of another controller":    {[]metav1.Condition{other}, ready, []metav1.Condition{other, isReady, notStalled}, []string{"Ready", "Stalled"}, true},
		"Stalled was never set":    {[]metav1.Condition{isReady}, ready, []metav1.Condition{isReady, notStalled}, []string{"Stalled"}, false},
		"only the order is theirs": {[]metav1.Condition{notStalled, isReady}, ready, []metav1.Condition{notStalled, isReady}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := append([]metav1.Condition(nil), c.before...)
			if news := Set(&got, 1, c.verdict); news != c.news {
				t.Errorf("news is %v", news)
			}
			var changed []string
			for i := range got {
				if got[i].LastTransitionTime != past {
					changed = append(changed, got[i].Type)
					if age := time.Since(got[i].LastTransitionTime.Time); age < 0 || age > time.Minute {
						t.Errorf("the time of %s is %s", got[i].Type, got[i].LastTransitionTime)
					}
					got[i].LastTransitionTime = past
				}
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
	verdict := Verdict{Ready: true, Reason: "UpToDate", Message: "all is well"}
	Set(&got, 1, verdict)
	if Set(&got, 7, verdict) {
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
			verdict := Verdict{Stalled: true, Reason: "InvalidSpec", Message: c.message}
			Set(&conditions, 1, verdict)
			if Set(&conditions, 1, verdict) {
				t.Error("the same long message is news")
			}
			for _, condition := range conditions {
				got := condition.Message
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
