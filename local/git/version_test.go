// SPDX-License-Identifier: Apache-2.0

package git

import "testing"

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"git version 2.39.5\n":                   "",
		"git version 2.50.1 (Apple Git-155)\n":   "",
		"git version 2.47.0.windows.1\n":         "",
		"git version 3.0.0-rc1\n":                "",
		"git version 2.34.1\n":                   "git 2.34 is too old: install 2.39 or newer",
		"git version 1.99.1\n":                   "git 1.99 is too old: install 2.39 or newer",
		"git: 'version' is not a git command.\n": `git says that its version is "git: 'version' is not a git command."`,
	} {
		got := ""
		if err := checkVersion(said); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}
