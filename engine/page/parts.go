// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// line is a line of a diff with its class: add, del, at, or nothing.
type line struct{ Class, Text string }

// lines returns the lines of a diff below its head. The head only names the file, as the page already does.
func lines(diff string) []line {
	var out []line
	for text := range strings.Lines(diff) {
		if len(out) == 0 && !strings.HasPrefix(text, "@@") {
			continue
		}
		class := ""
		switch text[0] {
		case '+':
			class = "add"
		case '-':
			class = "del"
		case '@':
			class = "at"
		}
		out = append(out, line{class, strings.TrimRight(text, "\r\n")})
	}
	return out
}

// tally says how many lines a diff adds and removes.
func tally(diff string) string {
	added, removed := 0, 0
	for _, l := range lines(diff) {
		switch l.Class {
		case "add":
			added++
		case "del":
			removed++
		}
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// bar is a part of the bar of all targets, from 0 to 100.
type bar struct {
	Tone        Tone
	Title       string
	From, Width float64
}

// bars returns the parts of the bar, in proportion to the counts.
func bars(counts []Count) []bar {
	all, from := 0, 0.0
	for _, c := range counts {
		all += c.N
	}
	var out []bar
	for _, c := range counts {
		width := percent(c.N, all)
		out = append(out, bar{c.Tone, fmt.Sprintf("%d %s", c.N, c.State), from, width})
		from += width
	}
	return out
}

// percent returns n as a percentage of all.
func percent(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(n) / float64(all)
}

// tone returns the class of a tone; Quiet if it is empty.
func tone(t Tone) Tone {
	if t == "" {
		return Quiet
	}
	return t
}

// Winner says which side of a conflict is in the draft, from the value of v1alpha1.Conflict.
func Winner(taken string) string {
	switch taken {
	case v1alpha1.TakenUpstream:
		return "the upstream"
	case v1alpha1.TakenLocal:
		return "the package"
	}
	return "nobody yet"
}

// changeOf returns the tone of a file's change.
func changeOf(change string) Tone {
	switch change {
	case "added":
		return New
	case "removed":
		return Bad
	}
	return Change
}

// WaveTone returns the tone of the state of a wave of a rollout.
func WaveTone(state string) Tone {
	switch v1alpha2.WaveState(state) {
	case v1alpha2.WaveComplete:
		return Good
	case v1alpha2.WaveProgressing:
		return Change
	case v1alpha2.WaveAwaitingApproval, v1alpha2.WaveSoaking:
		return Wait
	case v1alpha2.WavePending:
	}
	return Quiet
}
