// SPDX-License-Identifier: Apache-2.0

// Package conditions tells users of an object: by the conditions Ready and Stalled, of which both kinds of objects have the
// same two, and by Events.
package conditions

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
)

// ReasonValid is the reason of the condition Stalled where it is False.
const ReasonValid = "Valid"

// The longest messages of a condition and of an Event that the API takes.
const (
	maxMessage = 32768
	maxNote    = 1024
)

// Verdict is what there is to say of an object.
type Verdict struct {
	// Ready reports whether the object is what its spec asks for.
	Ready bool
	// Stalled reports whether work has stopped until the spec, or what it refers to, changes.
	Stalled bool
	// Reason is a word for programs, Message a sentence for people; it says what to do where something is to be done.
	Reason, Message string
}

// Set sets both conditions to the verdict, for a generation of the object, and reports whether a user sees something
// new: another status, reason or message of Ready.
func Set(conditions *[]metav1.Condition, generation int64, v Verdict) (news bool) {
	v.Message = shorten(v.Message, maxMessage, "... (cut)")
	before := meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady)
	news = before == nil || before.Status != status(v.Ready) || before.Reason != v.Reason || before.Message != v.Message
	stalled := metav1.Condition{
		Type: v1alpha1.ConditionStalled, Status: metav1.ConditionFalse, Reason: ReasonValid, ObservedGeneration: generation,
		Message: "the spec is valid and can be worked on",
	}
	if v.Stalled {
		stalled.Status, stalled.Reason, stalled.Message = metav1.ConditionTrue, v.Reason, v.Message
	}
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: status(v.Ready), Reason: v.Reason, Message: v.Message, ObservedGeneration: generation,
	})
	meta.SetStatusCondition(conditions, stalled)
	return news
}

func status(b bool) metav1.ConditionStatus {
	if b {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// Tell records an Event of the object, of a kind of the core API: Normal or Warning.
func Tell(recorder events.EventRecorder, object runtime.Object, kind, reason, message string) {
	recorder.Eventf(object, nil, kind, reason, "Reconcile", "%s", shorten(message, maxNote, "..."))
}

// shorten returns a message of at most so many bytes; one that is cut has the end.
func shorten(message string, most int, end string) string {
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most-len(end)], "") + end
}
