// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"regexp"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

const (
	maxWaves    = 32
	maxWaveName = 63
)

var waveName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// rolloutErrors collects what is wrong with a rollout.
type rolloutErrors struct{ variant.FieldErrors }

// Validate returns what is wrong with the rollout, which stands at path. The rules are those of the CRD's schema, for
// sets that are read without it, and what a schema cannot see. A nil rollout is valid.
func (r *Rollout) Validate(path string) variant.FieldErrors {
	var errs rolloutErrors
	if r == nil {
		return nil
	}
	errs.limit(path+".maxFailures", r.MaxFailures, 0)
	errs.duration(path+".progressDeadline", r.ProgressDeadline)
	if len(r.Waves) > maxWaves {
		errs.Addf(path+".waves", "has %d waves, and may have %d: join some of them", len(r.Waves), maxWaves)
	}
	seen := map[string]bool{}
	for i := range r.Waves {
		at, w := path+".waves["+strconv.Itoa(i)+"]", &r.Waves[i]
		errs.name(at+".name", w.Name, seen)
		errs.wave(at, w)
	}
	return errs.FieldErrors
}

// Validate returns what is wrong with the policy, which stands at path.
func (p ErrorPolicy) Validate(path string) variant.FieldErrors {
	var errs rolloutErrors
	if p != "" && p != ErrorPolicyStop && p != ErrorPolicyContinue {
		errs.Addf(path, "is %q, but must be %s or %s", p, ErrorPolicyStop, ErrorPolicyContinue)
	}
	return errs.FieldErrors
}

func (e *rolloutErrors) name(path, name string, seen map[string]bool) {
	switch {
	case name == "":
		e.Addf(path, "is missing: name the wave, as canary for example")
	case name == RestWave:
		e.Addf(path, "is %q, which is the last wave, of all targets that no other selects: choose another name", name)
	case len(name) > maxWaveName || !waveName.MatchString(name):
		e.Addf(path, "is %q, but must be made of at most %d lower-case letters, digits and '-', of which the first and the "+
			"last are no '-'", name, maxWaveName)
	case seen[name]:
		e.Addf(path, "is %q, which is the name of a wave before it: choose another name", name)
	}
	seen[name] = true
}

func (e *rolloutErrors) wave(path string, w *Wave) {
	if w.Selector == nil {
		e.Addf(path+".selector", "is missing: say which targets belong to the wave, by matchLabels or matchExpressions; {} "+
			"selects all that no wave before it does")
	} else if _, err := metav1.LabelSelectorAsSelector(w.Selector); err != nil {
		e.Addf(path+".selector", "is not valid: %v", err)
	}
	e.limit(path+".maxConcurrent", w.MaxConcurrent, 1)
	if w.Until != "" && w.Until != UntilPublished && w.Until != UntilReady {
		e.Addf(path+".until", "is %q, but must be %s or %s", w.Until, UntilPublished, UntilReady)
	}
	if w.After != nil {
		e.duration(path+".after.minSuccessTime", w.After.MinSuccessTime)
	}
}

// limit refuses a limit that is neither a number nor a percentage, or below the least one that makes sense.
func (e *rolloutErrors) limit(path string, limit *intstr.IntOrString, least int) {
	if limit == nil {
		return
	}
	number, isPercent := limit.IntValue(), limit.Type == intstr.String
	if isPercent {
		digits := percent.FindStringSubmatch(limit.StrVal)
		if digits == nil {
			e.Addf(path, "is %q, but must be a number, or a percentage such as 10%%", limit.StrVal)
			return
		}
		number, _ = strconv.Atoi(digits[1]) // three digits at most
	}
	switch {
	case number < least:
		e.Addf(path, "is %s, but must be %d or more", limit, least)
	case isPercent && number > 100:
		e.Addf(path, "is %s, but must be at most 100%%", limit)
	}
}

// Scaled returns a limit as a number: a percentage is of the total, rounded down. One that is not valid is 0, as is
// none: to change nothing is safe.
func Scaled(limit *intstr.IntOrString, total int) int {
	if limit == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, total, false)
	if err != nil {
		return 0
	}
	return n
}

var percent = regexp.MustCompile(`^([0-9]{1,3})%$`)

func (e *rolloutErrors) duration(path string, d *metav1.Duration) {
	if d != nil && d.Duration < 0 {
		e.Addf(path, "is %s, but must be a duration from 0s, such as 90s, 15m or 36h", d.Duration)
	}
}
