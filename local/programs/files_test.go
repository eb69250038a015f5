// SPDX-License-Identifier: Apache-2.0

package programs

import "testing"

// TestOfGit checks which files git itself would read.
func TestOfGit(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		".git": true, ".git/config": true, "a/.GIT./hooks/x": true, `a\git~1`: true, ".git:x/y": true,
		".gitignore": false, "git/config": false, "a/x.git": false,
	} {
		if got := ofGit(file); got != want {
			t.Errorf("%s: %t, want %t", file, got, want)
		}
	}
}
