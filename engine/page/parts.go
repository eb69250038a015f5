// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha2"
)

// class returns the class of a line of a change: of one that goes or that comes, and "" of others.
func class(line string) string {
	switch {
	case strings.HasPrefix(line, "+ "):
		return "add"
	case strings.HasPrefix(line, "- "):
		return "del"
	}
	return ""
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
