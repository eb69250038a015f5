// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"testing"

	"github.com/package-variants/package-variants/local/git"
)

// TestOfGit checks which files git itself would read.
func TestOfGit(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		".git": true, ".git/config": true, "a/.GIT./hooks/x": true, `a\git~1`: true, ".git:x/y": true, "a/.git . .": true,
		"GIT~1/config": true, ".g\u200cit/x": true, "\ufeff.git": true, "a/.gi\u206ft": true, ".git\u202e": true,
		".gitignore": false, "git/config": false, "a/x.git": false, "git~2": false, ".g\u200bit": false,
	} {
		if got := git.OfGit(file); got != want {
			t.Errorf("%q: %t, want %t", file, got, want)
		}
	}
}

// TestCheckName checks which entries of a tree git would not check out.
func TestCheckName(t *testing.T) {
	t.Parallel()
	const out = ", or take it out of the package"
	const ofGit, above, slash, device = "has a name that git keeps for itself: rename it" + out,
		"has the name of a directory above it: rename it" + out, "has a slash, a backslash or a NUL in its name: rename it" + out,
		"has the name of a device of Windows, which no file can have there: rename it" + out
	for name, want := range map[string]string{
		"": "has no name: give it one" + out, ".": above, "..": above, "a/b": slash, "../a": slash, "a\x00": slash,
		".git": ofGit, ".GIT": ofGit, "git~1": ofGit, ".git.": ofGit, ".g\u200dit": ofGit, `x\.git`: slash, `a\..\b`: slash, `a\`: slash,
		"con": device, "NUL.yaml": device, "Com1": device, "lpt9.tar.gz": device, "aux .x": device, "CONIN$": device,
		"prn:x": device, "com\u00b9": device, "com0": "", "console": "", "com10": "", "x.con": "", "con-x": "",
		"Kptfile": "", "...": "", "..a": "", ".gitattributes": "", "a b.yaml": "", "-x": "", "\xff": "",
	} {
		wantEqual(t, want, git.CheckName(name))
	}
}
