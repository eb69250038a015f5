// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"slices"
	"testing"
)

// TestKeys has the keys of Repositories find those that overlap, as far as the branch does not decide.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"", "/", "a", "a/", "/a/b", "a/bc", "ab", "a/b/c/d"} {
		for _, b := range []string{"", "a", "a/b", "b", "a/b/c"} {
			one, other := Repository{Address: "https://git.example.com/x.git", Directory: a},
				Repository{Address: "https://git.example.com/x", Directory: b}
			around, found := KeysAround(one.Address, one.Directory), 0
			for _, key := range other.Keys() {
				if slices.Contains(around, key) {
					found++
				}
			}
			if overlaps := one.Overlaps(&other); found > 1 || found > 0 != overlaps {
				t.Errorf("%q and %q: found %d times, overlaps: %t", a, b, found, overlaps)
			}
		}
	}
}
