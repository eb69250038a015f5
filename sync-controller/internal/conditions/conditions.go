// SPDX-License-Identifier: Apache-2.0

// Package conditions writes the conditions Ready and Stalled, of which both kinds of objects have the same two.
package conditions

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReasonValid is the reason of the condition Stalled where it is False.
const ReasonValid = "Valid"

// maxMessage is the longest message that the API takes.
const maxMessage = 32768

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
	v.Message = shorten(v.Message)
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

func shorten(message string) string {
	const end = "... (cut)"
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage-len(end)], "") + end
}
