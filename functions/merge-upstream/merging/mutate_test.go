// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// TestMutations is FuzzMerge with mutations that know of lines and words, so that what comes of them is YAML more
// often.
func TestMutations(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(conflicts))
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := conflicts[names[r.IntN(len(names))]]
		original, updated, local := mutated(r, c.original), mutated(r, c.updated), mutated(r, c.local)
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			t.Run("", func(t *testing.T) { check(t, original, updated, local, onConflict) })
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n===\n%s\n===\n%s", seed, original, updated, local)
		}
	}
}

// mutated returns a text with a few lines removed, doubled, moved or changed.
func mutated(r *rand.Rand, text string) string {
	words := []string{"a", "name", "null", "{}", "[]", "- x", "'q'", "|", "# c", "yes", "1", "web", "&a x", "*a", "\"\"",
		"{a: b}", "[1, {name: b}]", "~"}
	lines := strings.Split(text, "\n")
	for range r.IntN(4) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(7) {
		case 0:
			lines = slices.Delete(lines, i, i+1)
		case 1:
			lines = slices.Insert(lines, j, lines[i])
		case 2:
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			lines[i] = " " + lines[i]
		case 4:
			lines[i] += " # " + words[r.IntN(len(words))]
		default:
			if key, _, found := strings.Cut(lines[i], ":"); found {
				lines[i] = key + ": " + words[r.IntN(len(words))]
			}
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "\n")
}
