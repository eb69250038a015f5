// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRolloutOfManual checks that the server takes the set that the manual shows.
func TestRolloutOfManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join(crdDir, "..", "..", "..", "docs", "rollouts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(manual), "```yaml\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatal("the manual shows no set with a rollout")
	}
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	for _, err := range s.create(t, s.object(parse(t, block).(map[string]any)["spec"])) {
		t.Error(err)
	}
}

// TestRolloutRules checks that the API server refuses what the controller could not read, or could not do.
func TestRolloutRules(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	rollout := func(fields string) string { return validSet + "\nrollout: {" + fields + "}" }
	wave := func(fields string) string { return rollout("waves: [{name: canary, selector: {}, " + fields + "}]") }
	const (
		failures   = `spec.rollout.maxFailures: Invalid value: `
		concurrent = `spec.rollout.waves[0].maxConcurrent: Invalid value: `
		deadline   = `spec.rollout.progressDeadline: Invalid value: `
		noFailures = `must be a number from 0, or a percentage from 0% to 100%`
		noNumber   = `must be a number from 1, or a percentage from 1% to 100%`
		noDuration = `must be a duration from 0s, such as 90s, 15m or 36h`
	)
	waves := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("{name: w%d, selector: {}}", i))
		}
		return rollout("waves: [" + strings.Join(list, ", ") + "]")
	}
	testRules(t, s, map[string]ruleCase{
		"Empty":               {spec: rollout("")},
		"MaxFailures":         {spec: rollout("maxFailures: 0")},
		"MaxFailuresPercent":  {spec: rollout("maxFailures: 100%")},
		"MaxFailuresNegative": {spec: rollout("maxFailures: -1"), want: []string{failures + `-1: ` + noFailures}},
		"MaxFailuresTooLarge": {spec: rollout("maxFailures: 2147483648"), want: []string{failures + `2147483648: ` + noFailures}},
		"MaxFailuresOver":     {spec: rollout("maxFailures: 101%"), want: []string{failures + `"101%": ` + noFailures}},
		"MaxFailuresWord":     {spec: rollout("maxFailures: some"), want: []string{failures + `"some": ` + noFailures}},
		"MaxFailuresLong":     {spec: rollout("maxFailures: '00100%'"), want: []string{`spec.rollout.maxFailures: Too long: may not be more than 4 bytes`}},

		"Deadline":         {spec: rollout("progressDeadline: 1h30m")},
		"DeadlineNone":     {spec: rollout("progressDeadline: 0s")},
		"DeadlineNegative": {spec: rollout("progressDeadline: -1s"), want: []string{deadline + `"-1s": ` + noDuration}},
		"DeadlineDays":     {spec: rollout("progressDeadline: 1d"), want: []string{deadline + `"1d": ` + noDuration}},
		"DeadlineTooLong":  {spec: rollout("progressDeadline: 9999999h"), want: []string{deadline + `"9999999h": ` + noDuration}},
		"DeadlineLongest":  {spec: rollout("progressDeadline: 999999h")},
		"DeadlineTooLongInAll": {spec: rollout("progressDeadline: 999999h999999h999999h"), want: []string{
			`spec.rollout.progressDeadline: Invalid value: "string": type conversion error from 'string' to ` +
				`'google.protobuf.Duration' evaluating rule: ` + noDuration}},
		"DeadlineNumber": {spec: rollout("progressDeadline: 90"), want: []string{
			`spec.rollout.progressDeadline: Invalid value: "integer": spec.rollout.progressDeadline in body must be of type string: "integer"`}},

		"Wave":        {spec: wave("maxConcurrent: 3, until: Ready, after: {approval: true, minSuccessTime: 15m}")},
		"WavePercent": {spec: wave("maxConcurrent: 1%, until: ''")},
		"WaveNone":    {spec: wave("maxConcurrent: 0"), want: []string{concurrent + `0: ` + noNumber}},
		"WaveNonePercent": {spec: wave("maxConcurrent: 0%"), want: []string{
			concurrent + `"0%": ` + noNumber}},
		"WaveUntil": {spec: wave("until: Done"), want: []string{
			`spec.rollout.waves[0].until: Unsupported value: "Done": supported values: "", "Published", "Ready"`}},
		"WaveSoaksBackwards": {spec: wave("after: {minSuccessTime: -15m}"), want: []string{
			`spec.rollout.waves[0].after.minSuccessTime: Invalid value: "-15m": ` + noDuration}},
		"WaveWithoutSelector": {spec: rollout("waves: [{name: canary}]"), want: []string{
			`spec.rollout.waves[0].selector: Required value`}},
		"WaveWithoutName": {spec: rollout("waves: [{selector: {}}]"), want: []string{
			`spec.rollout.waves[0].name: Required value`}},
		"WaveCalledRest": {spec: rollout("waves: [{name: rest, selector: {}}]"), want: []string{
			`spec.rollout.waves[0].name: Invalid value: "rest": must not be rest, which is the last wave of all others`}},
		"WaveName": {spec: rollout("waves: [{name: a@b, selector: {}}]"), want: []string{
			`spec.rollout.waves[0].name: Invalid value: "a@b": spec.rollout.waves[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`}},
		"WaveTwice": {spec: rollout("waves: [{name: a, selector: {}}, {name: a, selector: {}}]"), want: []string{
			`spec.rollout.waves[1]: Duplicate value: {"name":"a"}`}},
		"WavesTooMany": {spec: waves(33), want: []string{
			`spec.rollout.waves: Too many: 33: must have at most 32 items`}},
		"Waves": {spec: waves(32)},

		"ErrorPolicy": {spec: validSet + "\nerrorPolicy: Continue"},
		"ErrorPolicyUnknown": {spec: validSet + "\nerrorPolicy: Ignore", want: []string{
			`spec.errorPolicy: Unsupported value: "Ignore": supported values: "", "Stop", "Continue"`}},
	})
}
