// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"os"
	"slices"
	"strings"
)

// Environment returns the user's environment for a session, with the directories first on the PATH, and with git as
// it is without anybody's configuration, for one author at one time, so that commits are the same in each run. Of two
// entries for the same variable the last counts.
func Environment(dirs ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
	path := strings.Join(append(slices.Clone(dirs), os.Getenv("PATH")), string(os.PathListSeparator))
	const at = "2026-01-01T00:00:00Z"
	return append(env, "PATH="+path, "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE="+at,
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE="+at)
}
