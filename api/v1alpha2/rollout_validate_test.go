// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// TestRolloutValidate is the table of what is wrong with a rollout.
func TestRolloutValidate(t *testing.T) {
	t.Parallel()
	const wave = "{name: canary, selector: {}"
	noNumber := `but must be a number, or a percentage such as 10%`
	for name, c := range map[string]struct {
		rollout string
		want    []string
	}{
		"empty": {"{}", nil},
		"all": {`{paused: true, maxFailures: 10%, progressDeadline: 1h30m, waves: [{name: canary, selector: {matchLabels: {a: b}}, maxConcurrent: 1,
			until: Ready, after: {approval: true, minSuccessTime: 0s}}, {name: eu-1, selector: {}, maxConcurrent: 100%, until: Published}]}`, nil},
		"the least": {"{maxFailures: 0, waves: [" + wave + ", maxConcurrent: 1%, until: '', after: {}}]}", nil},
		"limits": {"{maxFailures: -1, waves: [" + wave + ", maxConcurrent: 0}]}", []string{
			"spec.rollout.maxFailures is -1, but must be 0 or more",
			"spec.rollout.waves[0].maxConcurrent is 0, but must be 1 or more"}},
		"percentages": {"{maxFailures: 101%, waves: [" + wave + ", maxConcurrent: 0%}]}", []string{
			"spec.rollout.maxFailures is 101%, but must be at most 100%",
			"spec.rollout.waves[0].maxConcurrent is 0%, but must be 1 or more"}},
		"no limits": {"{maxFailures: some, waves: [" + wave + ", maxConcurrent: '5'}, {name: b, selector: {}, maxConcurrent: -5%}, {name: c, selector: {}, maxConcurrent: ''}]}", []string{
			`spec.rollout.maxFailures is "some", ` + noNumber,
			`spec.rollout.waves[0].maxConcurrent is "5", ` + noNumber,
			`spec.rollout.waves[1].maxConcurrent is "-5%", ` + noNumber,
			`spec.rollout.waves[2].maxConcurrent is "", ` + noNumber}},
		"durations": {"{progressDeadline: -1s, waves: [" + wave + ", after: {minSuccessTime: -2m}}]}", []string{
			"spec.rollout.progressDeadline is -1s, but must be a duration from 0s, such as 90s, 15m or 36h",
			"spec.rollout.waves[0].after.minSuccessTime is -2m0s, but must be a duration from 0s, such as 90s, 15m or 36h"}},
		"names": {"{waves: [{selector: {}}, {name: Canary, selector: {}}, {name: rest, selector: {}}, " + wave + "}, " + wave + "}]}", []string{
			"spec.rollout.waves[0].name is missing: name the wave, as canary for example",
			`spec.rollout.waves[1].name is "Canary", but must be made of at most 63 lower-case letters, digits and '-', of which the first and the last are no '-'`,
			`spec.rollout.waves[2].name is "rest", which is the last wave, of all targets that no other selects: choose another name`,
			`spec.rollout.waves[4].name is "canary", which is the name of a wave before it: choose another name`}},
		"a long name": {"{waves: [{name: " + strings.Repeat("a", 64) + ", selector: {}}]}", []string{
			`spec.rollout.waves[0].name is "` + strings.Repeat("a", 64) + `", but must be made of at most 63 lower-case letters, digits and '-', of which the first and the last are no '-'`}},
		"no selector": {"{waves: [{name: canary}]}", []string{
			"spec.rollout.waves[0].selector is missing: say which targets belong to the wave, by matchLabels or matchExpressions; {} selects all that no wave before it does"}},
		"a selector that is none": {"{waves: [{name: canary, selector: {matchExpressions: [{key: a, operator: Like}]}}]}", []string{
			`spec.rollout.waves[0].selector is not valid: "Like" is not a valid label selector operator`}},
		"until":                         {"{waves: [" + wave + ", until: Done}]}", []string{`spec.rollout.waves[0].until is "Done", but must be Published or Ready`}},
		"as many waves as there may be": {"{waves: [" + many(32) + "]}", nil},
		"too many waves":                {"{waves: [" + many(33) + "]}", []string{"spec.rollout.waves has 33 waves, and may have 32: join some of them"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rollout Rollout
			if err := yaml.UnmarshalStrict([]byte(c.rollout), &rollout); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range rollout.Validate("spec.rollout") {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if errs := (*Rollout)(nil).Validate("spec.rollout"); errs != nil {
		t.Errorf("none at all: %v", errs)
	}
}

// many returns so many waves.
func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("{name: w%d, selector: {}}", i))
	}
	return strings.Join(list, ", ")
}

// TestErrorPolicyValidate holds what an errorPolicy may be.
func TestErrorPolicyValidate(t *testing.T) {
	t.Parallel()
	for policy, want := range map[ErrorPolicy]string{
		"": "", ErrorPolicyStop: "", ErrorPolicyContinue: "",
		"continue": `spec.errorPolicy is "continue", but must be Stop or Continue`,
	} {
		got := ""
		if err := policy.Validate("spec.errorPolicy").Err(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", policy, got, want)
		}
	}
}

// TestLargestRolloutStatus holds that the status of a rollout stays small, whatever the number of targets is.
func TestLargestRolloutStatus(t *testing.T) {
	t.Parallel()
	now, most := metav1.NewTime(time.Now()), int32(2147483647)
	status := PackageVariantSetStatus{Rollout: &RolloutStatus{}}
	for i := range maxWaves + 1 {
		status.Rollout.Waves = append(status.Rollout.Waves, WaveStatus{
			Name: fmt.Sprintf("%063d", i), State: WaveAwaitingApproval, Since: now, OpenedAt: &now, ApprovedAt: &now,
			Targets: most, Updated: most, Reached: most, Failed: most, Suspended: most, Message: strings.Repeat("m", 512)})
	}
	for range 10 {
		status.Failures = append(status.Failures, VariantFailure{Variant: strings.Repeat("v", 253), Reason: strings.Repeat("R", 1024), Since: now})
	}
	data, err := yaml.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 64<<10 {
		t.Errorf("%d bytes", len(data))
	}
	if limit := intstr.FromInt32(1); (&Rollout{MaxFailures: &limit}).DeepCopy().MaxFailures == &limit {
		t.Error("a copy shares what it points to")
	}
}
